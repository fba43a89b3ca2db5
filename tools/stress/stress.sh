#!/bin/sh
# usage: tools/stress/stress.sh [-r ROUNDS] [-s SEED] [-j JOBS] BUILD [TEST...]
#
# Runs tests of a build folder again and again on a machine whose scheduler is not fair (unfair.c),
# each round with the next seed, and prints which failed with their last lines.  Without a TEST all
# of `make check` that is built for that folder.  Exit code 1: some failed.
set -u
rounds=1 seed=1 jobs=2
while getopts r:s:j: o; do
    case $o in
    r) rounds=$OPTARG ;;
    s) seed=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) sed -n '2s/^# //p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd) || exit 1
cd "$build" || exit 1

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP INT TERM
"${CC:-cc}" -O2 -pthread -o "$work/unfair" "$here/unfair.c" || exit 1
make -s check TESTS= >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

failed=0
for round in $(seq "$rounds"); do
    find . -name '*.trs' -exec rm -f {} +
    # shellcheck disable=SC2048 # no word where there is no TEST
    "$work/unfair" -s "$seed" make -k -j"$jobs" check-TESTS check_PROGRAMS= check_SCRIPTS= \
        ${*:+TESTS="$*"} >"$work/log" 2>&1
    find . -name '*.trs' -exec grep -lE '^:test-result: *(FAIL|ERROR)' {} + >"$work/failed"
    passed=$(find . -name '*.trs' -exec grep -hE '^:test-result: *PASS' {} + | wc -l)
    echo "round $round, seed $seed: $passed passed, $(wc -l <"$work/failed") failed"
    while read -r trs; do
        failed=1
        echo "---- ${trs%.trs}"
        tail -n 40 "${trs%.trs}.log"
    done <"$work/failed"
    seed=$((seed + 1))
done
exit $failed
