# units.awk: what a unit is of, and how much.  Part of nicsweep, in whose text it stands between
# single quotes, in front of what uses it.
function units(    n, i, w) {
    n = split("Hz 1 Hz kHz 1e3 Hz MHz 1e6 Hz GHz 1e9 Hz ps 1e-12 s ns 1e-9 s us 1e-6 s ms 1e-3 s " \
              "s 1 s bytes 1 B KiB 1024 B MiB 1048576 B GiB 1073741824 B", w, " ")
    for (i = 1; i < n; i += 3) { scale[w[i]] = w[i + 1]; of[w[i]] = w[i + 2] }
}
