#!/bin/sh
# toy_mpirun.sh: stands in for `mpirun --model` in the test of the figure pack: prints what the
# benchmarks would, by formulas of a page out of the profile's numbers, so that calibration, judging
# and pictures can be tested by themselves.  Runs in the build folder.
set -u
profile='' settings='' log='' nodes=2 bypass=0
while [ $# -gt 0 ]; do
    case $1 in
    --model) profile=$2; shift 2 ;;
    --model-log) log=$2; shift 2 ;;
    --set) settings="$settings --set $2"; shift 2 ;;
    -x) [ "$2" != MPILITE_BYPASS=nic ] || bypass=1; shift 2 ;;
    -n) nodes=$2; shift 2 ;;
    *) break ;;
    esac
done
program=${1##*/}
[ "$program" != true ] || exit 0
shift
[ "$program" != flood ] || { echo '    3 @ wire_repeats' >&2; printf '1\t1\t0\t1\n'; exit 0; }
lengths=0 shares=0 sizes=0 late=0 times='' computed=0 cores=1 latency=0 steps=0 real=0 every=''
delays=0
while [ $# -gt 0 ]; do
    case $1 in
    -q) lengths=$2; shift 2 ;;
    -p) shift; case ${1:-} in [0-9]*) shares=$1; shift ;; esac ;;
    -s) sizes=$2; shift 2 ;;
    --late) late=$2; shift 2 ;;
    -c) computed=$2 cores=$2; shift 2 ;;
    -l) latency=1; shift ;;
    -f) real=1; shift ;;
    -d) delays=$2; shift 2 ;;
    -u) every=$2; shift 2 ;;
    -C | -B) steps=5; shift ;;
    -T) steps=8; shift ;;
    -S | -v) shift; case ${1:-} in [0-9]*) shift ;; esac ;;
    --times) times=yes; shift ;;
    -r | -w) shift 2 ;;
    *) shift ;;
    esac
done
# shellcheck disable=SC2086 # words
"$PWD/bin/nicinfo" --tsv $settings "$profile" >"${TMPDIR:-/tmp}/toy.$$" || exit 1
awk -F'\t' -v program="$program" -v lengths="$lengths" -v shares="$shares" -v sizes="$sizes" \
    -v late="$late" -v times="$times" -v log_file="$log" -v nodes="$nodes" \
    -v computed="$computed" -v cores="$cores" -v latency="$latency" -v steps="$steps" \
    -v real="$real" -v every="$every" -v bypass="$bypass" -v delays="$delays" '
function list(text, out,    n, parts, m, bounds, i, v) {
    n = 0; m = split(text, parts, ",")
    for (i = 1; i <= m; i++) {
        if (split(parts[i], bounds, ":") == 3) {
            for (v = bounds[1]; v <= bounds[2]; v += bounds[3]) out[++n] = v
        } else {
            out[++n] = parts[i]
        }
    }
    return n
}
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }
function event(time, source, kind, end) {
    print time, 0, source, 0, kind, time, end, end, "0" >log_file
}
# A send and a receive of 0 bytes, one behind the other, as they are called and as their events are
# logged.
function calls(    command, landed, arrived, called, asked, returned) {
    OFS = " "
    command = p["call.enter"] + p["call.send_before"] + p["counter.preset"]
    landed = command + rdma(16) + p["counter.local"]
    event(command, 0, "COMMAND", command + p["rdma.setup"])
    event(landed, 0, "LATER", landed)
    printf "0\tsend\t%.3f\t%.3f\n", 0, (landed + p["call.send_after"] + p["call.wtime"]) / 1000
    arrived = landed + 1000000000
    called = landed + 500000000
    asked = called + p["call.enter"] + p["call.recv_before"]
    event(asked, 0, "COMMAND", asked)
    event(arrived, 1, "PACKET", arrived)
    returned = arrived + p["call.recv_after"] + p["call.wtime"]
    printf "0\treceive\t%.3f\t%.3f\n", called / 1000, returned / 1000
}
# A list of n entries of which t are traversed by the processor, with what a unit holds taken off
# first.
function walk(n, t, cells,    held, misses, most) {
    held = min(n, cells); t = max(0, t - held)
    most = p["nic.cache"] / p["nic.entry_bytes"]
    misses = min(t, max(0, (n - held - most) * 3))
    return (t - misses) * p["nic.entry_hit"] + misses * p["nic.entry_miss"]
}
function unit(cells, n) {
    if (cells <= 0 || n < p["alpu.threshold"]) return 0
    return p["alpu.read"] + p["alpu.result"] + p["alpu.match"] * 2000
}
function queue(base, n, t, cells) { return base + unit(cells, n) + walk(n, t, cells) }
function bytes(key, n) { return p[key] / 1024 * n }
function rdma(n,    start) {
    start = p["rdma.setup"] + p["rdma.start"] + p["link.latency"]
    return start + bytes("rdma.short_byte", min(n, 64)) + bytes("rdma.byte", max(0, n - 64))
}
function flight(n) { return rdma(n) + p["counter.remote"] }
function call() { return p["call.enter"] + p["call.recv_after"] + p["call.send_before"] }
function copies(n,    odd) {
    if (!n) return 0
    odd = n % 4 ? p["host.copy_odd"] : 0
    return 2 * (p["host.copy"] + bytes("host.copy_byte", n) + odd)
}
function words(n,    control) {
    if (n <= p["protocol.eager_limit"]) return call() + flight(n + 16) + copies(n) + (late * 1000)
    control = call() + flight(16) + 4 * p["host.control"]
    return control + flight(20) + (late && p["protocol.rendezvous"] ? 0 : flight(n)) + late * 1000
}
# Equations 3.1, 3.2.
function barrier(    fixed, steps) {
    fixed = p["nic.complete"] + p["completion.poll"]
    steps = int(log(nodes) / log(2) + 0.999)
    if (p["protocol.offload"] == 3)
        return steps * (fixed + p["nic.packet"] + p["bus.read"] + p["host.packet"])
    return fixed + steps * p["nic.packet"] + p["call.collective"]
}
# A message of so many bytes one way.
function message(n,    interrupts) {
    interrupts = p["protocol.offload"] == 3 ? (n > 16 ? 2 : 1) : 0
    n *= (p["tx.byte"] + p["bus.read_byte"]) / 1024
    return p["bus.latency"] * 2 + interrupts * p["completion.handler"] + n
}
function by_host() { return p["protocol.offload"] == 3 }
# A reduction: a level of hosts, or of NICs.
function reduction(    add) {
    add = real ? p["nic.add_real"] : p["nic.add"]
    if (by_host()) return (nodes - 1) * 10000000
    return p["nic.schedule"] + (nodes - 1) * (p["nic.step"] + add)
}
# An atomic operation of a host, or of a NIC.
function operation(    wakes) {
    wakes = p["completion.kind"] == 2 ? p["completion.handler"] : 0
    if (by_host()) return 2 * (p["nic.packet"] + p["completion.poll"]) + wakes
    return 2 * p["nic.packet"] + p["completion.poll"] + p["nic.control"]
}
function handler(n) { return p["completion.handler"] + bytes("host.copy_byte", n) }
# A put one way, ns; million puts a second of so many cores.
function way(n) { return (2 * p["bus.latency"] + p["link.latency"] + p["pgas.command"] + n) / 1000 }
function rate(n,    each, bus) {
    each = p["pgas.issue"] + steps * p["call.element"] + n / 4 * p["pgas.word"]
    each = max(each, n / 64 * p["pgas.line"]) / cores
    bus = (n + 16) * 72 / 64 * p["bus.byte"] / 1024
    return 1e6 / max(each, bus)
}
function updates(    each) {
    cores = p["pgas.ranks"]
    each = 512 * (p["pgas.issue"] + p["call.update"]) + 4 * p["call.collective"] + 2000000
    return nodes * 1e6 / max(each / 512, 11740 * cores)
}
{ p[$1] = $4 }
END {
    nq = list(lengths, q); np = list(shares, sh); ns = list(sizes, s)
    base = 900000; OFS = "\t"
    if (program == "preposted") {
        print "length", "share", "traversed", "size", "ns"
        for (i = 1; i <= nq; i++) for (j = 1; j <= np; j++) {
            t = int(q[i] * sh[j] / 100)
            latency = queue(base, q[i], t, p["alpu.posted"])
            printf "%d\t%d\t%d\t0\t%.3f\n", q[i], sh[j], t, latency / 1000
        }
    } else if (program == "unexpected") {
        print "length", "size", "ns"
        for (i = 1; i <= nq; i++) {
            latency = max(base + 1000000, queue(base, q[i], q[i], p["alpu.unexpected"]))
            printf "%d\t0\t%.3f\n", q[i], latency / 1000 + (p["alpu.unexpected"] ? 40 : 0)
        }
    } else if (program == "messages") {
        print "size", "ns"
        for (i = 1; i <= ns; i++) printf "%d\t%.3f\n", s[i], message(s[i]) / 1000
    } else if (program == "collective") {
        printf "nodes\tsize\tns\n%d\t16\t%.3f\n", nodes, nodes * message(16)
    } else if (program == "puts") {
        print "size", "result"
        for (i = 1; i <= ns; i++) printf "%d\t%.6g\n", s[i], latency ? way(s[i]) : rate(s[i])
    } else if (program == "updates") {
        printf "PEs\tmillion updates/s\n%d\t%.6g\n", nodes, updates()
    } else if (program == "reduce") {
        printf "nodes\tdelay\treduction\n%d\t%d\t%.3f\n", nodes, delays,
               reduction() / 1000 + delays / 10
    } else if (program == "atomic") {
        printf "operation\n%.3f\n", operation() / 1000
    } else if (program == "lock") {
        printf "contenders\tturn\n%s\t%.3f\n", every computed, operation() / 500
    } else if (program == "bypass") {
        print "nodes", "size", "handler", "with delay", "in call"
        for (i = 1; i <= ns; i++) {
            t = bypass ? p["call.collective"] / 1000 + s[i] : 150000
            printf "%d\t%d\t%.3f\t%.3f\t%.3f\n", nodes, s[i], handler(s[i]) / 1000,
                   t + handler(s[i]) / 1000, t
        }
    } else if (program == "multicast") {
        print "nodes", "latency", "bytes", "calls", "there", "answered"
        for (i = 1; i <= ns; i++) {
            t = p["call.send_before"] + bytes("bus.pio_byte", s[i])
            n = t + (nodes - 1) * (p["tx.start"] + bytes("tx.byte", s[i]))
            printf "%d\t0\t%d\t%.3f\t%.3f\t%.3f\n", nodes, s[i], t / 1000, n / 1000, n / 900
        }
    } else if (program == "barrier") {
        print "nodes", "computation", "turn"
        n = list(computed, q)
        for (i = 1; i <= n; i++)
            printf "%d\t%d\t%.3f\n", nodes, q[i], q[i] + barrier() / 1000
    } else if (times) {
        print "size", "call", "called", "returned"
        calls()
    } else {
        print "size", "ns"
        for (i = 1; i <= ns; i++) printf "%d\t%.3f\n", s[i], words(s[i]) / 1000
    }
}' "${TMPDIR:-/tmp}/toy.$$"
code=$?
rm -f "${TMPDIR:-/tmp}/toy.$$"
exit $code
