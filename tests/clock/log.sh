#!/bin/sh
# The log of a job on the model clock: one line per event, by time, and those of one time by rank;
# each event has been begun when it came or later, and has not ended sooner than it began.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"

for profile in ideal redstorm-alpu; do
    run 0 --model "$profile" --model-hash --model-log "$work/log" -n 5 \
        "$PWD/tests/clock/random.t" 3
    told "^mpirun: model hash [0-9a-f]+, $(grep -vc '^#' "$work/log") events, "
    awk '/^#/ { next }
        NF != 9 { print "not nine columns: " $0; exit 1 }
        $1 + 0 < time || ($1 + 0 == time && $2 + 0 < rank) { print "out of order: " $0; exit 1 }
        $6 + 0 < $1 + 0 || $7 + 0 < $6 + 0 { print "times that go back: " $0; exit 1 }
        $1 + 0 == time && $2 + 0 != rank { ties++ }
        $7 + 0 > $6 + 0 { long++ }
        { time = $1 + 0; rank = $2 + 0 }
        END {
            if (!ties) { print "no two ranks do anything at the same time"; exit 1 }
            if (!long && profile != "ideal") { print "nothing takes time"; exit 1 }
        }' profile="$profile" \
        "$work/log" >"$work/wrong" || fail "$profile: $(cat "$work/wrong")"
done
exit 0
