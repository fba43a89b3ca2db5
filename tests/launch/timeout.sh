#!/bin/sh
# --timeout ends a job, and only one that is late.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

run 124 --timeout 0.2 -n 3 sleep 1000
said 'mpirun: the job was ended after 0.2 s (--timeout)'
run 124 --timeout=0.2 -n 2 sh -c 'trap "" TERM; while :; do sleep 0.05; done'
run 0 --timeout 1000 -n 2 true
silent

# in_time CASE: with as many seconds as this machine needs for what is to happen in time.
in_time() {
    for seconds in 4 16 64 256; do
        why=
        rm -f "$work/ready" "$work/go"
        "$1" && return
    done
    fail "$1, --timeout $seconds: $why"
}
# are_ready: the ranks run, or the time was over before.
are_ready() {
    until has_lines "$work/ready" 2; do
        gone "$launcher" && return 1
        sleep 0.02
    done
}
# is_stopped: so is mpirun.
is_stopped() {
    until in_state "$launcher" T; do
        gone "$launcher" && return 1
        sleep 0.02
    done
}

# Time for which the job is suspended does not count, not even if that is more than there is.
waiting='echo ready >>"$0"; until test -f "$1"; do sleep 0.02; done'
suspended() {
    "$tools/default_signals" "$mpirun" --timeout $seconds -n 2 \
        sh -c "$waiting" "$work/ready" "$work/go" >"$work/out" 2>"$work/err" &
    launcher=$!
    why='it ended before it was suspended'
    are_ready && kill -TSTP "$launcher" && is_stopped || return
    sleep $((seconds + 1))
    kill -CONT "$launcher"
    sleep 1         # the job goes on, as it has time left
    : >"$work/go"
    wait "$launcher"
    code=$?
    why="exit code $code after a pause that is longer"
    [ $code -eq 0 ] && [ ! -s "$work/err" ]
}
in_time suspended

# It counts while mpirun alone is stopped, for the ranks go on; but a job that has ended meanwhile
# is in time.  stopped CODE SCRIPT
stopped() {
    "$mpirun" --timeout $seconds -n 2 \
        sh -c 'echo $$ >>"$0"; '"$2" "$work/ready" "$work/go" >"$work/out" 2>"$work/err" &
    launcher=$!
    why='it ended before it was stopped'
    are_ready && kill -STOP "$launcher" && is_stopped || return
    sleep $((seconds + 1))
    : >"$work/go"
    [ "$1" -ne 0 ] || while read -r pid; do until_true gone "$pid"; done <"$work/ready"
    kill -CONT "$launcher"
    wait "$launcher"
    code=$?
    why="$2: exit code $code, not $1, after mpirun was stopped"
    [ $code -eq "$1" ]
}
ends_stopped() { stopped 0 'until test -f "$1"; do sleep 0.02; done'; }
is_late() { stopped 124 'exec sleep 1000'; }
in_time ends_stopped
in_time is_late
run 3 --timeout 1000 -n 1 sh -c 'exit 3'
exit 0
