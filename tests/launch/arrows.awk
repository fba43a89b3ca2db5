# arrows.awk: of a file of --trace, what is wrong with its arrows, and -v count=N unless there are N
# of messages; -v from=R, -v to=R: of those from that rank to this one; -v slack=US: how much sooner
# an end may be than its beginning, 0.0011 if not said.
function field(name,    rest) {
    if (!match($0, "\"" name "\":\"?[^,}\"]*")) return ""
    rest = substr($0, RSTART, RLENGTH)
    sub(/^[^:]*:"?/, "", rest)
    return rest
}
/"ph":"s"/ {
    id = field("id")
    if (id in begun) print "begins twice: " $0
    begun[id] = field("ts") + 0; rank[id] = field("pid"); kind[id] = field("name")
}
/"ph":"f"/ {
    id = field("id")
    if (id in ended) print "ends twice: " $0
    ended[id] = field("ts") + 0; peer[id] = field("pid")
}
END {
    for (id in begun) {
        if (!(id in ended)) { print "no end: " id; continue }
        if (ended[id] + (slack == "" ? 0.0011 : slack) < begun[id])
            print "ends before it begins: " id
        if (kind[id] == "message" && (from == "" || from == rank[id]) && (to == "" \
            || to == peer[id])) found++
        if (kind[id] == "packet") packets++
    }
    for (id in ended) if (!(id in begun)) print "no beginning: " id
    if (count != "" && found + 0 != count) print found + 0 " arrows, not " count
    if (wants_packets && !packets) print "no packets"
}
