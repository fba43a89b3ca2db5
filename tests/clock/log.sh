#!/bin/sh
# The log of a job on the model clock: one line per event, by time, and those of one time by rank.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"

for profile in ideal redstorm-alpu; do
    run 0 --model "$profile" --model-log "$work/log" -n 5 "$PWD/tests/clock/random.t" 3
    awk '/^#/ { next }
        NF != 9 { print "not nine columns: " $0; exit 1 }
        $1 + 0 < time || ($1 + 0 == time && $2 + 0 < rank) { print "out of order: " $0; exit 1 }
        $1 + 0 == time && $2 + 0 != rank { ties++ }
        { time = $1 + 0; rank = $2 + 0 }
        END { if (!ties) { print "no two ranks do anything at the same time"; exit 1 } }' \
        "$work/log" >"$work/wrong" || fail "$profile: $(cat "$work/wrong")"
done
exit 0
