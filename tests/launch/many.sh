#!/bin/sh
# 256 ranks, with a limit of open files that is too low to begin with; ranks get the limit as it
# was.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

ulimit -Sn 100 || { echo 'no limit of open files can be set here'; exit 77; }
run 0 -n 256 true
silent
run 0 -n 256 sh -c 'echo "$NICEMU_RANK $(ulimit -Sn)"'
[ "$(sort -u "$work/out" | wc -l)" -eq 256 ] || fail "not 256 different lines"
grep -vq ' 100$' "$work/out" && fail "a rank has another limit of open files"

# A pipe more for each whose input is pumped, and a file more for each that has one.
run 0 --stdin all -n 256 sh -c 'read -r word && echo "$word"' <<END
word
END
[ "$(grep -c '^word$' "$work/out")" -eq 256 ] || fail 'not all have got the input'
run 0 -outfile-pattern "$work/out.%r" -errfile-pattern "$work/err.%r" -n 256 echo text
silent
[ "$(cat "$work"/out.* | grep -c '^text$')" -eq 256 ] || fail 'not 256 files'

# Where it cannot be raised, that is said.
(
    ulimit -Hn 100 && run 1 -n 256 true &&
        told '^mpirun: 256 ranks need [0-9]+ open files; the limit is 100 '
) || exit 1
exit 0
