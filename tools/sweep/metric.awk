# metric.awk: the figure of a run, "= NUMBER", or a line of why there is none.  metric: which;
# reads what the run printed (column:NAME) or what mpirun --explain-file wrote (all others).
# Part of nicsweep, in whose text it stands between single quotes.

# -- sorting, the least first

function swap(i, j,    t) { t = total[i]; total[i] = total[j]; total[j] = t }
function sift(i, last,    c) {
    for (; (c = 2 * i) <= last; i = c) {
        if (c < last && total[c + 1] > total[c]) c++
        if (total[i] >= total[c]) return
        swap(i, c)
    }
}
function sort(n,    i) {
    for (i = int(n / 2); i > 0; i--) sift(i, n)
    for (i = n; i > 1; i--) { swap(1, i); sift(1, i - 1) }
}

# -- which: n latencies are there, the longest of all

function latency(which, n, all, what,    k) {
    if (!all) return "there are no " what
    if (which == "max") { sort(n); return sprintf("= %.3f", total[n]) }
    if (which == "mean" && n < all)
        return all " " what " are too many for a mean: at most " most
    if (which == "mean") return sprintf("= %.3f", sum / n)
    k = substr(which, 2) / 100 * all
    k = k > int(k) ? int(k) + 1 : int(k)
    if (k < 1) k = 1
    k -= all - n
    if (k < 1) return all " " what " are too many for " which ": at most " most \
        " below the longest"
    sort(n)
    return sprintf("= %.3f", total[k])
}

function of_explain(    what, which) {
    what = metric; sub(/:.*/, "", what)
    which = metric; sub(/^[^:]*:/, "", which)
    if (!ranks) return "it did not end with MPI_Finalize"
    if (what == "time") return sprintf("= %.6f", end / 1e6)
    if (what == "busy") return sprintf("= %.4f", end ? 100 * busy / (ranks * end) : 0)
    if (what == "own" && !own) return "the program declares no key \"" which "\" in cycles"
    if (what == "own") return sprintf("= %.3f", charged / 1000)
    if (what == "latency") return latency(which, n, all, "messages")
    if (lines >= most)
        return "too many one-sided operations and messages: at most " most
    return latency(which, n, n, "one-sided operations")
}

# -- a column below its heading

function of_column() {
    if (!n) return "it prints no column \"" heading "\""
    if (which == "mean") last = sum / n
    if (which == "min") last = least
    if (which == "max") last = greatest
    return sprintf("= %.9g", last)
}

BEGIN {
    most = 100000
    column = metric ~ /^column:/
    kind = metric ~ /^one-sided:/ ? "one-sided" : "message"
    unit = metric ~ /^busy:/ ? substr(metric, 6) : ""
    heading = substr(metric, 8); which = "mean"
    if (match(heading, /:(mean|min|max|last)$/)) {
        which = substr(heading, RSTART + 1); heading = substr(heading, 1, RSTART - 1)
    }
    if (!column) FS = "\t"
}
column {
    line = $0; sub(/^#?[ \t]*/, "", line); sub(/\r$/, "", line)
    fields = split(line, f, index($0, "\t") ? "\t" : "[ \t]+")
    for (i = 1; i <= fields; i++) if (f[i] == heading) { at = i; next }
    if (at && f[at] ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/) {
        last = f[at] + 0; n++; sum += last
        if (n == 1 || last < least) least = last
        if (n == 1 || last > greatest) greatest = last
    }
    next
}
/^#/ { for (i = 1; i <= NF; i++) at_name[$i] = i; next }
$1 == "message" || $1 == "one-sided" || $1 == "collective" { lines++ }
$1 == kind { total[++n] = $at_name["total"] / 1000; sum += total[n] }
$1 == "own" && "own:" $at_name["name"] == metric {
    charged += $at_name["time"]; own++
}
$1 == "rank" {
    ranks++; end = $at_name["end"]; all += $at_name["messages"]
    if (unit != "") busy += $at_name[unit]
}
END { print column ? of_column() : of_explain() }
