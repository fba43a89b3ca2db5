#!/bin/sh
# Where ranks have no heap, so that the words of a window's locks are not mapped by all: targets
# that compute are served by their NICs' threads, by kernel copy and without; so are those that do
# nothing but look at what is theirs.
set -u
here=$(dirname "$0")
NICEMU_HEAP=none
export NICEMU_HEAP
for way in direct staged; do
    sh "$here/run-mpi.sh" -n 2 tests/mpi/rma_passive.t $way || exit
    sh "$here/run-mpi.sh" -n 4 tests/mpi/rma_programs.t $way || exit
done
