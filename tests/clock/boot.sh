#!/bin/sh
# NICs that boot (NICEMU_BOOT), with MPI: a rank that is not up yet is waited for, and its host
# begins when it is; a rank that boots while messages are under way ends the job with a sentence,
# one that boots while none is does not; and all of it is the same, one rank at a time.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD NICEMU_FAULT
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
die() { echo "$*"; cat "$dir/err"; exit 1; }

# boots BOOTS PROFILE OFFLOAD SERIAL PROGRAM...: rc is its status
boots() {
    boot=$1 profile=$2 offload=$3 serial=$4
    shift 4
    rc=0
    # shellcheck disable=SC2086 # none, or a word
    NICEMU_BOOT=$boot MPILITE_STATS=1 timeout 600 "$mpirun" --model "$profile" $serial \
        --offload "$offload" --model-hash --explain=1 -n 3 "$@" >"$dir/out" 2>"$dir/err" || rc=$?
}
hash_of() { sed -n 's/.*model hash \([0-9a-f]*\),.*/\1/p' "$dir/err"; }
# Virtual time of the job, in whole us.
us() { sed -n 's/.* events, \([0-9.e-]*\) s$/\1/p' "$dir/err" | awk '{ print int($1 * 1000000) }'; }

random=$PWD/tests/clock/random.t
seed=0
for offload in all match none forward; do
    for profile in ideal seastar; do
        seed=$((seed + 1))
        boots '' $profile $offload '' "$random" $seed 9
        [ $rc = 0 ] || die "$profile, $offload: failed"
        plain=$(hash_of)
        for boot in 1@0-300 0@0-300 1@0-50,2@0-2500; do
            boots $boot $profile $offload '' "$random" $seed 9
            [ $rc = 0 ] || die "$boot, $profile, $offload: failed"
            ! grep -q 'not explained right' "$dir/err" || die "$boot, $profile, $offload"
            [ "$(us)" -ge $((${boot##*-})) ] || die "$boot, $profile, $offload: $(us) us"
            hash=$(hash_of)
            [ "$hash" != "$plain" ] || die "$boot, $profile, $offload: nobody has noticed"
            boots $boot $profile $offload --model-serial "$random" $seed 9
            [ "$(hash_of)" = "$hash" ] || die "$boot, $profile, $offload: another hash"
        done
    done
done

# -- in the middle: rank 1 of late.t computes for a minute, all of what it gets comes before that
boots 1@1000000-2000000 seastar all '' "$PWD/tests/clock/late.t"
[ $rc = 0 ] || die 'a boot with nothing under way ends the job'
grep -q 'all came' "$dir/out" || die 'a boot with nothing under way: nothing came'
for serial in '' --model-serial; do
    boots 1@5-2000000 seastar all "$serial" "$PWD/tests/clock/late.t"
    [ $rc != 0 ] || die 'a boot with messages under way does not end the job'
    grep -q '^nicemu: the NIC of rank 1 has booted again: messages of rank . to rank . fail$' \
        "$dir/err" || die 'it does not say why the job ended'
done
# flow control is there by that alone, without faults or streams of the profile
boots 1@2-2000000 redstorm-alpu all '' "$PWD/tests/clock/late.t"
[ $rc != 0 ] || die 'without flow control of the profile nothing fails'

for wrong in x 1 1@ 3@0-5 1@5-5 1@5-6-7 1@6-5 1@0-9,1@8-10 1@5-9,1@0-3 ,1@0-9 1@0-9, 1@0-9x \
    1@99999999999999999999-5; do
    boots "$wrong" ideal all '' "$random" 1 3
    [ $rc != 0 ] || die "'$wrong' is taken for boots"
    grep -q "NICEMU_BOOT: '$wrong' is not" "$dir/err" || die "'$wrong': what is wrong is not said"
done
