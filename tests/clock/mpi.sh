#!/bin/sh
# The MPI tests on the model clock, on a few ranks each.  Left out: what needs several threads that
# call at once, which the model clock refuses, or real time in which ranks work beside each other
# outside MPI.  As by hand: the tests ask MPI for the clock, not the environment.
set -u

if [ -z "${CLOCK_TIMED:-}" ]; then
    CLOCK_TIMED=yes
    export CLOCK_TIMED
    exec timeout -k 5 $((1800 * ${TEST_TIMEOUT_SCALE:-1})) sh "$0" "$@"
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset MPILITE_MODEL
MPIRUN="${MPIRUN:-$PWD/bin/mpirun} -q --model redstorm-alpu" MPI_TEST_RANKS=${CLOCK_RANKS:-3}
export MPIRUN MPI_TEST_RANKS
failed=0 ran=0

# NICs move all data here, whichever way a test has it reached: the same run each time.
way() {
    case $1 in
    */rma_gaps.t | */rma_lengths.t | */rma_order.t | */rma_types.t) echo direct ;;
    */rma_move.t | */rma_move_beside.t) echo moved ;;
    esac
}
for w in direct private asked read write staged; do
    $MPIRUN --model-hash -n 3 tests/mpi/rma_lengths.t $w 2>&1
done | sort | uniq -c >"$work/hashes"
if [ "$(wc -l <"$work/hashes")" -ne 1 ] || ! grep -q '^ *6 .*model hash' "$work/hashes"; then
    echo "rma_lengths is not the same in each way:"
    cat "$work/hashes"
    failed=1
fi

for test in tests/mpi/*.t; do
    case $test in
    */threads_* | */tool_threads.t | */overlap.t | */huge.t) continue ;;
    # Here a NIC is behind its host, and figures are what it has come to; the host takes the steps
    # of collectives, whose messages are events then.
    */tool_vars.t | */tool_events.t) continue ;;
    esac
    # shellcheck disable=SC2046 # a word or none
    sh "${srcdir:-.}/tests/run-mpi.sh" "$test" $(way "$test") >"$work/out" 2>&1
    code=$?
    ran=$((ran + 1))
    [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || {
        echo "$test: exit code $code"
        head -n 20 "$work/out"
        failed=1
    }
done
[ "$ran" -gt 50 ] || { echo "only $ran tests were found"; failed=1; }
exit $failed
