#!/bin/sh
# Ends of jobs on the model clock, and its options.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE
ends=$tools/mpi_ends

# A deadlock is certain, and soon: the rank that is last to wait knows.
run 1 --model ideal -n 4 "$ends" deadlock
told '^mpirun: the job cannot go on: every rank waits and no message is in flight$'
told '^  rank 0: .*source 1, tag 5'
told '^  rank 3: .*source 0, tag 5'
run 1 --model ideal --model-serial -n 3 "$ends" deadlock
told '^  rank 0: .*source 1, tag 5'
run 124 --model ideal --no-deadlock-check --timeout 1.5 -n 2 "$ends" deadlock

run 0 --model ideal -n 3 "$ends" finalize
calm
run 42 --model ideal -n 3 "$ends" abort
told '^mpirun: rank 1 aborted the job with code 42$'
run 1 --model ideal -n 3 "$ends" leave
told '^mpirun: rank 1 exited with code 0 without calling MPI_Finalize$'
run 0 --model ideal -n 2 "$ends" late
calm

# Programs without MPI are no ranks that others would wait for.
run 0 --model ideal -n 3 true

# Options.
run 2 --model nothing -n 1 true
told 'nothing'
run 2 --model ideal --set link.latency=0 -n 1 true
told 'link.latency'
run 0 --model redstorm-alpu --set link.latency=1us -n 2 "$ends" finalize
calm
run 2 --model ideal --compute seldom -n 1 true
told "'seldom' is no value for --compute"
# A name that is none is told with those that there are, and where.
run 2 --model redstrom-alpu -n 1 true
told "no profile 'redstrom-alpu': a path needs a slash, and /[^ ]* has .*, redstorm-alpu, "
[ -d "$(sed -n "s/.* and \\(.*\\) has .*/\\1/p" "$work/err")" ] || fail 'it names no folder'
NICEMU_PROFILES=$work run 2 --model redstrom-alpu -n 1 true
told 'has .*, redstorm-alpu, '
for value in 2 yes; do
    MPILITE_MODEL_SERIAL=$value run 2 --model ideal -n 1 true
    told "'$value' is no value for MPILITE_MODEL_SERIAL: it must be 0 or 1"
done
for value in 0 1 ''; do
    MPILITE_MODEL_SERIAL=$value run 0 --model ideal -n 2 "$ends" finalize
    calm
done
for scale in 0 0.0009 1000.1 x 2x inf ''; do
    run 2 --model ideal --compute "measured:$scale" -n 1 true
    told "'measured:$scale' is no value for --compute: it must be none, injected, measured or "
done
for scale in 0.001 1000; do run 0 -q --model ideal --compute "measured:$scale" -n 1 true; done
for option in --model-hash --model-serial '--model-log x' '--compute none' '--set tx.start=1ns'; do
    # shellcheck disable=SC2086 # words
    run 2 $option -n 1 true
    told 'go with --model'
done
run 0 --model ideal --model-hash -n 2 "$ends" finalize
told '^mpirun: model hash [0-9a-f]{16}, [0-9]+ events, '
run 0 --model ideal --compute measured:2.5 -n 2 "$ends" finalize
told 'will not be the same in another one'
run 0 --model ideal --compute none -n 2 "$ends" finalize
calm

# Threads that call at once are not modelled in some order or other, and a program is told so in
# time: it may skip the test.
run 77 --model ideal -n 2 "$PWD/tests/mpi/threads_shared.t"
MPILITE_MODEL=ideal run 0 -n 2 "$PWD/tests/mpi/init_thread.t" multiple

# --compute none leaves out what the program says that it takes.
run 0 --model ideal -n 2 "$PWD/tests/mpi/compute.t"
run 1 --model ideal --compute none -n 2 "$PWD/tests/mpi/compute.t"
told 'after - before >= '

MPILITE_MODEL=ideal run 1 -n 2 "$ends" deadlock
told 'cannot go on'
exit 0
