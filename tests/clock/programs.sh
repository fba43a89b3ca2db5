#!/bin/sh
# Textbook programs and examples, which know nothing of the model clock, give the same answers on it
# as on the live one, with any profile, with and without offload, and where the kernel does not copy
# between processes.
set -u

if [ -z "${CLOCK_TIMED:-}" ]; then
    CLOCK_TIMED=yes
    export CLOCK_TIMED
    exec timeout -k 5 $((1800 * ${TEST_TIMEOUT_SCALE:-1})) sh "$0" "$@"
fi
bin=$PWD/bin examples=$PWD/examples
sources=${srcdir:-.}/tests/programs
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE NICEMU_OFFLOAD

failed=0
# same NAME RANKS PROGRAM [ARGUMENT]...: prints the same everywhere, but for the times that heat2d
# tells
same() {
    name=$1 ranks=$2
    shift 2
    for way in '' '--model ideal' '--model redstorm-alpu' \
        '--model redstorm-alpu --offload none' '--model fpga-scratchpad'; do
        for copy in '' staged; do
            [ -n "$way" ] || [ -z "$copy" ] || continue
            # shellcheck disable=SC2086 # options
            NICEMU_RDMA=$copy "$bin/mpirun" $way -n "$ranks" "$@" >"$work/all" 2>&1 </dev/null
            code=$?
            sed 's/ in [0-9.e+-]* s$//; /us per\|microseconds/d; /^mpirun: .* of virtual time/d' \
                "$work/all" >"$work/out"
            [ "$code" -eq 0 ] && [ -z "$way" ] && mv "$work/out" "$work/$name" && continue
            [ "$code" -eq 0 ] && cmp -s "$work/out" "$work/$name" && continue
            echo "$name on $ranks ranks, $way ${copy:+without kernel copy}: exit code $code"
            diff "$work/out" "$work/$name" 2>/dev/null | head -n 10
            failed=1
        done
    done
}

for source in "$sources"/*.c; do
    name=$(basename "$source" .c)
    "$bin/mpicc" -std=gnu11 -O2 -ffp-contract=off -o "$work/$name.exe" "$source" -lm || exit 1
    same "$name" 3 "$work/$name.exe"
done
same pi 4 "$examples/pi" 100000
same heat2d 6 "$examples/heat2d" -n 101 -s 40 -o "$work/plate"

# Ranks that poll another's memory keep its processor busy, which runs the handlers too: it comes to
# its own work all the same.
timeout -k 5 $((600 * ${TEST_TIMEOUT_SCALE:-1})) \
    "$bin/mpirun" --model fpga-scratchpad -n 13 tests/mpi/rma_programs.t >"$work/out" 2>&1 ||
    { echo "13 ranks that poll: exit code $?"; tail -n 5 "$work/out"; failed=1; }
exit $failed
