#!/bin/sh
# Wrong programs must end with the right exit code and say what is wrong, soon and on their own: mpirun is given no
# time limit of its own, the one here is there to end a failure.
set -u

bin=${BIN:-$PWD/bin}
tests=$PWD/tests/wrong
limit=$((60 * ${TEST_TIMEOUT_SCALE:-1}))
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

complain() {
    echo "$*"
    sed 's/^/    /' "$output" | head -n 20
    failures=$((failures + 1))
}

# wrong PROGRAM RANKS CODE PATTERN...: the job ends with CODE ("some": any but 0), and for each extended regular
# expression a line of its standard error matches, letters of either case.
wrong() {
    program=$1 ranks=$2 code=$3
    shift 3
    timeout -k 5 "$limit" "$bin/mpirun" -n "$ranks" "$tests/$program.t" >"$output" 2>&1 </dev/null
    got=$?
    if [ "$got" -eq 124 ] || [ "$got" -eq 137 ]; then
        complain "$program on $ranks ranks did not end in $limit s"
        return
    fi
    case $code in
    some) [ "$got" -ne 0 ] || complain "$program on $ranks ranks: exit code 0" ;;
    *) [ "$got" -eq "$code" ] || complain "$program on $ranks ranks: exit code $got, should be $code" ;;
    esac
    for pattern; do
        grep -qiE -- "$pattern" "$output" || complain "$program on $ranks ranks: says nothing like '$pattern'"
    done
}

for ranks in 2 4; do
    wrong bad_rank "$ranks" some 'MPI_Send' 'rank' "$((ranks + 3))"
    wrong before_init "$ranks" some 'MPI_Comm_rank' 'MPI_Init'
    wrong after_finalize "$ranks" some 'MPI_Send' 'MPI_Finalize'
    wrong no_finalize "$ranks" some 'MPI_Finalize'
    wrong deadlock "$ranks" 1 'cannot go on' '(MPI_Recv|receive)\(' '42'
    wrong deadlock_send "$ranks" 1 'cannot go on' '(MPI_Ssend|send)\('
    wrong missing_collective "$ranks" 1 'cannot go on' '(MPI_Recv|receive)\(' 'MPI_Barrier'
    wrong early_exit "$ranks" 3 'rank 1\b.*\b3\b'
    wrong crash "$ranks" 139 'rank 1\b.*(signal 11|segmentation)'
    wrong abort "$ranks" 7 'rank 1\b.*\b7\b'
    wrong truncation "$ranks" some 'MPI_Recv' 'truncat|longer|20'
    wrong freed_comm "$ranks" some 'MPI_Barrier' 'communicator'
    wrong coll_count "$ranks" some 'MPI_Allreduce' 'ranks disagree' "rank $((ranks - 1)) called MPI_Allreduce with 8 bytes"
    wrong coll_kind "$ranks" some 'ranks disagree' 'called MPI_Barrier' 'called MPI_Allreduce with 4 bytes'
    wrong bad_op "$ranks" some 'MPI_Allreduce' 'operation|MPI_BOR'
done
wrong coll_root 4 1 'cannot go on' 'MPI_Bcast'
wrong deadlock 1 1 'cannot go on' '(MPI_Recv|receive)\('
[ "$failures" -eq 0 ]
