#!/bin/sh
# A one-way stream on the model clock: however far its sender could run ahead in real time, nothing
# piles up at a receiver that keeps up with it in virtual time, nor where the profile has flow
# control or a ring of slots.  What a receiver is late for in virtual time is kept.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"

most=4096           # KiB
! grep -q -e '--with-sanitizer' config.log || exit 77   # they keep what is freed

# grows PROFILE PACE: by how many KiB that rank which grows most does so.
grows() {
    run 0 --model "$1" -n 2 "$PWD/tests/clock/stream.t" 100000 "$2"
    grown=$(sed -n 's/^rank [01]: //p' "$work/out" | sort -n | tail -n 1)
    case $grown in ''|*[!0-9]*) fail "$1, $2 ns: $(cat "$work/out")" ;; esac
}

for case in 'ideal 1' 'redstorm-alpu 1000' 'fpga-scratchpad 0' 'seastar 0'; do
    # shellcheck disable=SC2086 # two words
    grows $case
    [ "$grown" -le "$most" ] || fail "$case: $grown KiB more for 100,000 messages"
done
grows redstorm-alpu 0
[ "$grown" -gt "$most" ] || fail "a receiver that is late keeps nothing: this test sees nothing"
exit 0
