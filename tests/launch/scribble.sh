#!/bin/sh
# Ranks that write where they should not: mpirun neither crashes nor hangs, and either says why the
# job failed, with ranks that exist, or the result is right.  SCRIBBLE_SEEDS says how often
# (tests/launch/local.mk: a few times); SCRIBBLE_COUNT=yes prints how the runs ended.
# shellcheck disable=SC1091,SC2086,SC2154 # lib.sh is sourced; options are several words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE
seeds=${SCRIBBLE_SEEDS:-8}
program=$tools/scribble
control=$(printf '\001-\010\013-\037\177')
MPILITE_STATS=0
ulimit -c 0

# once SEED PLACE OPTION...
once() {
    seed=$1 place=$2
    shift 2
    timeout -k 1 60 "$mpirun" --timeout 4 --grace 1 --heap 256M "$@" \
        -n 3 "$program" "$seed" "$place" >"$work/out" 2>"$work/err"
    code=$?
    what="seed $seed, $place, options $*: code $code"
    if [ "${SCRIBBLE_COUNT:-}" ]; then
        why=$(grep -m 1 '^mpirun: ' "$work/err")
        echo "$place $1 $code: $(echo "$why" | sed 's/(pid [0-9]*)//; s/[0-9][0-9]*/N/g')"
    fi
    grep -qE 'ranks? [0-9-]*([3-9]|[0-9]{2,})[ :,)]' "$work/err" &&
        fail "$what: a rank that does not exist"
    LC_ALL=C grep -q "[$control]" "$work/err" && fail "$what: control characters"
    LC_ALL=C grep -qE '(AddressSanitizer|runtime error).*(lib/launch|mpirun)' "$work/err" &&
        fail "$what: mpirun is at fault"
    if [ "$code" -eq 0 ]; then
        grep -qx right "$work/out" || fail "$what: no result"
    else
        grep -q '^mpirun: ' "$work/err" || fail "$what: no message"
    fi
}

seed=${SCRIBBLE_FIRST:-1}
last=$((seed + seeds))
while [ "$seed" -lt "$last" ]; do
    once "$seed" open --bind-to none
    once "$seed" any --bind-to none
    once "$seed" open --model ideal --model-hash --explain
    seed=$((seed + 1))
done
exit 0
