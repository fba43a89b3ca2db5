# plot.awk: sweep.tsv as a plot of gnuplot, data in it: lines over one key, a heat map of two, and
# with more keys a line for each combination of the others.  keys: how many; axis: of the figure.
# Part of nicsweep, in whose text it stands between single quotes.

function words(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }

# The number that a value is, in the unit of its kind; false: it is none, or of another kind than
# those before.
function number_of(k, value,    unit) {
    if (!match(value, /^[0-9]+(\.[0-9]+)?/)) return 0
    number = substr(value, 1, RLENGTH) + 0
    unit = substr(value, RLENGTH + 1)
    if (unit in scale) { number *= scale[unit]; unit = of[unit] }
    if (unit == "" && number == 0) return 1
    if (!(k in kind)) kind[k] = unit
    return kind[k] == unit
}
function note(k, value) {
    if ((k, value) in at) return
    at[k, value] = count[k]++
    text[k, at[k, value]] = value
    if (number_of(k, value)) x[k, value] = number
    else named[k] = 1
}
# Values stand at their numbers if these leave room for all, else one beside the other.
function place(k,    i, gap, least, low, high) {
    for (i = 0; i < count[k]; i++) {
        if (named[k]) continue
        if (i && (gap = x[k, text[k, i]] - x[k, text[k, i - 1]]) <= 0) named[k] = 1
        if (i && (i == 1 || gap < least)) least = gap
    }
    low = x[k, text[k, 0]]; high = x[k, text[k, count[k] - 1]]
    beside[k] = named[k] || keys == 2 || count[k] < 2 || least < (high - low) / 40
    for (i = 0; i < count[k]; i++)
        where[k, text[k, i]] = beside[k] ? i : \
            (x[k, text[k, i]] - low) / (high - low) * (count[k] - 1)
}
# At most some fifteen of the values, so that they can be read.
function tics(k,    i, list, last) {
    last = -1e9
    for (i = 0; i < count[k]; i++)
        if (where[k, text[k, i]] - last >= (count[k] - 1) / 15 - 1e-9) {
            last = where[k, text[k, i]]
            list = list (list == "" ? "" : ", ") words(text[k, i]) " " last
        }
    return list
}
function label(k) {
    return words(key[k] (beside[k] && !named[k] && keys != 2 ? " (not to scale)" : ""))
}
function short(value) {
    if (value >= 1e7) return sprintf("%.4gM", value / 1e6)
    if (value >= 1e4) return sprintf("%.4gk", value / 1e3)
    return sprintf("%.4g", value)
}
function grid(    i, row, f, cell, text_of) {
    cell = "$cells using 1:($3"
    text_of = "? $2 : NaN):4 with labels tc rgb \"#"
    for (i = 1; i <= rows; i++) {
        split(line[i], f, "\t")
        row = row where[1, f[1]] " " where[2, f[2]] " " f[3] " " short(f[3]) "\n"
    }
    print "set ytics (" tics(2) ") noenhanced\nset ylabel " label(2) " noenhanced"
    print "set xrange [-0.5:" count[1] - 0.5 "]\nset yrange [-0.5:" count[2] - 0.5 "]"
    print "unset key; set rmargin at screen 0.8; set tics scale 0"
    print "set cblabel " words(axis) " noenhanced offset 1"
    if (high >= 1e4) print "set format cb \"%.0s%c\""
    print "set palette defined (0 \"#eaf2ff\", 1 \"#3b7ddd\", 2 \"#16335f\")"
    print "$cells << EOD\n" row "EOD"
    printf "plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid fc palette"
    # What is in a cell, if it has room: white where the map is dark.
    if (count[1] <= 12 && count[2] <= 16)
        printf ", \\\n    %s <= %s %s%s\", \\\n    %s > %s %s%s\"", cell, middle, text_of,
            "1c2430", cell, middle, text_of, "ffffff"
    print ""
}
function lines(    i, k, f, name, names, list, points, room) {
    for (i = 1; i <= rows; i++) {
        split(line[i], f, "\t")
        name = ""
        for (k = 2; k <= keys; k++) name = name (name == "" ? "" : ", ") key[k] " " f[k]
        if (!(name in points)) list[++names] = name
        points[name] = points[name] where[1, f[1]] " " f[keys + 1] "\n"
    }
    room = count[1] > 1 ? (count[1] - 1) / 25 : 0.5
    print "set xrange [" (-room) ":" count[1] - 1 + room "]"
    print "set ylabel " words(axis) " noenhanced\nset yrange [" (low < 0 ? "*" : 0) ":*]"
    print "set grid ytics lc rgb \"#d9dee6\""
    print "set border 3; set tics nomirror"
    print keys < 3 ? "unset key" : \
        "set key outside below center noenhanced; set xlabel offset 0,0.4"
    for (i = 1; i <= names; i++) print "$line" i " << EOD\n" points[list[i]] "EOD"
    printf "plot "
    for (i = 1; i <= names; i++)
        printf "%s$line%d using 1:2 with linespoints lw 2 pt 7 ps 0.7 lc %d title %s",
            (i > 1 ? ", \\\n    " : ""), i, i, words(list[i])
    print ""
}
BEGIN {
    FS = "\t"
    units()
}
NR == 1 { for (k = 1; k <= keys; k++) key[k] = $k; next }
{
    line[++rows] = $0
    for (k = 1; k <= keys; k++) note(k, $k)
    if (rows == 1 || $NF + 0 < low) low = $NF + 0
    if (rows == 1 || $NF + 0 > high) high = $NF + 0
}
END {
    middle = low + (high - low) * 0.45
    for (k = 1; k <= keys; k++) place(k)
    print "set xtics (" tics(1) ") noenhanced\nset xlabel " label(1) " noenhanced"
    if (keys == 2) grid()
    else lines()
}
