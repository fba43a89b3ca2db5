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

for profile in redstorm-alpu fpga-scratchpad ideal; do
    bin/nicinfo --tsv $profile | awk -F'\t' -v p=$profile '
        $5 ~ /^cal / {
            split($5, w, /[ :]/)
            split($2, v, " ")
            print p, $1, w[2], v[2]
        }'
done | sort >"$work/in.profiles"
awk -F'\t' '
    /^#/ { next }
    {
        n = split($4, keys, " ")
        for (i = 1; i <= n; i++) { sub(/=.*/, "", keys[i]); print $2, keys[i], $1, $3 }
    }' "$tools/cal.tsv" | sort >"$work/in.cal"
columns='profile, key, row, unit'
diff "$work/in.profiles" "$work/in.cal" ||
    fail "the numbers that profiles call cal (<) are not those of cal.tsv (>): $columns"
awk -F'\t' '!/^#/ && $5 == "cal" { print $1 }' "$tools/rows.tsv" | sort >"$work/rows"
awk '{ print $3 }' "$work/in.cal" | sort -u | diff "$work/rows" - ||
    fail 'the rows marked cal (<) are not those of cal.tsv (>)'
awk -F'\t' '!/^#/ && NF != 6' "$tools/rows.tsv" | grep . && fail 'a row without six columns'
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

while read -r row; do
    awk -F'\t' -v r="$row" '
        BEGIN { OFS = FS }
        $1 == r { $6 *= 1.03 }
        { print }' "$tools/rows.tsv" >"$work/moved.rows"
    calibrate moved "$work/moved.rows" "$tools/cal.tsv" || {
        cat "$work/moved.err"
        fail "row $row moved by 3 % broke it"
    }
    grep " $row\$" "$work/plain" >"$work/before"
    grep " $row\$" "$work/moved" | cmp -s - "$work/before" &&
        fail "row $row moved by 3 %, and its number did not"
done <"$work/rows"

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
        awk -F'\t' -v p="$profile" '$5 ~ /^paper/ { print p "\t" $1 "\t" $2 }'
done <"$work/stated" | sort >"$work/in.profiles"
grep -v '^#' "$tools/inputs.tsv" | sort | diff "$work/in.profiles" - ||
    fail "the numbers that profiles call the paper's (<) are not those of inputs.tsv (>)"

# -- what it finds is what the profiles say

if ! bin/mpirun --model redstorm-alpu -n 1 true >/dev/null 2>&1; then
    echo 'this mpirun has no model clock: profiles not compared with what calibration finds'
    exit 0
fi
# What an adopted profile says is what calibration finds, half a per cent apart at most.
while read -r profile; do
    awk -F'\t' -v p="$profile" '$2 == p' "$tools/cal.tsv" >"$work/one.cal"
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
awk -F'\t' '!/^#/ { print $2 }' "$tools/cal.tsv" | sort -u | comm -23 - "$tools/adopted" |
    sed 's/$/: its numbers are estimates, nothing was adopted yet/'
