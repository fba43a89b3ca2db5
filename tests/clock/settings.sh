#!/bin/sh
# Settings and ranks' own hardware drawn at random, of all keys that there are, under programs of
# all kinds: each ends as it should, has the same hash in each run, one rank at a time too, and all
# time is explained.  Settings that do not fit each other are refused, which is an end as well.
#
#   SETTINGS_SEEDS  how many, default 24     SETTINGS_FIRST  the first
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD
bad=0 ran=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. "${srcdir:-.}/tests/clock/hash.inc"
papers=$PWD/examples/papers clock=$PWD/tests/clock
"$PWD/bin/nicinfo" --keys >"$dir/keys" || exit 1

# program SEED: ranks, and a program with its arguments.
program() {
    set -- "$1" "6 $clock/random.t $1 6" "4 $clock/sided.t many 5" "5 $papers/updates -u 64" \
        "8 $papers/updates -u 400" "4 $papers/puts -n 1024" "7 $papers/reduce -r 5 -w 1" \
        "4 $papers/lock" "7 $papers/bypass -s 1,5000 -r 5 -w 2" "3 $clock/random.t $1 9"
    shift $(($1 % 9 + 1))
    echo "$1"
}

seed=${SETTINGS_FIRST:-1} last=$((${SETTINGS_FIRST:-1} + ${SETTINGS_SEEDS:-24}))
while [ "$seed" -lt $last ]; do
    awk -v seed="$seed" -f "${srcdir:-.}/tests/clock/settings.awk" "$dir/keys" >"$dir/drawn"
    options=$(sed -n 1p "$dir/drawn")
    sed 1d "$dir/drawn" >"$dir/ranks.conf"
    [ ! -s "$dir/ranks.conf" ] || options="--model $dir/ranks.conf $options"
    unset NICEMU_FAULT MPILITE_BYPASS
    case $((seed % 4)) in
    0) export NICEMU_FAULT="drop=2%,dup=1%,reorder=2%,corrupt=0.1%,seed=$seed" ;;
    1) export MPILITE_BYPASS=nic ;;
    esac
    drawn=$(program "$seed")
    timeout 600 "$mpirun" $options -n ${drawn%% *} "$clock/random.t" 1 1 >"$dir/out" 2>"$dir/err"
    if ! grep -q "^Try 'mpirun --help'\|^Fatal error in MPI_Init: the rings of " "$dir/err"; then
        ran=$((ran + 1))
        before=$bad
        same "$seed" $options -n $drawn
        [ $bad = "$before" ] || cat "$dir/ranks.conf"
    fi
    seed=$((seed + 1))
done
[ $ran -gt $((${SETTINGS_SEEDS:-24} / 2)) ] || { echo "only $ran fit"; bad=1; }
exit $bad
