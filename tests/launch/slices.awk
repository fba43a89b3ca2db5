# slices.awk: of a file of --trace a line "rank track begin end name" for each
# slice, in ps, and for each end of an arrow, which "~" puts behind slices of the same time,
# "rank track time time ~arrow".
function field(name,    rest) {
    if (!match($0, "\"" name "\":\"?[^,}\"]*")) return ""
    rest = substr($0, RSTART, RLENGTH)
    sub(/^[^:]*:"?/, "", rest)
    return rest
}
function ps(text,    part) {
    if (text !~ /^[0-9]+\.[0-9][0-9][0-9]([0-9][0-9][0-9])?$/)
        print "wrong time: " $0 >"/dev/stderr"
    split(text, part, ".")
    return part[1] * 1000000 + (length(part[2]) == 3 ? 1000 : 1) * part[2]
}
function put(begin, end, what) {
    printf "%s %s %.0f %.0f %s\n", field("pid"), field("tid"), begin, end, what
}
/"ph":"X"/ {
    begin = ps(field("ts"))
    name = field("name")
    gsub(/ /, "_", name)
    put(begin, begin + ps(field("dur")), name)
}
/"ph":"[sf]"/ { at = ps(field("ts")); put(at, at, "~arrow") }
