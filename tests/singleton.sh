#!/bin/sh
# A program started without mpirun is a world of one rank.
set -u

limit=$((300 * ${TEST_TIMEOUT_SCALE:-1}))
MPI_TEST_DIR=$(mktemp -d) || exit 1
export MPI_TEST_DIR
trap 'rm -rf "$MPI_TEST_DIR"' EXIT
trap 'exit 1' HUP INT TERM
for name in init self coll_allreduce persistent; do
    timeout -k 5 "$limit" "$PWD/tests/mpi/$name.t" || {
        echo "$name without mpirun: exit code $?"
        exit 1
    }
done
