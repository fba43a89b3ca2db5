#!/bin/sh
# A C++ program, compiled by mpicxx under strict flags, on several numbers of ranks, and on the
# model clock.  Where there is no C++ compiler the test is skipped.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "$(dirname "$0")/lib.sh"

command -v c++ >/dev/null || { echo "no C++ compiler"; exit 77; }
"$bin/mpicxx" -std=c++11 -O1 -Wall -Wextra -pedantic -Wold-style-cast -Werror -pthread \
    -o "$work/tour" "$(dirname "$0")/tour.cc" >"$work/out" 2>&1 || fail "tour.cc does not compile"
for n in 1 2 4; do
    timeout "$limit" "$bin/mpirun" -n $n "$work/tour" >"$work/out" 2>&1 || fail "fails on $n ranks"
    [ "$(cat "$work/out")" = 'tour: all is right' ] || fail "says on $n ranks:"
done
timeout "$limit" "$bin/mpirun" --model ideal -n 3 "$work/tour" >"$work/out" 2>&1 ||
    fail "fails on the model clock"
