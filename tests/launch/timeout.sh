#!/bin/sh
# --timeout ends a job, and only one that is late.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

run 124 --timeout 0.2 -n 3 sleep 1000
said 'mpirun: the job was ended after 0.2 s (--timeout)'
run 124 --timeout=0.2 -n 2 sh -c 'trap "" TERM; while :; do sleep 0.05; done'
run 0 --timeout 1000 -n 2 true
silent

# Time for which the job is suspended does not count, not even if that is more than there is.
seconds=$((8 * ${TEST_TIMEOUT_SCALE:-1}))
waiting='echo ready >>"$0"; until test -f "$1"; do sleep 0.02; done'
"$tools/default_signals" "$mpirun" --timeout $seconds -n 2 \
    sh -c "$waiting" "$work/ready" "$work/go" >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/ready" 2
kill -TSTP "$launcher"
until_true in_state "$launcher" T
sleep $((seconds + 1))
kill -CONT "$launcher"
sleep 1         # the job goes on, as it has time left
: >"$work/go"
wait "$launcher" || fail "exit code $? after a pause that is longer than --timeout"
silent

# It counts while mpirun alone is stopped, for the ranks go on; but a job that has ended meanwhile
# is in time. The seconds suffice for the ranks to start.  stopped CODE SECONDS SCRIPT
stopped() {
    rm -f "$work/ready"
    "$mpirun" --timeout "$2" -n 2 \
        sh -c 'echo $$ >>"$0"; '"$3" "$work/ready" "$work/go" >"$work/out" 2>"$work/err" &
    launcher=$!
    until_true has_lines "$work/ready" 2
    kill -STOP "$launcher"
    until_true in_state "$launcher" T
    sleep $(($2 + 1))
    : >"$work/go"
    [ "$1" -ne 0 ] || while read -r pid; do until_true gone "$pid"; done <"$work/ready"
    kill -CONT "$launcher"
    wait "$launcher"
    code=$?
    [ "$code" -eq "$1" ] || fail "$3: exit code $code, not $1, after mpirun was stopped"
    rm -f "$work/go"
}
rm -f "$work/go"
stopped 0 "$seconds" 'until test -f "$1"; do sleep 0.02; done'
stopped 124 "$seconds" 'exec sleep 1000'
run 3 --timeout 1000 -n 1 sh -c 'exit 3'
exit 0
