#!/bin/sh
# start.sh -n N PROGRAM [ARGUMENT]...: N ranks on the machines of make.sh, as many on each: what
# run-mpi.sh takes as MPIRUN.
set -u
count=$(echo "$MACHINES" | tr , '\n' | wc -l)
each=$((($2 + count - 1) / count))
MPI_TEST_EACH=$each
export MPI_TEST_EACH
# shellcheck disable=SC2086 # options of Hydra's own
exec mpiexec.hydra ${MPI_TEST_HYDRA:-} -launcher ssh -launcher-exec "$MACHINE_ENTER" \
    -hosts "$MACHINES" -ppn $each "$@"
