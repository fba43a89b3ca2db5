#!/bin/sh
# Levels of thread support: the one that is provided is kept, and a program that does more than it
# was given is told so.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh; scripts for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_COMPUTE
levels=$tools/levels
options=

# on CODE RANKS CASE [LEVEL]
on() {
    code=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086 # options
    run "$code" $options -n "$ranks" "$levels" "$@"
}

# The model clock provides no more than can be the same in each run.
for options in '' '--model ideal'; do
    on 0 1 told
    printed single
    on 0 1 told serialized
    printed serialized
    on 0 1 told multiple
    case $options in '') printed multiple ;; *) printed serialized ;; esac
done

# Calls at once end the job, which says why; it is not called a standstill, nor is it one.
for options in '' '--model ideal'; do
    for level in '' serialized; do
        # shellcheck disable=SC2086 # or none
        on 1 1 at_once $level
        told '^Fatal error: rank 0: several threads call MPI at once, but MPI_Init'
        told 'has provided MPI_THREAD_S'
        told 'rank 0 aborted the job with code 1'
    done
done
on 1 1 at_once multiple
told 'on the model clock MPI_THREAD_SERIALIZED is the most'

# With MPI_THREAD_MULTIPLE two receives at once are all right, and never end.
options=
on 1 1 at_once multiple
told 'cannot go on.*every rank waits'

# A thread that calls in place of the main one works, and is told once; nobody minds it where the
# level allows it.
for options in '' '--model ideal'; do
    on 0 2 elsewhere
    told '^Warning: rank 1: a thread other than the main one calls MPI, but MPI_Init has provided'
    [ "$(grep -c '^Warning: rank [01]: .* MPI_THREAD_SINGLE; ' "$work/err")" -eq 2 ] \
        || fail "not one warning for each rank"
    on 0 2 elsewhere serialized
    calm
    on 0 2 in_turns serialized
    calm
done

# Nobody knows what a thread has computed since another one called.
run 0 -q --model ideal --compute measured -n 2 "$levels" in_turns serialized
exit 0
