#!/bin/sh
# The benchmarks of the papers and random programs do the same on the model clock under each
# condition of the machine: a short form of what tools/clock/hashes.sh makes a table of.
#
#   CLOCK_SEEDS  how many random programs, default 8
#   CLOCK_FIRST  the first, default 1
#   CLOCK_RUNS   runs of each, default 2, the conditions in turn
set -u

if [ -z "${CLOCK_TIMED:-}" ]; then
    CLOCK_TIMED=yes
    export CLOCK_TIMED
    exec timeout -k 5 $((1800 * ${TEST_TIMEOUT_SCALE:-1})) sh "$0" "$@"
fi
runs=${CLOCK_RUNS:-2} seeds=${CLOCK_SEEDS:-8} first=${CLOCK_FIRST:-1}
exec sh "${srcdir:-.}/tools/clock/hashes.sh" -r "$runs" -s "$seeds" -f "$first" .
