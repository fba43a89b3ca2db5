#!/bin/sh
# Standard input goes to rank 0, another rank, all or none; the others find it empty.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

count='echo "$NICEMU_RANK $(wc -c | tr -d " ")"'
head -c 3000000 /dev/urandom >"$work/data"

run 0 -n 3 sh -c "$count" <"$work/data"
printed '0 3000000' '1 0' '2 0'
run 0 --stdin 2 -n 3 sh -c "$count" <"$work/data"
printed '0 0' '1 0' '2 3000000'
run 0 --stdin none -n 2 sh -c "$count" <"$work/data"
printed '0 0' '1 0'
run 0 --stdin=all -n 3 sh -c 'cmp - "$0" && echo same' "$work/data" <"$work/data"
printed same same same

# From a pipe, and unchanged.
# shellcheck disable=SC2002
cat "$work/data" | "$mpirun" -n 2 cat >"$work/out" 2>"$work/err"
cmp "$work/out" "$work/data" || fail "input from a pipe changed"

# Readers that stop early hold up nobody.
run 0 --stdin all -n 3 sh -c 'test "$NICEMU_RANK" = 1 && exec head -c 10 >/dev/null
    cmp - "$0" && echo same' "$work/data" <"$work/data"
printed same same

# Nor does one that reads only when another one has all, by whatever else that tells it.
for first in 0 1; do
    : >"$work/all"
    run 0 --stdin all -n 2 sh -c 'if test "$NICEMU_RANK" != "$1"
        then until test -s "$2"; do sleep 0.02; done
        fi
        cmp - "$0" && echo same && echo done >>"$2"' "$work/data" "$first" "$work/all" <"$work/data"
    printed same same
done

# One that never reads is ended as any other.
"$mpirun" --stdin all -n 2 sh -c 'test "$NICEMU_RANK" = 1 && exec sleep 1000
    cat >/dev/null; : >"$0"; exec sleep 1000' "$work/read" <"$work/data" 2>"$work/err" &
pid=$!
until_true [ -e "$work/read" ]
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail 'not ended while a rank does not read'

# What a rank leaves is there for who comes next.
line='if read -r line; then echo "$line"; fi'
{ "$mpirun" -n 2 sh -c "$line" && cat; } >"$work/out" 2>"$work/err" <<TEXT
first
second
TEXT
printed first second

# Input that never ends does not keep a job alive.
mkfifo "$work/fifo"
exec 3<>"$work/fifo"
run 0 -n 2 true <"$work/fifo"
run 0 --stdin all -n 2 true <"$work/fifo"
exec 3>&-

# None at all.
run 0 -n 2 sh -c 'cat; echo done' <&-
printed "done" "done"
exit 0
