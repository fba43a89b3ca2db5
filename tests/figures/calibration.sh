#!/bin/sh
# No number in a profile is fitted to a row that is not for that.  A profile calls a number `cal
# ROW` if and only if cal.tsv has the key for that row and rows.tsv marks the row; calibration reads
# no other row, and does read that one; what it finds on the model clock is what the profile says;
# and what a profile calls the paper's is in inputs.tsv.  Runs in the build folder.
set -u
top=$(cd "${srcdir:-.}" && pwd) || exit 1
tools=$top/tools/figures
toy=$top/tests/figures/toy_mpirun.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
TMPDIR=$work
export TMPDIR

fail() { echo "calibration: $*"; exit 1; }

# -- profiles, cal.tsv and rows.tsv agree

# Of those in cal.tsv, and the one that has no paper; what is told before its profile is written
# has nothing to agree with yet.
cut -f 2 "$tools/cal.tsv" | grep -v '^#' | tr ',' '\n' | sort -u >"$work/profiles"
while read -r profile; do
    bin/nicinfo "$profile" >/dev/null 2>&1 && echo "$profile"
done <"$work/profiles" >"$work/there"
for profile in $(cat "$work/there") ideal; do
    # what is other for some ranks by their clock alone is written as it is for all
    bin/nicinfo --tsv "$profile" | awk -F'\t' -v p="$profile" '
        { key = $1 }
        sub(/^ranks [0-9-]+ /, "", key) { if (written[key] == $2) next }
        { written[$1] = $2 }
        $5 ~ /^cal / {
            split($5, w, /[ :]/)
            split($2, v, " ")
            print p, $1, w[2], v[2]
        }'
done | sort >"$work/in.profiles"
awk -F'\t' '
    /^#/ { next }
    {
        m = split($2, profiles, ",")
        n = split($4, keys, " ")
        for (i = 1; i <= n; i++) {
            sub(/=.*/, "", keys[i])
            for (j = 1; j <= m; j++) print profiles[j], keys[i], $1, $3
        }
    }' "$tools/cal.tsv" | sort >"$work/all.cal"
awk 'NR == FNR { there[$1]; next } $1 in there' "$work/there" "$work/all.cal" >"$work/in.cal"
columns='profile, key, row, unit'
diff "$work/in.profiles" "$work/in.cal" ||
    fail "the numbers that profiles call cal (<) are not those of cal.tsv (>): $columns"
awk -F'\t' '!/^#/ && $5 == "cal" { print $1 }' "$tools/rows.tsv" | sort >"$work/rows"
awk '{ print $3 }' "$work/all.cal" | sort -u | diff "$work/rows" - ||
    fail 'the rows marked cal (<) are not those of cal.tsv (>)'
awk -F'\t' '!/^#/ && NF != 7' "$tools/rows.tsv" | grep . && fail 'a row without seven columns'
standings='cal input identity interpolation leaning prediction'
awk -F'\t' -v all="$standings" '
    BEGIN { n = split(all, name, " "); for (i = 1; i <= n; i++) is[name[i]] }
    !/^#/ && (!($7 in is) || ($5 == "cal") != ($7 == "cal"))' "$tools/rows.tsv" | grep . &&
    fail 'a row whose standing is none, or cal and not marked so'
awk -F'\t' '!/^#/ { print $1 }' "$tools/rows.tsv" | sort | uniq -d | grep . && fail 'a row twice'

# -- calibration reads the rows marked cal and no others

# calibrate NAME ROWS CAL: with the toy in place of the model.
calibrate() {
    FIGURES_ROWS=$2 FIGURES_CAL=$3 FIGURES_MPIRUN=$toy \
        sh "$tools/calibrate.sh" "$PWD" "$work/$1.data" >"$work/$1" 2>"$work/$1.err"
}
calibrate plain "$tools/rows.tsv" "$tools/cal.tsv" || {
    cat "$work/plain.err"
    fail 'it does not come to an end'
}
[ "$(wc -l <"$work/plain")" -eq "$(wc -l <"$work/in.cal")" ] || fail 'it did not find every key'

awk -F'\t' '
    BEGIN { OFS = FS }
    !/^#/ && $5 != "cal" && $6 != "holds" { $6 = $6 * 1.7 + 3 }
    { print }' "$tools/rows.tsv" >"$work/other.rows"
calibrate other "$work/other.rows" "$tools/cal.tsv" || fail 'other predictions broke it'
cmp -s "$work/plain" "$work/other" || fail 'a row that is not marked cal has changed what it finds'

# Those that share a profile with it are enough: others' numbers do not hang on it.
awk '{ print $3 }' "$work/in.cal" | sort -u >"$work/rows.there"
while read -r row; do
    awk -F'\t' -v r="$row" '
        BEGIN { OFS = FS }
        $1 == r { $6 *= 1.005 }
        { print }' "$tools/rows.tsv" >"$work/moved.rows"
    awk -F'\t' -v r="$row" '
        NR == FNR && $1 != r { next }
        { n = split($2, profile, ",") }
        NR == FNR { for (i = 1; i <= n; i++) its[profile[i]]; next }
        { for (i = 1; i <= n; i++) if (profile[i] in its) { print; next } }
        ' "$tools/cal.tsv" "$tools/cal.tsv" >"$work/near.cal"
    calibrate moved "$work/moved.rows" "$work/near.cal" || {
        cat "$work/moved.err"
        fail "row $row moved by half a per cent broke it"
    }
    grep " $row\$" "$work/plain" >"$work/before"
    grep " $row\$" "$work/moved" >"$work/after" || fail "row $row moved, and is calibrated no more"
    cmp -s "$work/after" "$work/before" &&
        fail "row $row moved by half a per cent, and its number did not"
done <"$work/rows.there"

printf 'A3\tredstorm-alpu\tns\tnic.append=1\n' >"$work/wrong.cal"
calibrate wrong "$tools/rows.tsv" "$work/wrong.cal" &&
    fail 'a row that is not marked cal was taken for calibration'
grep -q 'row A3 is not marked cal' "$work/wrong.err" ||
    fail 'it does not name the row that is not marked cal'
printf 'A5\tredstorm-alpu\tns\tbus.latency=1\n' >"$work/wrong.cal"
calibrate wrong "$tools/rows.tsv" "$work/wrong.cal" &&
    fail 'a key without influence on its row was taken'

# -- what profiles call the paper's is the paper's

awk -F'\t' '!/^#/ { print $1 }' "$tools/inputs.tsv" | sort -u >"$work/stated"
while read -r profile; do
    bin/nicinfo --tsv "$profile" |
        awk -F'\t' -v p="$profile" '
            match($5, /^(paper|derived)/) {
                print p "\t" $1 "\t" $2 "\t" substr($5, 1, RLENGTH)
            }'
done <"$work/stated" | sort >"$work/in.profiles"
grep -v '^#' "$tools/inputs.tsv" | cut -f 1-4 | sort | diff "$work/in.profiles" - ||
    fail "the numbers that profiles call the paper's (<) are not those of inputs.tsv (>)"
awk -F'\t' '!/^#/ && ($5 == "" || length($5) > 60 || ($4 == "derived") != (NF == 6))' \
    "$tools/inputs.tsv" | grep . &&
    fail 'an input without words of its sentence, with too many, or derived without a sum'

# quotes.sh finds words of a text whatever its white space and marks, and misses those that are not.
mkdir "$work/texts"
printf 'It was\n  *simulated* with a\t20\\_ns delay, we say.\n' >"$work/texts/alpu-brightwell.txt"
printf 'redstorm-alpu\tbus.latency\t20 ns\tpaper\t%s\n' 'simulated with a 20_ns delay' >"$work/one"
FIGURES_INPUTS=$work/one sh "$tools/quotes.sh" "$work/texts" >"$work/said" ||
    fail 'quotes.sh does not find what is there'
sed 's/20_ns/30_ns/' "$work/one" >"$work/two"
FIGURES_INPUTS=$work/two sh "$tools/quotes.sh" "$work/texts" >"$work/said" &&
    fail 'quotes.sh finds what is not there'
grep -q 'bus.latency' "$work/said" || fail 'quotes.sh does not say what it misses'

# -- what it finds is what the profiles say

if ! bin/mpirun --model redstorm-alpu -n 1 true >/dev/null 2>&1; then
    echo 'this mpirun has no model clock: profiles not compared with what calibration finds'
    exit 0
fi
# What an adopted profile says is what calibration finds, half a per cent apart at most.
while read -r profile; do
    awk -F'\t' -v p="$profile" '$2 ~ "(^|,)" p "(,|$)"' "$tools/cal.tsv" >"$work/one.cal"
    FIGURES_CAL=$work/one.cal sh "$tools/calibrate.sh" "$PWD" "$work/data" >"$work/found" ||
        fail "$profile: it does not come to an end on the model clock"
    while read -r name assignment row; do
        key=${assignment%%=*} found=${assignment#*=}
        said=$(bin/nicinfo --tsv "$name" | awk -F'\t' -v k="$key" '$1 == k { print $2 }')
        awk -v a="$found" -v b="$said" 'BEGIN {
            a += 0
            b += 0
            exit !(a >= 0.995 * b && a <= 1.005 * b) }' ||
            fail "$name says $key = $said, calibration on row $row finds $found;" \
                'tools/figures/adopt.sh takes it over'
    done <"$work/found"
done <"$tools/adopted"
sort -u "$work/there" | comm -23 - "$tools/adopted" |
    sed 's/$/: its numbers are estimates, nothing was adopted yet/'
