# table.awk: results of doc/bench, lines "round implementation row value", as a table of all rows:
# medians, which peer is better, and the median of the ratios to it within each round.
# -v impls="ours PEER..." -v goals=FILE
function read_goals(    line, part) {
    while ((getline line < goals) > 0) {
        if (line ~ /^#/ || split(line, part, " ") != 2) continue
        goal_row[++n_goals] = part[1]; goal_of[n_goals] = part[2]
    }
}
function goal(row,    i, stem) {
    for (i = 1; i <= n_goals; i++) {
        stem = goal_row[i]
        if (stem == row) return goal_of[i]
        if (sub(/[*]$/, "", stem) && substr(row, 1, length(stem)) == stem)
            return goal_of[i]
    }
    return "1.00"
}
function sort(a, n,    i, j, t) {
    for (i = 2; i <= n; i++) {
        t = a[i]
        for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]
        a[j + 1] = t
    }
}
function median(a, n) {
    if (!n) return ""
    sort(a, n)
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
function median_of(impl, row,    i, n, a) {
    for (i = 1; i <= rounds; i++) if ((impl, row, i) in value) a[++n] = value[impl, row, i]
    return median(a, n)
}
function ratio(impl, other, row, other_row,    i, n, a) {
    for (i = 1; i <= rounds; i++)
        if ((impl, row, i) in value && (other, other_row, i) in value &&
            value[other, other_row, i] > 0)
            a[++n] = value[impl, row, i] / value[other, other_row, i]
    return median(a, n)
}
function shown(x) {
    return x == "" ? "-" : sprintf(x >= 100 ? "%.0f" : "%.2f", x)
}
# Ours beside the faster of two rings without MPI that are as short as can be.
function bare(    size, i, row, best, other) {
    for (size = 8; size <= 4096; size *= size == 8 ? 8 : 4) {
        row = "half-round-trip/" size "/ns"
        best = "inbox-short/" size "/ns"; other = "lane-short/" size "/ns"
        if (!(row in seen) || !(best in floor_seen)) continue
        for (i = 1; i <= rounds; i++) {
            lane = value["floor", other, i]
            if (lane > 0 && lane < value["floor", best, i]) value["floor", best, i] = lane
        }
        printf "%s bytes over a bare short ring of the same round: %s (goal 1.25)\n", size,
               shown(ratio("ours", "floor", row, best))
    }
    for (size = 65536; size <= 4194304; size *= 4) {
        row = "half-round-trip/" size "/ns"; best = "two-copies/" size "/ns"
        if (row in seen && best in floor_seen)
            printf "%s bytes over two bare processes that copy: %s\n", size,
                   shown(ratio("ours", "floor", row, best))
    }
}
{
    value[$2, $3, $1] = $4
    if ($1 > rounds) rounds = $1
    if ($2 == "floor") {
        if (!($3 in floor_seen)) floors[++n_floors] = $3
        floor_seen[$3] = 1
    }
    else if (!($3 in seen)) { rows[++n_rows] = $3; seen[$3] = 1 }
}
END {
    n = split(impls, name, " ")
    read_goals()
    printf "| row | unit |"; for (i = 1; i <= n; i++) printf " %s |", name[i]
    print " ours / better peer | goal | rounds |"
    printf "|---|---|"; for (i = 1; i <= n; i++) printf "---|"; print "---|---|---|"
    for (r = 1; r <= n_rows; r++) {
        split(rows[r], part, "/"); best = ""; peer = ""
        printf "| %s, %s | %s |", part[1], part[2], part[3]
        for (i = 1; i <= n; i++) {
            m = median_of(name[i], rows[r]); printf " %s |", shown(m)
            if (name[i] == "ours" || m == "") continue
            if (best == "" || m < best) { best = m; peer = name[i] }
        }
        to_peer = shown(ratio("ours", peer, rows[r], rows[r]))
        printf " %s |", peer == "" ? "-" : to_peer " of " peer
        printf " %s |", goal(rows[r])
        if (peer != "") { held += to_peer <= goal(rows[r]) + 0; compared++ }
        c = 0; for (i = 1; i <= rounds; i++) if (("ours", rows[r], i) in value) c++
        print " " c " |"
    }
    printf "\n%d of %d rows are at their goal.\n", held, compared
    print "\n| what the machine allows | unit | median |\n|---|---|---|"
    for (r = 1; r <= n_floors; r++) {
        split(floors[r], part, "/")
        allows = shown(median_of("floor", floors[r]))
        printf "| %s, %s | %s | %s |\n", part[1], part[2], part[3], allows
    }
    bare()
    zero = "half-round-trip/0/ns"
    if (zero in seen) {
        printf "\n0-byte half round trip over the cache-line hand-off of the same round: "
        print shown(ratio("ours", "floor", zero, "hand-off/one-way/ns")) " (median)"
    }
}
