#!/bin/sh
# Ranks that share a NIC, its bus and its link, and processors (node.* of a profile): sums done by
# hand; MPI programs come out right; the same hash in each run, one rank at a time too, on a wire
# that loses packets and with hosts that are interrupted as well; all time is explained.
#
#   NODE_SEEDS  how many random programs, default 10     NODE_FIRST  the first seed
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD NICEMU_FAULT
unset MPILITE_BYPASS
program=$PWD/tests/clock/node.t
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
base='call.test=1ps call.probe=1ps call.wtime=1ps link.latency=1us link.byte=1ns/byte
 protocol.header=16bytes protocol.offload=all bus.command_bytes=0bytes bus.completion_bytes=0bytes'

# node RANKS SETTINGS ARGUMENT...: what it prints, in a line
node() {
    ranks=$1 settings=$2
    shift 2
    # shellcheck disable=SC2046 # words
    timeout 600 "$mpirun" --model ideal $(printf ' --set %s' $base $settings) -n "$ranks" \
        "$program" "$@" 2>"$dir/err" | paste -sd ' '
}
is() { [ "$2" = "$3" ] || { echo "$1: $3, not $2"; bad=1; }; }

# -- two ranks send 84 bytes at once, which with the header take 100 ns on the wire, and 1000 more

is 'each its own link' '1100 1100' "$(node 4 '' send 84)"
# the second packet leaves behind the first
is 'one link' '1100 1200' "$(node 4 node.ranks=2 send 84)"
is 'one link, three of them' '1100 1200 1300' "$(node 6 node.ranks=3 send 84)"
# a command and a completion cross the bus: 70 each, for each by itself
is 'over the bus' '1240 1340' "$(node 4 'node.ranks=2 bus.latency=70ns' send 84)"
# the NIC takes the first command in until 250, the second until 500; the link is free then
is 'one processor, sending' '1350 1600' "$(node 4 'node.ranks=2 nic.command=250ns' send 84)"
is 'each its own' '1350 1350' "$(node 4 nic.command=250ns send 84)"
# both packets are there before the first, from 1100 on, has been taken in at 1400
is 'one processor, receiving' '1400 1700' "$(node 4 'node.ranks=2 nic.packet=300ns' send 84)"
# host memory is read: 40 until the first byte and 2 ns for each, 208 in all, one after the other
bus='bus.read=40ns bus.read_byte=2ns/byte'
is 'one bus' '1208 1416' "$(node 4 "node.ranks=2 $bus" send 84)"
is 'each its own bus' '1208 1208' "$(node 4 "$bus" send 84)"
# and written: 50 and 84 * 3 = 302; the second is there at 1200 and waits until 1402
bus='bus.write=50ns bus.write_byte=3ns/byte'
is 'one bus, the other way' '1402 1704' "$(node 4 "node.ranks=2 $bus" send 84)"

# -- between ranks of a node: by the link, or turned round in the NIC, which takes no link

is 'round by the link' '1100' "$(node 2 node.ranks=2 send 84)"
is 'turned round' '300' "$(node 2 'node.ranks=2 node.loop=300ns' send 84)"
is 'turned round, two' '300 300' "$(node 4 'node.ranks=4 node.loop=300ns' send 84)"
# the engine sends both: 10 and 84
is 'turned round by one engine' '394 488' \
    "$(node 4 'node.ranks=4 node.loop=300ns tx.start=10ns tx.byte=1ns/byte' send 84)"
is 'to others, not' '1100 1200' "$(node 4 'node.ranks=2 node.loop=300ns' send 84)"

# -- processors.  Two compute 1 ms each by turns of 100 us: 2 ms, and 19 changes between 20 turns;
# one or two more where one of them comes out of MPI_Init meanwhile.

compute() {
    ranks_c=$1
    shift
    node "$ranks_c" "$* node.slice=100us" compute 1e6 | sed 's/ .*//'
}
# takes NAME LEAST MOST GOT
takes() {
    [ "${4:-0}" -ge "$2" ] && [ "$4" -le "$3" ] || { echo "$1: $4, not $2 to $3"; bad=1; }
}
is 'a processor each' 1000000 "$(compute 2 node.ranks=2)"
is 'two for two' 1000000 "$(compute 2 node.ranks=2 node.cpus=2)"
is 'one for two, at no cost' 2000000 "$(compute 2 node.ranks=2 node.cpus=1)"
takes 'one for two' 2019000 2022000 "$(compute 2 node.ranks=2 node.cpus=1 node.change=1us)"
is 'two for four, at no cost' 2000000 "$(compute 4 node.ranks=4 node.cpus=2)"
takes 'two for four' 2019000 2022000 "$(compute 4 node.ranks=4 node.cpus=2 node.change=1us)"
is 'one for four, at no cost' 4000000 "$(compute 4 node.ranks=4 node.cpus=1)"

# -- programs, and their hashes

. "${srcdir:-.}/tests/clock/hash.inc"
seed=${NODE_FIRST:-1} last=$((${NODE_FIRST:-1} + ${NODE_SEEDS:-10}))
while [ $seed -lt $last ]; do
    set -- redstorm-alpu seastar ideal lanai43
    shift $((seed % 4))
    options="--model $1"
    set -- all none match forward
    shift $((seed / 2 % 4))
    options="$options --offload $1"
    set -- '' '--set node.loop=50ns' '--set node.cpus=1 --set node.change=3us' \
        '--set completion.kind=interrupt --set completion.handler=2us' \
        '--set node.cpus=2 --set node.loop=1us --set node.slice=20us'
    shift $((seed % 5))
    options="$options --set node.ranks=3 $1 -n $((3 + seed % 6))"
    unset NICEMU_FAULT MPILITE_BYPASS
    case $((seed % 3)) in
    0) export NICEMU_FAULT="drop=2%,dup=1%,reorder=2%,corrupt=0.5%,seed=$seed" ;;
    1) export MPILITE_BYPASS=nic ;;
    esac
    same $seed $options "$PWD/tests/clock/random.t" $seed 6
    seed=$((seed + 1))
done
unset NICEMU_FAULT MPILITE_BYPASS

# windows, and shared memory of OpenSHMEM
for program in mpi/rma_random mpi/rma_order mpi/win shmem/rma shmem/atomic; do
    same "$program" --model redstorm-alpu --set node.ranks=3 --set node.cpus=1 \
        --set node.change=3us -n 4 "$PWD/tests/$program.t"
    same "$program" --model seastar --set node.ranks=4 --set node.loop=50ns -n 4 \
        "$PWD/tests/$program.t"
done

# -- what does not go together

run 2 --model ideal --set node.ranks=2 --set pgas.unit=yes -n 2 true
told 'node.ranks = 2 ranks: does not fit the rest; allowed: 1, as there is a unit'
run 2 --model fpga-scratchpad --set node.ranks=2 -n 2 true
told 'node.ranks = 2 ranks: does not fit the rest; allowed: 1, as hosts write their rings'
run 2 --model ideal --set node.cpus=2 -n 2 true
told 'node.cpus = 2 processors: does not fit the rest; allowed: at most node.ranks, 1'
run 2 --model ideal --set node.ranks=0 -n 2 true
told 'node.ranks'
run 2 --model ideal --set node.slice=0 -n 2 true
told 'node.slice'
exit $bad
