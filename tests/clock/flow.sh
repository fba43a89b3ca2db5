#!/bin/sh
# Flow control on the model clock: with few streams, and on a wire that loses, doubles, moves and
# spoils packets, messages arrive once and in order, and all runs are the same, with the same
# faults.
#
#   FLOW_SENDERS  ranks that send to one at once, default 40; 300 with FLOW_SEEDS="1 2 3" takes long
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; options are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD NICEMU_FAULT
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
die() { echo "$*"; cat "$dir/err"; exit 1; }
senders=${FLOW_SENDERS:-40}

# -- many senders to one: all comes, the streams suffice, and little is sent again

# flood FAULTS OPTION...: what it says, and the figures of all ranks
flood() {
    faults=$1
    shift
    NICEMU_FAULT=$faults MPILITE_STATS=1 timeout 600 "$mpirun" --model seastar "$@" --model-hash \
        -n $((senders + 1)) "$PWD/examples/papers/flood" >"$dir/out" 2>"$dir/err" ||
        die "$senders senders, '$faults' $*: failed"
}
figure() { awk -v name="$1" '$0 ~ " " name " " { n = $1 == "-" ? $4 : $1 } END { print n + 0 }' \
    "$dir/err"; }
hash_of() { sed -n 's/.*model hash \([0-9a-f]*\),.*/\1/p' "$dir/err"; }

for seed in ${FLOW_SEEDS:-1}; do
    flood "drop=2%,seed=$seed" --set flow.streams=$((senders * 5 / 6))
    again=$(figure wire_repeats) sent=$(figure packets_sent)
    [ "$(figure wire_faults)" -gt 0 ] || die 'no packet was lost'
    [ $((again * 3)) -le "$sent" ] || die "of $sent packets $again were repeats"
    used=$(figure streams)
    [ "$used" -le $((senders * 5 / 6)) ] || die "$used streams in use"
    echo "seed $seed: $sent packets, $again of them again, $(figure streams_refused) refused"
    before=$(hash_of)
    flood "drop=2%,seed=$seed" --set flow.streams=$((senders * 5 / 6)) --model-serial
    [ "$(hash_of)" = "$before" ] || die 'another hash, one rank at a time'
done
flood '' --set flow.streams=5
with=$(figure wire_repeats)
[ "$(figure streams_refused)" -gt 0 ] || die 'nothing was refused'
flood '' --set flow.streams=5 --set flow.backoff=no
[ "$(figure wire_repeats)" -gt "$with" ] || die 'places in line make no difference'

# -- a peer that never answers: its messages fail, and the job with them

for patience in '1ms 10 s' '1us 10 ms' '2ps 20 ns'; do
    NICEMU_FAULT=drop=100% timeout 600 "$mpirun" --model seastar \
        --set flow.patience="${patience%% *}" -n 2 "$PWD/tests/clock/random.t" 1 3 \
        >"$dir/out" 2>"$dir/err" && die 'a wire that loses everything: it goes on'
    told="packets for ${patience#* } of virtual time"
    grep -q "has answered none of rank [01]'s $told" "$dir/err" ||
        die "a wire that loses everything: not told: $(cat "$dir/err")"
done

# -- one that computes for long is not taken for dead, whoever answers for it

for offload in all match none forward; do
    for profile in seastar lanai91-mpi; do
        NICEMU_FAULT=drop=2%,seed=3 timeout 600 "$mpirun" --model $profile --offload $offload -n 3 \
            "$PWD/tests/clock/late.t" >"$dir/out" 2>"$dir/err" || die "late: $profile, $offload"
        grep -q 'all came' "$dir/out" || die "late: $profile, $offload: nothing came"
    done
done

# -- messages that take longer to leave than the profile's patience lasts: it begins behind them

for serial in '' --model-serial; do
    NICEMU_FAULT=drop=1%,seed=3 timeout 600 "$mpirun" --model seastar $serial --model-hash -n 2 \
        "$PWD/tests/mpi/order_busy.t" >"$dir/out" 2>"$dir/err" || die 'long messages: no end'
    hash_of >"$dir/long$serial"
done
cmp -s "$dir/long" "$dir/long--model-serial" || die 'long messages: not the same'

# -- data that are spoilt on every tenth packet are not taken for whole ones

NICEMU_FAULT=corrupt=10%,seed=3 timeout 600 "$mpirun" --model seastar -n 3 \
    "$PWD/tests/clock/random.t" 5 20 >"$dir/spoilt" 2>"$dir/err" || die 'packets that are spoilt'

# -- random programs, in all ways, hashes compared

number=0
for offload in all match none forward; do
    number=$((number + 1))
    for profile in ideal seastar; do
        for serial in '' --model-serial; do
            NICEMU_FAULT="drop=2%,dup=2%,reorder=3%,corrupt=1%,seed=$number" \
                timeout 600 "$mpirun" --model $profile $serial --offload $offload --model-hash \
                --set flow.streams=2 --explain -n 3 "$PWD/tests/clock/random.t" $number 9 \
                >"$dir/said" 2>"$dir/err" || die "random $number, $profile, $offload: failed"
            ! grep -q 'not explained right' "$dir/err" || die "$profile, $offload: $number"
            hash_of >>"$dir/said"
            [ -z "$serial" ] || cmp -s "$dir/said" "$dir/before" ||
                die "random $number, $profile, $offload: not the same, one rank at a time"
            cp "$dir/said" "$dir/before"
        done
    done
done
NICEMU_FAULT=nonsense "$mpirun" --model ideal -n 1 "$PWD/tests/clock/random.t" 1 2>"$dir/err" &&
    die 'nonsense is taken for faults'
grep -q 'NICEMU_FAULT: .nonsense' "$dir/err" || die 'it does not say what is wrong'
