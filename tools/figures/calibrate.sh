#!/bin/sh
# calibrate.sh: finds the numbers that profiles call `cal`, from the rows of rows.tsv that are
# marked so and the papers' parameters, which are the rest of the profile.  No other row is read:
# only those marked `cal` get past the first step.
#
# usage: sh calibrate.sh BUILD DATA >FOUND         with FIGURES_ROWS, FIGURES_CAL, FIGURES_MPIRUN in
# place of the usual ones
#
# Writes lines "PROFILE KEY=VALUE ROW"; the first two words are for --set. Exit code 1 if a row
# cannot be reached.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
build=$1 data=$2
mkdir -p "$data" || exit 1
data=$(cd "$data" && pwd) build=$(cd "$build" && pwd) || exit 1
sets=$data/calibration.sets
candidate=$data/candidate.sets
targets=$data/targets.tsv
: >"$sets"

awk -F'\t' '!/^#/ && $5 == "cal" { print $1 "\t" $6 }' "${FIGURES_ROWS:-$here/rows.tsv}" >"$targets"
grep -v '^#' "${FIGURES_CAL:-$here/cal.tsv}" >"$data/unknowns.tsv"
# shellcheck source=tools/figures/measure.sh
. "$here/measure.sh"

target() { awk -F'\t' -v r="$1" '$1 == r { print $2 }' "$targets"; }

# assignments X PROFILE UNIT KEYS ROW: one line per key, five digits.
assignments() {
    for weighted in $4; do
        key=${weighted%%=*} weight=${weighted#*=}
        awk -v x="$1" -v w="$weight" -v p="$2" -v u="$3" -v k="$key" -v r="$5" 'BEGIN {
            v = sprintf("%.5g", x * w); if (v ~ /e/) v = sprintf("%.9f", x * w)
            print p, k "=" v u, r }'
    done
}

# The unknown as it stands: in what was found, else in the profile.
present() {
    key=${3%%=*} weight=${3#*=} weight=${weight%% *}
    # shellcheck disable=SC2046 # words
    "$build/bin/nicinfo" --tsv $(set_options "$1" '') "$1" |
        awk -F'\t' -v k="$key" -v w="$weight" '$1 == k { print $2 / w }'
}

# try X: the row's value with the unknown at X.
try() {
    {
        grep -v " $row\$" "$found"
        assignments "$1" "$profile" "$unit" "$keys" "$row"
    } >"$candidate"
    sets=$candidate
    "row_$row"
}

close_enough() {
    awk -v a="$1" -v b="$2" 'BEGIN {
        d = a - b
        if (d < 0) d = -d
        exit !(d <= 0.0005 * b) }'
}

# Times grow along straight lines, so the secant is there in two steps or three.
solve() {
    x=$(present "$profile" "$unit" "$keys") wanted=$(target "$row")
    f=$(try "$x") || return 1
    next=$(awk -v x="$x" 'BEGIN { print (x > 0 ? x * 1.1 : 1) }')
    for _ in 1 2 3 4 5 6 7 8; do
        close_enough "$f" "$wanted" && break
        g=$(try "$next") || return 1
        set -- "$(awk -v x="$x" -v y="$next" -v f="$f" -v g="$g" -v t="$wanted" 'BEGIN {
            z = f == g ? -1 : y + (t - g) * (y - x) / (g - f); printf "%.7g", z }')"
        x=$next f=$g next=$1
        awk -v z="$next" 'BEGIN { exit !(z < 0) }' && {
            echo "calibrate: row $row: $keys cannot make $f into $wanted" >&2
            return 1
        }
    done
    close_enough "$f" "$wanted" || {
        echo "calibrate: row $row: $keys: stuck at $f, should be $wanted" >&2
        return 1
    }
    assignments "$x" "$profile" "$unit" "$keys" "$row"
}

found=$data/found.sets
: >"$found"
tab=$(printf '\t')
for sweep in 1 2 3; do
    moved=
    while IFS=$tab read -r row profile unit keys; do
        [ -n "$(target "$row")" ] || { echo "calibrate: row $row is not marked cal" >&2; exit 1; }
        sets=$found
        if [ "$sweep" -gt 1 ] && close_enough "$("row_$row")" "$(target "$row")"; then continue; fi
        moved=yes
        new=$(solve) || exit 1
        { grep -v " $row\$" "$found"; printf '%s\n' "$new"; } >"$found.new"
        mv "$found.new" "$found"
    done <"$data/unknowns.tsv"
    [ "$moved" ] || break
done
cp "$found" "$data/calibration.sets"
cat "$found"
