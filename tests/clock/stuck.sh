#!/bin/sh
# Jobs of the model clock that cannot go on are told so at once, with who waits for what; those that
# end too soon leave a log of all that was done; and what cannot be modelled is refused.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE NICEMU_OFFLOAD
stuck=$PWD/tests/clock/stuck.t

# stands HOW LINE...: every rank waits, each as it is said
stands() {
    how=$1
    shift
    # shellcheck disable=SC2086 # options
    run 1 $model -n 3 "$stuck" "$how"
    told '^mpirun: the job cannot go on: every rank waits and no message is in flight$'
    for line; do told "$line"; done
}

# ends HOW CODE LINE: the log has what was done before
ends() {
    # shellcheck disable=SC2086 # options
    run "$2" $model --model-log "$work/log" -n 3 "$stuck" "$1"
    told "$3"
    [ "$(grep -c '^[0-9]' "$work/log")" -ge 180 ] || fail "$1: the log has lost events"
    sort -n -c -s -k1,1 "$work/log" || fail "$1: the log is not in the order of time"
    [ ! -e "$work/log.0" ] || fail "$1: a rank's log is left"
}

first='receive.source 1, tag 25, MPI_COMM_WORLD.'
second='receive.source any, tag 26, MPI_COMM_WORLD.'
called='rank [012] called MPI_Bcast with 50000 bytes, root [012]'
at_once='several threads call MPI at once, .* MPI_THREAD_SERIALIZED; on the'
for model in '--model redstorm-alpu' '--model ideal --model-serial' '--model fpga-scratchpad'; do
    stands finalized \
        '^  rank 0: MPI_Recv.source 1, tag 21, MPI_COMM_WORLD.$' \
        '^  ranks 1-2: MPI_Finalize: waits for the other ranks$'
    stands collectives '^  rank 0: .*source 1, tag 22' '^  ranks 1-2: MPI_Barrier'
    stands probe '^  rank 0: MPI_Probe.*tag 23' '^  ranks 1-2: MPI_Barrier'
    stands send \
        '^  rank 0: MPI_Ssend.to rank 1 of MPI_COMM_WORLD, tag 24, 1 byte.$' \
        '^  rank 1: MPI_Ssend.to rank 2 ' \
        '^  rank 2: MPI_Ssend.to rank 0 '
    stands some \
        "^  rank 0: MPI_Waitany: $first or $second\$" \
        '^  rank 2: MPI_Waitany: receive.source 0, tag 25'
    # shellcheck disable=SC2086 # options
    run 8 $model -n 3 "$stuck" roots
    told "the ranks disagree: $called; $called\$"
    ends leave 1 'rank 2 exited with code 0 without calling MPI_Finalize'
    ends fail 5 'rank 2 .*exited with code 5'
    ends killed 137 'rank 2 .*was killed by signal 9'
    ends fault 139 'rank 2 .*was killed by signal 11'
    ends aborted 9 'rank 2 aborted the job with code 9'
    # shellcheck disable=SC2086 # options
    run 1 $model -n 2 "$stuck" threads
    told "^Fatal error: rank [01]: $at_once"
done

# A loop that asks for ever lets time go on, which no standstill does: only --timeout, in real time,
# ends it.
run 124 --model ideal --timeout 1 -n 2 "$stuck" poll
told 'ended after 1 s'
# Those that are ahead sleep in their calls, until the others have come so far.
nothing_said
"$tools/default_signals" "$mpirun" --model ideal -n 4 "$stuck" poll >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/out" 4
kill -QUIT "$launcher"
until_true grep -q '^  ranks* ' "$work/err"
kill -TERM "$launcher"
wait "$launcher"
[ $? -eq 143 ] || fail 'it has ended otherwise'
stands=$(grep '^  ranks* ' "$work/err" | grep -vE \
    ': (computes, or asks MPI without waiting|is in MPI, ahead of other ranks in virtual time)$')
[ ! "$stands" ] || fail "a rank in a call: $stands"

# A log that cannot be written is known before anything starts.
run 1 --model ideal --model-log "$work/none/log" -n 2 "$stuck" nothing
told 'cannot write .*/none/log: '
run 1 --model ideal --model-log "$work" -n 2 "$stuck" nothing
told 'cannot write '

# Two jobs at once know nothing of each other, and as many ranks as there may be are enough.
"$mpirun" --model redstorm-alpu --model-hash -n 3 "$stuck" nothing 2>"$work/first" &
run 0 --model redstorm-alpu --model-hash -n 3 "$stuck" nothing
wait $! || fail 'one of two jobs failed'
told "$(sed -n 's/.*\(model hash [0-9a-f]*\).*/\1/p' "$work/first")"
run 2 --model ideal -n 1000000 true
exit 0
