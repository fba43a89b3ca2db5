#!/bin/sh
# Output: unfinished last lines, long lines, binary data, tags, both streams, readers that are slow
# or gone.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

# A last line without an end goes out, also when the rank fails.
run 0 -n 1 printf 'one\ntwo'
[ "$(od -An -c "$work/out" | tr -d ' \n')" = 'one\ntwo' ] || fail "unfinished last line"
run 3 -n 1 sh -c 'printf last; exit 3'
[ "$(cat "$work/out")" = last ] || fail "unfinished last line of a rank that fails"
# What mpirun says itself begins a line of its own, where the other one can be seen; it changes
# nothing of what is elsewhere.
run 3 -n 1 sh -c 'printf last >&2; exit 3'
[ "$(sed 's/(pid [0-9]*) //' "$work/err")" = 'last
mpirun: rank 0 exited with code 3' ] || fail 'what mpirun says stands in a line of a rank'
run 3 -n 1 sh -c 'printf "last\n" >&2; exit 3'
has_lines "$work/err" 3 && fail 'an empty line behind a whole one'
"$mpirun" -n 1 sh -c 'printf last; exit 3' >"$work/out" 2>&1
[ "$(sed 's/(pid [0-9]*) //' "$work/out")" = 'last
mpirun: rank 0 exited with code 3' ] || fail 'what mpirun says stands in a line of standard output'
run 3 -n 1 sh -c 'printf last; exit 3'
has_lines "$work/err" 2 && fail 'an empty line where nothing was unfinished'
# The answer to a question at a terminal ends its line.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    : >"$work/out"
    {
        until_true grep -q 'how many? ' "$work/out"
        echo 5
    } | script -qec "$mpirun -n 1 sh -c 'printf \"how many? \"; read -r n; exit 3'" \
        /dev/null >"$work/out" 2>&1
    [ "$(tr -d '\r' <"$work/out" | sed 's/(pid [0-9]*) //')" = 'how many? 5
mpirun: rank 0 exited with code 3' ] || fail 'an empty line behind an answer'
fi

# One line of a mebibyte from each of four ranks, unmixed, unless a rank was silent for long.
run 0 -n 4 "$tools/chatter" long 1048576 "$work/late"
while [ -e "$work/late" ]; do
    rm -f "$work/late"
    run 0 -n 4 "$tools/chatter" long 1048576 "$work/late"
done
for rank in 0 1 2 3; do
    head -c 1048576 /dev/zero | tr '\0' $rank
    echo
done >"$work/expected"
sort "$work/out" | cmp - "$work/expected" || fail "long lines are mixed"

# Bytes of all values survive, in any volume.
head -c 5000000 /dev/urandom >"$work/binary"
run 0 -n 1 cat "$work/binary"
cmp "$work/out" "$work/binary" || fail "binary data changed"
"$mpirun" -n 1 cat "$work/binary" 2>/dev/null | cmp - "$work/binary" ||
    fail "binary data changed in a pipe"
run 0 -n 1 sh -c 'exec cat "$0" >&2' "$work/binary"
cmp "$work/err" "$work/binary" || fail "binary data changed on standard error"

# The two streams stay apart.
run 0 -n 2 sh -c 'echo out; echo err >&2'
printed out out
said err err

# Tags: every line has one, long ones have just one, an unfinished line gets its end.
run 0 -l -n 2 sh -c 'printf "a\n\nb"; echo "e$NICEMU_RANK" >&2'
printed '[0] a' '[0] ' '[0] b' '[1] a' '[1] ' '[1] b'
told '^\[0\] e0$'
told '^\[1\] e1$'
run 0 --tag-output -n 1 sh -c 'head -c 300000 /dev/zero | tr "\0" x; echo; echo end'
[ "$(grep -c '^\[0\] ' "$work/out")" -eq 2 ] || fail "a long line has not just one tag"
[ "$(wc -c <"$work/out")" -eq 300013 ] || fail "a long line changed"

# A reader that goes away: the ranks see it as without mpirun, nothing hangs and nothing is said.
{
    "$mpirun" -n 2 yes 2>"$work/err"
    echo $? >"$work/code"
} | head -n 2 >"$work/out"
printed y y
[ "$(cat "$work/code")" -eq 141 ] || fail "exit code $(cat "$work/code") with the reader gone"
silent
run 0 -n 2 sh -c 'exec >&-; echo lost 2>/dev/null; exit 0'

# A reader that takes nothing for a while: ranks wait, and mpirun holds but little.
mkfifo "$work/fifo"
"$mpirun" -n 2 sh -c 'head -c 40000000 /dev/zero | tr "\0" "\n"' >"$work/fifo" 2>"$work/err" &
launcher=$!
exec 3<"$work/fifo"
head -c 1000 <&3 >/dev/null
blocked() { grep -q '^State:.S' "/proc/$launcher/status"; }
sleep 0.3
until_true blocked
kib=$(awk '/^VmHWM/ { print $2 }' "/proc/$launcher/status")
[ "$kib" -lt 30000 ] || [ "${SANITIZED:-}" ] ||
    fail "mpirun holds $kib KiB for a reader that does not read"
[ "$(($(wc -c <&3) + 1000))" -ge 79900000 ] || fail "output was lost"
wait "$launcher" || fail "exit code $? with a slow reader"
exec 3<&-

# A full disk is told.
if [ -c /dev/full ]; then
    "$mpirun" -n 1 echo text >/dev/full 2>"$work/err"
    [ $? -eq 1 ] || fail "no failure with a full disk"
    told '^mpirun: output was lost: '
fi
exit 0
