#!/bin/sh
# When mpirun is killed beyond remedy, the ranks and what they have started die too.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

cat >"$work/rank.sh" <<'TEXT'
sleep 1000 & echo $! >>"$1"
setsid sh -c 'echo $$ >>"$0"; exec sleep 1000' "$1" &
echo $$ >>"$1"
wait
TEXT

"$mpirun" -n 4 sh "$work/rank.sh" "$work/pids" >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/pids" 12
kill -9 "$launcher"
wait "$launcher" 2>/dev/null
while read -r pid; do
    until_true gone "$pid"
done <"$work/pids"
exit 0
