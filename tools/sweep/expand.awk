# expand.awk: KEY=VALUES becomes a line "KEY VALUE" for each value; 0,64,128:512:128.
# Part of nicsweep, in whose text it stands between single quotes.
function bad(text) {
    print "nicsweep: --sweep " $0 ": " text >"/dev/stderr"
    failed = 1
    exit 1
}
# Units that this does not know have to be the same.
function factor(u) { return u in scale ? scale[u] : 1 }
# A number and its unit; false: it is none.
function read(text) {
    if (!match(text, /^[0-9]+(\.[0-9]+)?/)) return 0
    number = substr(text, 1, RLENGTH) + 0
    unit = substr(text, RLENGTH + 1)
    return 1
}
function put(value) {
    if (value in told) return
    told[value] = 1
    print key, value
}
function range(text,    part, p, x, step, many, k) {
    if (split(text, part, ":") != 3) bad(text ": a range is FIRST:LAST:STEP")
    for (p = 1; p <= 3; p++) {
        if (!read(part[p])) bad(part[p] ": no number")
        if (unit != "") united++
        else if (number) bare++
        dimension = unit in of ? of[unit] : unit
        if (unit != "" && before != "" && dimension != before)
            bad(text ": units of different things")
        if (unit != "") before = dimension
        x[p] = number * factor(unit)
        if (p == 3) step = unit
    }
    if (united && bare) bad(text ": some numbers have a unit, some have none")
    if (x[3] <= 0) bad(text ": the step must be above 0")
    if (x[2] < x[1]) bad(text ": the last is below the first")
    many = int((x[2] - x[1]) / x[3] + 1e-9)
    if (many > 10000) bad(text ": more than 10000 values")
    for (k = 0; k <= many; k++) put(sprintf("%.15g%s", (x[1] + k * x[3]) / factor(step), step))
}
BEGIN { units() }
{
    at = index($0, "="); key = substr($0, 1, at - 1)
    if (!at || key !~ /^[a-z]+\.[A-Za-z_0-9]+$/) bad("must be SECTION.KEY=VALUES")
    items = split(substr($0, at + 1), item, ",")
    if (!items) bad("no values")
    for (i = 1; i <= items; i++) {
        if (item[i] == "") bad("an empty value")
        before = ""; united = bare = 0
        if (index(item[i], ":")) range(item[i])
        else put(item[i])
    }
}
END { exit failed }
