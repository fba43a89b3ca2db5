#!/bin/sh
# Only a job of which every thread that may call MPI waits in MPI is called a standstill: a rank
# that is outside, or that something else may help, goes on.  Who wants to know where the ranks
# stand asks.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
outside=$tools/outside

# goes_on RANKS CASE [HOW]: ends well, and nothing is said.
goes_on() {
    run 0 -n "$@"
    silent
}

# stands RANKS CASE PATTERN...
stands() {
    ranks=$1 case=$2
    shift 2
    run 1 -n "$ranks" "$outside" "$case"
    told '^mpirun: the job cannot go on: every rank waits and no message is in flight$'
    for pattern; do told "$pattern"; done
}

# A thread waits in MPI; another one is outside, and will help it.
for how in sleep lock pipe child signal; do goes_on 1 "$outside" recv "$how"; done
for case in recv ssend probe barrier; do goes_on 2 "$outside" "$case"; done
goes_on 2 "$outside" alone sleep
# Nor is a rank lost whose host alone would answer for it, on a wire where answers are ours.
NICEMU_MACHINES=2 NICEMU_PROGRESS=host NICEMU_WIRE_PATIENCE=300 goes_on 2 "$outside" late sleep
# Nor is it a standstill that the thread which sleeps on the wire has been woken and gets no
# processor, nor that what has come is not read for long: a frame that nobody has acknowledged.
for how in '' sleeps; do
    for progress in host auto; do
        # shellcheck disable=SC2086 # none or one
        NICEMU_CROWDED=yes NICEMU_PROGRESS=$progress NICEMU_MACHINES=2 NICEMU_WIRE_PATIENCE=100000 \
            run 0 -n 2 "$tools/late_watch" $how
        silent
        printed 'rank 0 has 4' 'rank 1 has 4'
    done
done
for case in recv alone; do
    (sleep 2; printf '\n\n') | run 0 --stdin all -n 2 "$outside" "$case" stdin || exit 1
    silent
done

# What comes from elsewhere: a handler that leaves MPI behind, a timer, a debugger, somebody who
# stopped the rank.
for case in jump alarm timer; do
    run 6 -n 1 "$outside" "$case"
    grep -q 'cannot go on' "$work/err" && fail "$case: called a standstill"
done
for case in traced stopped; do
    stands 1 "$case"
    printed 'let go'
done

# None of these helps.
stands 2 both '^  rank 0: MPI_Recv.source 1, .*WORLD.; 2 threads wait in MPI, this one came last$'
stands 2 one '^  rank 1: MPI_Recv.source 0, tag 1, MPI_COMM_WORLD.$'
stands 2 sleeper '^  rank 0: MPI_Recv.source 1, .*WORLD.; its other thread must not call MPI$'
stands 2 spinner '^  rank 0: MPI_Recv.source 1, '
NICEMU_PROGRESS=thread stands 2 one '^  rank 0: MPI_Recv.source 1, '
# The same between machines, where a thread sleeps on the wire besides.
for progress in host auto thread; do
    for case in both one; do
        NICEMU_PROGRESS=$progress NICEMU_MACHINES=2 \
            stands 2 "$case" '^  rank 1: MPI_Recv.source 0, '
    done
done
stands 2 forked '^  rank 0: MPI_Recv.source 1, '

# Ranks that have ended are told from those that wait.
run 1 -n 1 true : -n 3 "$outside" forked
waits='every rank that has not ended waits and no message is in flight'
told "^mpirun: the job cannot go on: $waits"
told '^  rank 0: has ended$'
told '^  rank 1: MPI_Recv.source 0, '

run 1 -n 2 true : -n 3 "$outside" forked
told '^  ranks 0-1: have ended$'

# Asked by SIGQUIT, which ends nothing.  The ranks are where they should be when they
# sleep or run.
nothing_said
"$tools/default_signals" "$mpirun" -n 3 "$outside" places : -n 1 sleep 1000 \
    >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/out" 3
for rank in 0 1; do until_true in_state "$(sed -n "s/^$rank //p" "$work/out")" S; done
kill -QUIT "$launcher"
until_true grep -q '^  rank 3: ' "$work/err"
kill -INT "$launcher"
wait "$launcher"
[ $? -eq 130 ] || fail "SIGINT behind SIGQUIT: not exit code 130"
told '^mpirun: the ranks stand here, and go on:$'
told '^mpirun: the job is being ended .Ctrl-C once more: at once.; the ranks stood here:$'
told '^mpirun: the job was ended by signal 2 '
[ "$(grep -c '^  rank 0: MPI_Recv' "$work/err")" -eq 2 ] || fail 'SIGINT does not say where'
told '^  rank 0: MPI_Recv.source 1, tag 1, MPI_COMM_WORLD.$'
told '^  rank 1: waits outside MPI$'
told '^  rank 2: computes, or asks MPI without waiting$'
told '^  rank 3: has not called MPI_Init$'

# starts LINES ARGUMENT...: until the ranks have printed so many lines; asks PATTERN: by SIGQUIT,
# and that is said; ends: by SIGINT.
starts() {
    lines=$1
    shift
    nothing_said
    "$tools/default_signals" "$mpirun" "$@" >"$work/out" 2>"$work/err" &
    launcher=$!
    until_true has_lines "$work/out" "$lines"
}
asks() {
    kill -QUIT "$launcher" || fail 'mpirun has ended'
    until_true [ -s "$work/err" ]
    told "$1"
}
ends() {
    kill -INT "$launcher"
    wait "$launcher"
    [ $? -eq 130 ] || fail 'SIGINT: not exit code 130'
}
# Who stands alike is told together, in the words for several.
starts 1 -n 1 "$outside" places : -n 2 sleep 1000
asks '^  ranks 1-2: have not called MPI_Init$'
ends
starts 2 -n 2 sh -c 'echo ready; exec sleep 1000'
asks '^mpirun: no rank has called MPI_Init yet$'
ends
grep 'stood here' "$work/err" && fail 'no rank of MPI stands anywhere'
starts 2 -n 2 "$outside" after
asks '^  ranks 0-1: have left MPI_Finalize$'
ends
# Who wants to stop gets eight lines of where they stand; who asks, all.
starts 10 --no-deadlock-check -n 10 "$outside" apart
until [ "$(grep -oE '^  rank [0-9]: MPI_Recv' "$work/err" | sort -u | wc -l)" -eq 10 ]; do
    kill -QUIT "$launcher" || fail 'mpirun has ended'
    sleep 0.2
done
ends
sed '1,/stood here:$/d; /^mpirun/,$d' "$work/err" >"$work/brief"
[ "$(grep -c '^  rank [0-7]: ' "$work/brief")" -eq 8 ] || fail 'not eight lines'
[ "$(sed 1,8d "$work/brief")" = '  and 2 more lines' ] || fail 'nothing of the other lines'
# One that is passed on says where they stood, too; and quiet says nothing.
starts 2 --pass-sigquit --no-deadlock-check -n 2 "$outside" places
until_true in_state "$(sed -n 's/^0 //p' "$work/out")" S
kill -QUIT "$launcher"
wait "$launcher"
[ $? -eq 131 ] || fail 'SIGQUIT: not exit code 131'
told '^mpirun: the job was ended by signal 3 '
told '^  rank 0: MPI_Recv.source 1, tag 1, MPI_COMM_WORLD.$'
starts 2 --quiet -n 2 "$outside" after
ends
silent

# Asked by a time-out, long enough for the ranks to come there.
for seconds in 1 2 4 8 16 32 64; do
    run 124 --timeout "$seconds" -n 1 "$outside" sleeper-multiple : -n 1 sleep 1000
    told '^mpirun: the job was ended after '
    grep -q '^  rank 0: MPI_Recv.source 1, .*; 1 other thread is outside MPI$' "$work/err" && break
done
told '1 other thread is outside MPI$'
told '^  rank 1: has not called MPI_Init$'
exit 0
