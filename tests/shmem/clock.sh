#!/bin/sh
# clock.sh: the SHMEM tests on the model clock; each run is like the other.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
for name in rma atomic sync coll memory; do
    for run in 1 2; do
        timeout -k 5 $((300 * ${TEST_TIMEOUT_SCALE:-1})) bin/mpirun --model redstorm-alpu \
            --model-hash -n 3 "tests/shmem/$name.t" >"$work/$run" 2>&1 || {
            echo "$name: exit code $?"
            head -n 20 "$work/$run"
            failed=1
        }
        grep -q 'model hash' "$work/$run" || { echo "$name: no hash"; failed=1; }
    done
    cmp -s "$work/1" "$work/2" || { echo "$name differs:"; cat "$work/1" "$work/2"; failed=1; }
done
exit $failed
