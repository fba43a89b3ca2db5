#!/bin/sh
# Streams of messages on the model clock.  However far a sender could run ahead in real time,
# nothing piles up at a receiver that keeps up with it in virtual time, nor where the profile has
# flow control or a ring of slots; and where the receiver is late in virtual time it keeps no more
# than protocol.eager_ahead of each sender, and what those have sent whose calls wait.
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; options are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_EAGER MPILITE_RNDV NICEMU_OFFLOAD MPILITE_STATS
program=$PWD/tests/clock/stream.t

# figure NAME: the most that a rank has of it, as told; 0 where nobody has any.
figure() {
    awk -v name="$1" '/^rank  / { ranks = 1 }
        ranks && $1 == name { for (i = 2; i <= NF; i++) if ($i > most) most = $i }
        END { print most + 0 }' "$work/err"
}

# hash OPTIONS RANKS ARGUMENT...: runs it, and has its hash in $hash.
hash() {
    options=$1 ranks=$2
    shift 2
    export MPILITE_STATS=all
    run 0 $options --model-hash -n "$ranks" "$program" "$@"
    unset MPILITE_STATS
    hash=$(sed -n 's/.*model hash \([0-9a-f]*\),.*/\1/p' "$work/err")
    [ "$hash" ] || fail "$options: no hash"
}

# same MOST OPTIONS RANKS ARGUMENT...: at most so many messages wait for receives at a time; and in
# parallel and one rank at a time the same happens.
same() {
    most=$1
    shift
    hash "$@"
    first=$hash kept=$(figure unexpected_queue_max) held=$(figure eager_held)
    [ "$kept" -le "$most" ] || fail "$*: $kept messages were kept, and $most may be"
    for figure in strays_type strays_request strays_malformed; do
        [ "$(figure $figure)" = 0 ] || fail "$*: $figure"
    done
    first_options=$1
    shift
    hash "$first_options --model-serial" "$@"
    [ "$hash" = "$first" ] || fail "$first_options $*: $first, one rank at a time $hash"
}

# Each way, with limits that are reached: in order, both sides at once, from many.
for profile in redstorm-alpu ideal lanai91-mpi seastar fpga-scratchpad; do
    for ahead in 1 2 3 64; do
        options="--model $profile --set protocol.eager_ahead=${ahead}messages"
        same $((ahead + 1)) "$options" 2 400 0
        same $((ahead + 1)) "$options" 2 400 0 8 turns
        same $((ahead + 1)) "$options" 2 400 0 8 both
        same $((3 * (ahead + 1))) "$options" 4 300 0 8 all
        same 401 "$options" 2 400 0 8 last
        same 401 "$options" 2 400 0 8 cancel
        same 401 "$options" 2 400 0 8 parts $ahead
    done
done
# The receiver of these is late: what it is late for is held back, and without a limit kept.
for profile in redstorm-alpu ideal; do
    for bytes in 8 1024; do
        same 65 "--model $profile --set protocol.eager_ahead=64messages" 2 2000 0 $bytes
        [ "$held" -gt 0 ] || fail "$profile, $bytes bytes: no send was held"
    done
    hash "--model $profile --set protocol.eager_ahead=0messages" 2 2000 0
    [ "$(figure unexpected_queue_max)" -gt 1000 ] ||
        fail "$profile: a receiver that is late keeps nothing: this test sees nothing"
done
# Who gets messages back is told by them, and sends nothing for it.
for profile in redstorm-alpu ideal fpga-scratchpad; do
    hash "--model $profile --set protocol.eager_ahead=64messages" 2 2000 0 8 both
    first=$hash
    [ "$(figure eager_asked)" = 0 ] || fail "$profile: an exchange has asked"
    hash "--model $profile --set protocol.eager_ahead=0messages" 2 2000 0 8 both
    [ "$hash" = "$first" ] || fail "$profile: to be told takes time"
done
# Where the host runs the handlers, with packets lost, and explained.
for offload in none match all forward; do
    same 9 "--model redstorm-alpu --offload $offload --set protocol.eager_ahead=8messages" 2 400 0
done
export NICEMU_FAULT=drop=3%,dup=3%,reorder=3%,corrupt=1%,seed=3
same 9 "--model ideal --set protocol.eager_ahead=8messages" 2 400 0 8 turns
same 27 "--model redstorm-alpu --set protocol.eager_ahead=8messages" 4 200 0 8 all
unset NICEMU_FAULT
for way in one both last; do
    same 401 "--model redstorm-alpu --explain=1 --set protocol.eager_ahead=8messages" 2 400 0 8 $way
    ! grep 'not explained right' "$work/err" || fail "$way"
done
# A program that relies on buffers for more is told what it waits for; up to the limit it ends.
hash '--model ideal --set protocol.eager_ahead=64messages' 2 64 0 8 unsafe
run 1 --model ideal --set protocol.eager_ahead=64messages -n 2 "$program" 65 0 8 unsafe
told 'rank 0: MPI_Send\(to rank 1 .*\); too many before it are not received'
hash '--model ideal --set protocol.eager_ahead=0messages' 2 1000 0 8 unsafe
# Broadcasts for which others are late: what they have no room for comes again as it is called for,
# once, and who has had some refused sends no more until it is asked.
for ranks in 2 5; do
    hash '--model ideal' $ranks 2000 0 8 bcast
    first=$hash refused=$(awk '$NF && / steps_refused / { print $1; exit }' "$work/err")
    [ "${refused:-0}" -gt 1000 ] || fail "nothing was refused: this test sees nothing"
    [ "$refused" -le $((2000 * (ranks - 1))) ] || fail "of 2000 broadcasts $refused were refused"
    hash '--model ideal --model-serial' $ranks 2000 0 8 bcast
    [ "$hash" = "$first" ] || fail "broadcasts: $first, one rank at a time $hash"
    hash '--model lanai91' $ranks 2000 0 8 bcast
    refused=$(awk '$NF && / steps_refused / { print $1; exit }' "$work/err")
    [ "${refused:-0}" -ge $((ranks - 1)) ] || fail "nothing was refused: this test sees nothing"
    [ "$refused" -le $((20 * (ranks - 1))) ] || fail "of 2000 slow ones $refused were refused"
done
# The same where the NICs send them on.
export MPILITE_BYPASS=nic
hash '--model lanai91' 5 2000 0 8 bcast
refused=$(awk '$NF && / steps_refused / { print $1; exit }' "$work/err")
[ "${refused:-0}" -ge 1 ] || fail "nothing was refused: this test sees nothing"
[ "$refused" -le 200 ] || fail "of 2000 that NICs send on $refused were refused"
unset MPILITE_BYPASS
# More of them than a collective has numbers, and then another call.
run 0 -q --model redstorm-alpu -n 2 "$program" 33500 0 8 bcast

most=4096 set=      # KiB
! grep -q -e '--with-sanitizer' config.log || exit 0    # they keep what is freed

# grows PROFILE PACE BYTES: by how many KiB that rank which grows most does so.
grows() {
    run 0 --model "$1" $set -n 2 "$program" 100000 "$2" "$3"
    grown=$(sed -n 's/^rank [01]: //p' "$work/out" | sort -n | tail -n 1)
    case $grown in ''|*[!0-9]*) fail "$1, $2 ns: $(cat "$work/out")" ;; esac
}

for case in 'ideal 1 8' 'redstorm-alpu 1000 8' 'fpga-scratchpad 0 8' 'seastar 0 8'; do
    grows $case
    [ "$grown" -le "$most" ] || fail "$case: $grown KiB more for 100,000 messages"
done
most=16384          # 8,192 messages with what each takes
set='--set protocol.eager_ahead=8192messages'
for case in 'ideal 0 8' 'redstorm-alpu 0 8' 'ideal 0 1024' 'redstorm-alpu 0 1024'; do
    grows $case
    [ "$grown" -le "$most" ] || fail "$case: $grown KiB more for 100,000 messages"
done
exit 0
