#!/bin/sh
# levels.sh [TEST]...: MPI tests with ranks that count as on two and on three machines
# (NICEMU_MACHINES): each must do well, and collectives go in two levels; and ranks of one machine
# that call something else than the others.  TEST: a name below tests/mpi without suffix.
set -u
here=$(dirname "$0")
[ $# -gt 0 ] || set -- coll_levels coll_random coll_user_op coll_interleaved icoll comm_split \
    err_coll_all zero_count attributes
seen=$(mktemp) || exit 1
trap 'rm -f "$seen"' EXIT
trap 'exit 129' HUP INT TERM

# works RANKS MACHINES PROGRAM [FAULTS]
works() {
    NICEMU_MACHINES=$2 NICEMU_FAULT=${4:-} MPILITE_STATS=1 \
        sh "$here/run-mpi.sh" -n "$1" "tests/$3" >>"$seen" 2>&1 && return
    grep -v '^ *[0-9]* *[0-9]* @' "$seen"
    echo "$3 on $1 ranks fails with NICEMU_MACHINES=$2${4:+ NICEMU_FAULT=$4}"
    exit 1
}
for name; do
    works 4 2 "mpi/$name.t"
    works 5 3 "mpi/$name.t"
done
works 4 2 "mpi/$1.t" drop=1%,dup=1%,reorder=2%,corrupt=0.1%
# Two ranks on each machine, which the test is told: it asks who shares memory with whom.
(MPI_TEST_EACH=2 && export MPI_TEST_EACH && works 4 2 mpi/comm_more.t) || exit 1
[ ! -e tests/fortran/sections_rma.t ] || works 3 2 fortran/sections_rma.t
works 4 2 machines/mismatch
works 5 2 machines/mismatch
# Who leads a machine and has no memory ends the job.
if NICEMU_MACHINES=2 timeout 900 "${MPIRUN:-bin/mpirun}" -n 4 tests/machines/memory \
    >>"$seen" 2>&1 ||
    ! grep -q 'no limit under a sanitizer\|no memory for .* at rank 2, for which' "$seen"; then
    tail -n 20 "$seen"
    echo "a leader without memory does not end the job, or does not say why"
    exit 1
fi
levels=$(awk '/ collectives_levels / { sum += $1 } END { print sum + 0 }' "$seen")
echo "$levels collectives in two levels"
[ "$levels" -gt 0 ]
