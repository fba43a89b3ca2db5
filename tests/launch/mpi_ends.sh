#!/bin/sh
# Ends that concern MPI: abort, no MPI_Finalize, a deadlock, and jobs that only look like one.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
ends=$tools/mpi_ends

run 0 -n 3 "$ends" finalize
silent
run 1 -n 3 "$ends" leave
told '^mpirun: rank 1 exited with code 0 without calling MPI_Finalize$'
run 42 -n 3 "$ends" abort
told '^mpirun: rank 1 aborted the job with code 42$'

# Everybody waits for the next one.
run 1 -n 4 "$ends" deadlock
told '^mpirun: the job cannot go on: every rank waits and no message is in flight$'
told '^  rank 0: .*source 1, tag 5'
told '^  rank 3: .*source 0, tag 5'

# Not looked for, it lasts.
run 124 --no-deadlock-check --timeout 1.5 -n 2 "$ends" deadlock
MPILITE_DEADLOCK=off run 124 --timeout 1.5 -n 2 "$ends" deadlock

# One rank is busy, outside MPI: before MPI_Init, or between two calls.
run 0 -n 2 "$ends" late
silent
run 0 -n 3 "$ends" busy
silent

# One rank has been woken, but does not get to run for a while.  It should sleep by the time that it is stopped; if it does not,
# this shows less, but is right all the same.
"$mpirun" -n 2 "$ends" meet "$work/go" >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/out" 1
pid=$(cat "$work/out")
sleep 0.3
kill -STOP "$pid"
until_true in_state "$pid" T
: >"$work/go"
sleep 1.2
kill -CONT "$pid"
wait "$launcher" || fail "exit code $? with a rank that was stopped"
silent
exit 0
