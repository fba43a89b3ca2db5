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

# assignments X PROFILES UNIT KEYS ROW: one line per profile and key, five digits or what a profile
# says.
assignments() {
    for weighted in $4; do
        key=${weighted%%=*} weight=${weighted#*=}
        awk -v x="$1" -v w="$weight" -v p="$2" -v u="$3" -v k="$key" -v r="$5" 'BEGIN {
            v = sprintf("%.6g", x * w); if (v ~ /e/) v = sprintf("%.9f", x * w)
            if (u == "ns") v = sprintf("%.3f", x * w)       # whole picoseconds
            n = split(p, profile, ",")
            for (i = 1; i <= n; i++) print profile[i], k "=" v u, r }'
    done
}

# The unknown as it stands: in what was found, else in the profile.
present() {
    key=${3%%=*} weight=${3#*=} weight=${weight%% *} of=${1%%,*}
    # shellcheck disable=SC2046 # words
    "$build/bin/nicinfo" --tsv $(set_options "$of" '') "$of" |
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

# -- rows that hang on several unknowns: Newton's method, slopes by differences

# values X...: of the group's rows, with its unknowns at X...
# shellcheck disable=SC2013 # names of rows are words
values() {
    {
        grep -vE " ($names)\$" "$found"
        printf '%s\n' "$@" | paste "$group" - | while IFS=$tab read -r row profile unit keys _ x; do
            assignments "$x" "$profile" "$unit" "$keys" "$row"
        done
    } >"$candidate"
    sets=$candidate
    for name in $(cut -f 1 "$group"); do "row_$name" || return 1; done | tr '\n' ' '
}
# From lines of the unknowns, their differences, the wanted values, the present ones, and those with
# one unknown after the other changed: the next unknowns.
newton() {
    awk '
        { for (i = 1; i <= NF; i++) v[NR, i] = $i; n = NF }
        END {
            for (i = 1; i <= n; i++) {
                a[i, n + 1] = v[3, i] - v[4, i]
                for (j = 1; j <= n; j++) a[i, j] = (v[4 + j, i] - v[4, i]) / v[2, j]
            }
            for (c = 1; c <= n; c++) {
                best = c
                for (r = c; r <= n; r++)
                    if (a[r, c] * a[r, c] > a[best, c] * a[best, c]) best = r
                if (a[best, c] == 0) exit 1
                for (k = 1; k <= n + 1; k++) { x = a[c, k]; a[c, k] = a[best, k]; a[best, k] = x }
                for (r = 1; r <= n; r++)
                    for (k = n + 1; r != c && k >= c; k--) a[r, k] -= a[r, c] / a[c, c] * a[c, k]
            }
            for (i = 1; i <= n; i++) {
                x = v[1, i] + a[i, n + 1] / a[i, i]
                printf "%.7g ", (x > 0 ? x : v[1, i] / 2)
            }
        }'
}
reached() {
    echo "$1 $2" | awk '{
        for (i = 1; i <= NF / 2; i++) {
            d = $i - $(NF / 2 + i)
            if (d < 0) d = -d
            if (d > 0.0005 * $(NF / 2 + i)) exit 1
        } }'
}
# The unknowns with the INDEXth changed by its difference.
changed() {
    printf '%s\n%s\n' "$1" "$2" | awk -v at="$3" '
        NR == 1 { n = split($0, x, " ") }
        NR == 2 { for (i = 1; i <= n; i++) printf "%.7g ", x[i] + (i == at ? $i : 0) }'
}
# shellcheck disable=SC2086,SC2046,SC2013 # words
solve_together() {
    at=$(while IFS=$tab read -r row profile unit keys _; do
        present "$profile" "$unit" "$keys"
    done <"$group" | tr '\n' ' ')
    wanted=$(for name in $(cut -f 1 "$group"); do target "$name"; done | tr '\n' ' ')
    for _ in 1 2 3 4 5 6 7 8; do
        now=$(values $at) || return 1
        reached "$now" "$wanted" && break
        steps=$(echo "$at" | awk '{ for (i = 1; i <= NF; i++) printf "%.7g ", $i * 0.1 + 1 }')
        lines=$(
            printf '%s\n' "$at" "$steps" "$wanted" "$now"
            i=0
            for _ in $at; do
                i=$((i + 1))
                values $(changed "$at" "$steps" $i) || exit 1
                echo
            done
        ) || return 1
        at=$(printf '%s\n' "$lines" | newton) || {
            echo "calibrate: rows $names do not tell their unknowns apart" >&2
            return 1
        }
    done
    reached "$now" "$wanted" || {
        echo "calibrate: rows $names: stuck at $now, should be $wanted" >&2
        return 1
    }
    grep -E " ($names)\$" "$candidate"
}

# -- all of it

# Whether there is such a profile yet: rows and unknowns may be told before it is written.
known() { "$build/bin/nicinfo" "${1%%,*}" >/dev/null 2>&1; }

group=$data/group.tsv
# shellcheck disable=SC2094 # it is only read
for sweep in 1 2 3; do
    moved=
    while IFS=$tab read -r row profile unit keys together; do
        [ -n "$(target "$row")" ] || { echo "calibrate: row $row is not marked cal" >&2; exit 1; }
        known "$profile" || continue
        sets=$found names=$row
        if [ "$together" ]; then
            awk -F'\t' -v t="$together" '$5 == t' "$data/unknowns.tsv" >"$group"
            names=$(cut -f 1 "$group" | tr '\n' '|') names=${names%|}
            [ "${names%%|*}" = "$row" ] || continue
            [ "$sweep" -eq 1 ] || continue
            new=$(solve_together) || exit 1
        else
            if [ "$sweep" -gt 1 ] && close_enough "$("row_$row")" "$(target "$row")"; then
                continue
            fi
            new=$(solve) || exit 1
        fi
        moved=yes
        { grep -vE " ($names)\$" "$found"; printf '%s\n' "$new"; } >"$found.new"
        mv "$found.new" "$found"
    done <"$data/unknowns.tsv"
    [ "$moved" ] || break
done
cp "$found" "$data/calibration.sets"
cat "$found"
