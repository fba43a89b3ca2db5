#!/bin/sh
# A program started without mpirun is a world of one rank.
set -u

limit=$((900 * ${TEST_TIMEOUT_SCALE:-1}))
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

# An empty variable counts as none, and what a launcher has left that is no list of processors too.
for setting in NICEMU_PROGRESS= NICEMU_THREAD_CPUS=two; do
    timeout -k 5 "$limit" env "$setting" "$PWD/tests/mpi/init.t" || {
        echo "$setting without mpirun: exit code $?"
        exit 1
    }
done

# warned NAME=VALUE... [WHY]: what a launcher has left says that there are others; it is told once.
unset PMI_FD PMI_RANK PMI_SIZE PMIX_NAMESPACE OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK \
    SLURM_STEP_NUM_TASKS SLURM_PROCID MPILITE_LAUNCHED MPILITE_JOINED
warned() {
    words= why=
    for word; do
        case $word in *=*) words="$words $word" ;; *) why=$word ;; esac
    done
    # shellcheck disable=SC2086 # words
    env $words "$PWD/tests/mpi/init.t" 2>&1 >/dev/null | grep '^Warning: .* has started ' \
        >"$MPI_TEST_DIR/warned"
    echo "$why" | grep . | cmp -s - "$MPI_TEST_DIR/warned" && return
    echo "$words: it is not told '$why' but: $(cat "$MPI_TEST_DIR/warned")"
    exit 1
}
alone='of which each will be alone:'
no_pmix='it left no PMIX_NAMESPACE, or this library has no PMIx'
warned PMI_SIZE=4 PMI_RANK=0 \
    "Warning: a launcher by PMI has started 4 ranks, $alone it left no descriptor in PMI_FD"
warned OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0 \
    "Warning: Open MPI's launcher has started 3 ranks, $alone $no_pmix"
warned SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 \
    "Warning: srun has started 2 ranks, $alone say srun --mpi=pmi2"
warned PMI_SIZE=4 PMI_RANK=1
warned PMI_SIZE=1 PMI_RANK=0
warned PMI_SIZE=4
warned PMI_SIZE=4 PMI_RANK=0 MPILITE_JOINED=1
warned PMI_SIZE=4 PMI_RANK=0 MPILITE_LAUNCHED=1
exit 0
