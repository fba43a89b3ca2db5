#!/bin/sh
# A random program does the same in each run on the model clock: what it prints, times included, and
# the hash of all events, in parallel and one rank at a time, on all cores and on one, on a busy
# machine and on an idle one.
#
#   CLOCK_SEEDS  how many programs, default 6
#   CLOCK_RUNS   how often each is run in each way, default 2
set -u

if [ -z "${CLOCK_TIMED:-}" ]; then
    CLOCK_TIMED=yes
    export CLOCK_TIMED
    exec timeout -k 5 $((1800 * ${TEST_TIMEOUT_SCALE:-1})) sh "$0" "$@"
fi

mpirun=$PWD/bin/mpirun
program=$PWD/tests/clock/random.t
work=$(mktemp -d) || exit 1
load=
# shellcheck disable=SC2317 # called by the trap
quit() { [ -z "$load" ] || kill -s KILL "$load"; rm -rf "$work"; }
trap quit EXIT
trap 'exit 1' HUP INT TERM
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV

one_core=
if command -v taskset >/dev/null; then
    core=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//') && one_core="taskset -c $core"
fi
wrong() { echo "seed $seed: $*"; exit 1; }

# result WRAPPER OPTION...: what a run has to say
result() {
    # shellcheck disable=SC2086 # a command and its arguments, or nothing
    wrapper=$1; shift
    $wrapper "$mpirun" --model "$profile" --model-hash -n "$ranks" "$@" "$program" "$seed" \
        >"$work/out" 2>"$work/err" || {
        echo "seed $seed, $ranks ranks, ${wrapper:-all cores} $*: failed"
        cat "$work/out" "$work/err"
        exit 1
    }
    cat "$work/out" "$work/err"
}

# expect NAME WRAPPER OPTION...: as before
expect() {
    name=$1; shift
    got=$(result "$@") || { echo "$got"; exit 1; }
    [ "$got" = "$wanted" ] && return
    printf 'seed %s, %s ranks, %s:\n%s\nis not\n%s\n' "$seed" "$ranks" "$name" "$got" "$wanted"
    exit 1
}

seed=${CLOCK_FIRST:-1}
last=$((seed + ${CLOCK_SEEDS:-6}))
while [ "$seed" -lt "$last" ]; do
    ranks=$((1 + seed * 5 % 7))
    # in the ideal world nearly everything happens at the same time, and ranks wait for each other
    # all the time
    case $((seed % 6)) in
    3) profile=ideal ;;
    4) profile=fpga-scratchpad ;;
    *) profile=redstorm-alpu ;;
    esac
    wanted=$(result '') || { echo "$wanted"; exit 1; }
    echo "$wanted"
    case $wanted in *'model hash '*) ;; *) echo "there is no hash"; exit 1 ;; esac
    run=0
    while [ "$run" -lt "${CLOCK_RUNS:-2}" ]; do
        expect 'again' ''
        expect 'one rank at a time' '' --model-serial
        [ -z "$one_core" ] || expect 'on one core' "$one_core"
        while :; do :; done &
        load=$!
        expect 'on a busy machine' ''
        kill -s KILL "$load"      # a shell that has just been forked takes TERM for its parent's
        load=
        run=$((run + 1))
    done
    # another protocol is another program, and as steady
    for protocol in put staged; do
        MPILITE_RNDV=$protocol
        export MPILITE_RNDV
        wanted=$(result '') || { echo "$wanted"; exit 1; }
        expect "again, $protocol" ''
        expect "one rank at a time, $protocol" '' --model-serial
        unset MPILITE_RNDV
    done
    # what it sees can't depend on a log
    wanted=$(result '') || { echo "$wanted"; exit 1; }
    expect 'with a log' '' --model-log "$work/log"
    events=$(echo "$wanted" | sed -n 's/.* \([0-9]*\) events.*/\1/p')
    lines=$(grep -c '^[0-9]' "$work/log")
    [ "$lines" -eq "$events" ] || wrong "the log has not $events lines"
    sort -n -c -s -k1,1 "$work/log" || wrong 'the log is not in the order of time'
    seed=$((seed + 1))
done
exit 0
