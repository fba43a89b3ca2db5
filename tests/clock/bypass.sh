#!/bin/sh
# MPILITE_BYPASS=nic: a rank that is late to a broadcast holds up nobody behind it, and one that is
# not the root of a reduction waits for nobody: times done by hand, on hardware that costs nothing
# but what a case names; and the same data, and the same events, in each run.
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD MPILITE_BYPASS
program=$PWD/tests/clock/bypass.t
bad=0
base='call.test=1ps call.probe=1ps call.wtime=1ps link.latency=1us'

# took NAME EXPECTED BYPASS RANKS OFFLOAD SETTINGS ARGUMENT...: microseconds of each rank, whole
took() {
    name=$1 wanted=$2 bypass=$3 ranks=$4 offload=$5 settings=$6
    shift 6
    # shellcheck disable=SC2046 # words
    got=$(MPILITE_BYPASS=$bypass "$mpirun" -q --model ideal --offload "$offload" \
        $(printf ' --set %s' $base $settings) -n "$ranks" "$program" "$@" |
        awk '{ printf "%s%.2f", (NR == 1 ? "" : " "), $2 / 1000 }')
    [ "$got" = "$wanted" ] && return
    echo "$name, $offload, bypass $bypass: '$got' us, not '$wanted'"
    bad=1
}

# -- a broadcast, rank 1 a millisecond late.  Five others: a packet of a step, whose copy takes
# three units to be there, goes to 1, 2, 3 and 4 from the root, and to 5 from 1; a message, whose
# copy takes one, to 1, 2 and 4 from the root, and from 1 to 3 and 5.  A host in between delays who
# comes behind it; a NIC adds a latency.
late='bcast 8 1 1e6'
took 'a host in between' '0.00 0.00 1.00 1.00 1.00 1001.00' none 6 all '' $late
took 'a host in between' '0.00 0.00 1.00 1001.00 1.00 1001.00' none 6 match '' $late
took 'a packet' '0.00 0.00 1.00 1.00 1.00 2.00' nic 6 all '' $late
took 'a message' '0.00 0.00 1.00 2.00 1.00 2.00' nic 6 match '' $late
took 'a message of 100 bytes' '0.00 0.00 1.00 2.00 1.00 2.00' nic 6 all '' bcast 100 1 1e6
# The root sends to each itself: nobody passes anything on.
took 'the host sends to each' '0.00 0.00 1.00 1.00 1.00 1.00' host 6 match '' $late
# Each NIC takes a packet in, and then sends it on.
took 'taking it in' '0.00 0.00 1.20 1.20 1.20 2.40' nic 6 all 'nic.packet=200ns' $late
# The command once; the host of the root, and who finds its data there, waits for its own.
took 'one command' '0.10 0.10 1.10 1.10 1.10 2.10' nic 6 all 'nic.command=100ns' $late
# One engine for the copies, one after the other, and then the answer to the host.
took 'four copies' '0.12 0.00 1.06 1.09 1.12 2.06' nic 6 all 'tx.start=30ns' $late
# 16 bytes of header, 16 of the NIC's, 8 + 8 of the step and its data, and 8 for the list of those
# behind: 56 to rank 1, 48 to 2, 3 and 4; 5 has it 1056 + 1048 after the root began.
took 'bytes' '0.00 0.00 1.10 1.15 1.20 2.10' nic 6 all \
    'protocol.header=16bytes link.byte=1ns/byte' $late
# Packets of 4096 and 904 bytes: 4136, 4128 and 4128 on the root's wire, then 944, 936 and 936.
# Rank 1 sends the first on while the root sends the second, which it has at 1000 + 13336.
took 'packet by packet' '0.00 0.00 15.27 16.27 16.21 17.21' nic 6 all \
    'protocol.header=16bytes link.byte=1ns/byte' bcast 5000 1 1e6

# -- hosts that run the protocols, as the message from rank 1 on to 3 and 5.  One that computes
# passes it on if it is interrupted, which takes its handler; so are 2 and 4, asleep in their calls.
late='bcast 8 1 1e6'
handler='completion.handler=3us completion.kind'
took 'a host polls' '0.00 0.00 1.00 1001.00 1.00 1001.00' nic 6 forward "$handler=polling" $late
took 'a signal' '0.00 0.00 1.00 5.00 1.00 5.00' nic 6 forward "$handler=signal" $late
took 'asleep' '0.00 0.00 4.00 8.00 4.00 8.00' nic 6 forward "$handler=blocking" $late
took 'no broadcast' '0.00 0.00 1.00 1001.00 1.00 1001.00' none 6 forward "$handler=signal" $late
# Rank 1 computes 3 us longer, but 3 and 5 need not wait for a message from it, 1 us, behind that.
# Who has nobody behind it has no signal: it computes as long as if nothing had come.
ends() {
    # shellcheck disable=SC2046 # words
    MPILITE_BYPASS=nic "$mpirun" --model-hash --model ideal --offload forward \
        $(printf ' --set %s' $base $handler=$1) -n 6 "$program" bcast 8 "$2" 1e6 2>&1 >/dev/null |
        awk '/model hash/ { printf "%.0f", $(NF - 1) * 1e6 }'
}
for late in 1 5; do
    later=$(($(ends signal $late) - $(ends polling $late)))
    [ $later -eq $((late == 1 ? 2 : 0)) ] ||
        { echo "rank $late is late: a signal takes $later us of its computation"; bad=1; }
done
late='bcast 8 1 1e6'
# Three copies by the root, one after the other, for 1, 2 and 4, and one by each of them out of the
# buffer.  Rank 1 has it at 2, copies for 3 and for 5 until 3 and 4, and then for itself, which it
# does once more when it calls.
took 'copies' '3.00 1.00 4.00 5.00 5.00 6.00' nic 6 forward \
    'completion.kind=signal protocol.copies=yes host.copy=1us' $late
took 'no copies' '0.00 0.00 1.00 5.00 1.00 5.00' nic 6 forward \
    "$handler=signal host.copy=1us protocol.copies=no" bcast 0 1 1e6

# -- a reduction, rank 2 a millisecond late.  Rank 4 waits for what 5 sends, unless its NIC does.
late='reduce 1 2 1e6'
took 'a host waits' '1001.00 0.00 0.00 0.00 1.00 0.00' none 6 all '' $late
took 'the NIC waits' '1001.00 0.00 0.00 0.00 0.00 0.00' nic 6 all '' $late
took 'the NIC waits' '1001.00 0.00 0.00 0.00 0.00 0.00' nic 6 all '' reduce 100 2 1e6
# Where hosts execute schedules they wait.
took 'a host waits' '1001.00 0.00 0.00 0.00 1.00 0.00' nic 6 match '' $late
# Rank 4's NIC adds when its host has gone.  Rank 2's adds what 3 has sent, at 1002, and the root's
# adds that, which is there at 1003, and then what 4 has sent.
took 'the NIC adds' '1007.00 0.00 0.00 0.00 0.00 0.00' nic 6 all 'nic.add=2us' $late

# -- any number of them, any root, hosts that come late or change what they gave; the same events
# in each run
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
runs=0
for profile in ideal redstorm-alpu fpga-scratchpad lanai91-mpi; do
    for offload in all match none forward; do
        for ranks in 3 8; do
            runs=$((runs + 1))
            for serial in '' --model-serial; do
                MPILITE_BYPASS=nic "$mpirun" -q --model $profile --offload $offload $serial \
                    --model-hash -n $ranks "$program" rounds 30 $runs >"$dir/out" 2>&1 || {
                    echo "$profile, $offload, $ranks ranks: failed"
                    cat "$dir/out"
                    bad=1
                }
                [ -z "$serial" ] || cmp "$dir/out" "$dir/before" || bad=1
                cp "$dir/out" "$dir/before"
            done
        done
    done
done
# What came early is explained as all messages are.
MPILITE_BYPASS=nic "$mpirun" --model redstorm-alpu --explain -n 8 "$program" rounds 30 3 \
    >"$dir/out" 2>&1 || bad=1
! grep 'not explained right' "$dir/out" || bad=1
exit $bad
