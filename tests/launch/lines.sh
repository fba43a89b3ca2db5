#!/bin/sh
# No line is torn or lost, of many ranks with many lines of many lengths that are written in pieces.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

ranks=16 lines=1500
run 0 -n $ranks "$tools/chatter" write $lines
silent
"$tools/chatter" check $ranks $lines <"$work/out" || fail "standard output is not whole"

# Through a pipe with a reader that takes little at a time.
"$mpirun" -n $ranks "$tools/chatter" write 300 2>"$work/err" | dd bs=1000 2>/dev/null >"$work/out"
"$tools/chatter" check $ranks 300 <"$work/out" || fail "lines through a pipe are not whole"

# Standard output and standard error in one file.
"$mpirun" -n $ranks "$tools/chatter" both 300 2>&1 | cat >"$work/out"
"$tools/chatter" check $ranks 300 <"$work/out" ||
    fail "lines of both streams in one pipe are not whole"
exit 0
