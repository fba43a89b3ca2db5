#!/bin/sh
# A network of routers (link.topology and what goes with it): each hop takes its time, on every way
# that a message has, by sums done by hand; MPI programs come out right; the same hash in each run,
# one rank at a time too, with shared NICs, a unit and on a wire that loses packets; all time is
# explained.
#
#   NETWORK_SEEDS  how many random programs, default 8     NETWORK_FIRST  the first seed
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD NICEMU_FAULT
unset MPILITE_BYPASS
program=$PWD/tests/clock/network.t
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
base='call.test=1ps call.probe=1ps call.wtime=1ps link.latency=1us link.byte=1ns/byte
 protocol.header=16bytes link.router=100ns'

# far RANKS SETTINGS BYTES [FROM TO]...: ns from rank 0's send to each other rank's receive, or of
# what is sent at once
far() {
    ranks=$1 settings=$2
    shift 2
    # shellcheck disable=SC2046 # words
    timeout 600 "$mpirun" --model ideal $(printf ' --set %s' $base $settings) -n "$ranks" \
        "$program" "$@" 2>"$dir/err"
}
is() { [ "$2" = "$3" ] || { echo "$1: $3, not $2"; bad=1; }; }

# -- 84 bytes and their header take 100 ns on the wire, 1000 for the link, 100 for each hop

is 'each next to all' '1100 1100 1100 1100 1100 1100 1100' "$(far 8 '' 84)"
row='link.x=8nodes link.y=1nodes link.z=1nodes'
is 'a row' '1200 1300 1400 1500 1600 1700 1800' "$(far 8 "link.topology=mesh $row" 84)"
is 'a ring' '1200 1300 1400 1500 1400 1300 1200' "$(far 8 "link.topology=torus $row" 84)"
# open sides are 2 x 2 x 2
is 'a cube' '1200 1200 1300 1200 1300 1300 1400' "$(far 8 link.topology=mesh 84)"
# 2 x 1 x 4: x is a row, z a ring; (1, 0, 3) is two hops from (0, 0, 0)
is 'a mesh that is a ring in z' '1200 1200 1300 1300 1400 1200 1300' \
    "$(far 8 'link.topology=mixed link.x=2nodes link.y=1nodes link.z=4nodes' 84)"
# nodes of two ranks: 0 and 1 have none between them
is 'two to a node' '1100 1200 1200 1300 1300 1400 1400' \
    "$(far 8 'link.topology=mesh node.ranks=2 link.y=1nodes link.z=1nodes' 84)"
is 'turned round' '50 1200 1200 1300 1300' \
    "$(far 6 'link.topology=mesh node.ranks=2 node.loop=50ns link.y=1nodes link.z=1nodes' 84)"

# -- other ways: as often as the network is crossed one after the other

# crossed NAME TIMES SETTINGS BYTES: so often, by the third hop
crossed() {
    without=$(far 4 "$3" "$4" | cut -d ' ' -f 3)
    with=$(far 4 "$3 link.topology=mesh link.x=4nodes" "$4" | cut -d ' ' -f 3)
    is "$1" $((without + 300 * $2)) "$with"
}
crossed 'request, answer, data' 3 'protocol.rendezvous=put protocol.eager_limit=64bytes' 5000
crossed 'request, read and its answer' 3 'protocol.rendezvous=get protocol.eager_limit=64bytes' 5000
crossed 'into a ring' 1 'protocol.offload=none protocol.eager=ring protocol.eager_limit=64bytes
    scratchpad.slot_bytes=160bytes' 64
crossed 'a NIC that forwards' 1 protocol.offload=forward 84
crossed 'under flow control' 1 'flow.streams=2streams' 84
put() {
    # shellcheck disable=SC2046 # words
    timeout 600 "$mpirun" --model ideal $(printf ' --set %s' $base pgas.unit=yes $1) -n 4 \
        --model-hash "$PWD/tests/shmem/rma.t" 2>&1 >/dev/null | sed -n 's/.* events, \(.*\) s$/\1/p'
}
awk -v a="$(put '')" -v b="$(put 'link.topology=mesh link.x=4nodes')" \
    'BEGIN { exit !(a > 0 && b > a) }' || { echo "units: hops cost nothing"; bad=1; }

# -- links that are shared.  100 ns on the wire, 1000 to the first router, 50 from there to the next

shared="link.contention=shared link.router=50ns"
line="$shared link.topology=mesh link.x=4nodes"
is 'alone' '1150 1200 1250' "$(far 4 "$line" 84)"
# from 1 at router 1 at 1100, from 0 at 1150, when 50 of 100 bytes of the other are on their way
is 'one behind the other' '1200 1300' "$(far 4 "$line" 84 1 3 0 3)"
is 'for each by itself' '1200 1250' "$(far 4 "$line link.contention=none" 84 1 3 0 3)"
is 'against each other' '1250 1250' "$(far 4 "$line" 84 0 3 3 0)"
is 'beside each other' '1150 1150' "$(far 4 "$line" 84 0 1 2 3)"
# three behind each other, where the first router waits as well: 1200, 1300, 1400 at the last one
is 'three' '1150 1250 1350' "$(far 4 "$line" 84 2 3 1 3 0 3)"
# the way is x first: in a plane of 3 x 2 0 goes to 5 by 1 and 2, not by 3 and 4
plane="$shared link.topology=mesh link.x=3nodes link.y=2nodes"
is 'x before y' '1150 1300' "$(far 6 "$plane" 84 1 2 0 5)"
is 'not y before x' '1150 1250' "$(far 6 "$plane" 84 3 4 0 5)"
# a link takes the head first, the rest behind it
is 'cut through' '1200 1300' "$(far 4 "$line link.cut_through=yes" 84 1 3 0 3)"
# a crossbar has a link to each node: the rank of the lesser number first
is 'into one node' '1100 1200 1300' "$(far 4 "$shared" 84 1 0 2 0 3 0)"
is 'into two nodes' '1100 1100 1200' "$(far 4 "$shared" 84 1 0 2 3 3 0)"
# nodes of two ranks: a node's own link makes it 1100 and 1200, and 2 and 3 are behind each other
is 'two to a node' '1150 1250' "$(far 4 "$line node.ranks=2" 84 0 2 1 3)"
is 'into nodes of two' '1100 1200' "$(far 6 "$shared node.ranks=2" 84 2 0 4 1)"
# 3 x 1 x 2 places for 4 ranks: routers of 4 and 5, where nobody is, are others' to look after
is 'routers without nodes' '1200 1300' \
    "$(far 4 "$shared link.topology=mesh link.x=3nodes link.y=1nodes link.z=2nodes" 84 0 2 3 2)"
# by request, answer and 100,000 bytes: in front of the message that ends it, the other's behind it
rendezvous="$line protocol.eager_limit=64bytes"
is 'what RDMA writes' 100000 "$(far 4 "$rendezvous" 100000 1 3 0 3 |
    awk '{ late = $2 - $1; print (late > 99000 && late < 101000 ? 100000 : late) }')"
is 'beside each other, too' 0 "$(far 4 "$rendezvous" 100000 0 1 3 2 | awk '{ print $2 - $1 }')"

# -- programs, and their hashes

. "${srcdir:-.}/tests/clock/hash.inc"
seed=${NETWORK_FIRST:-1} last=$((${NETWORK_FIRST:-1} + ${NETWORK_SEEDS:-8}))
while [ $seed -lt $last ]; do
    set -- redstorm-alpu seastar ideal lanai43
    shift $((seed % 4))
    options="--model $1"
    set -- all none match forward
    shift $((seed / 2 % 4))
    options="$options --offload $1"
    set -- mesh torus mixed
    shift $((seed % 3))
    options="$options --set link.topology=$1 --set link.router=$((7 + 200 * (seed % 2)))ns"
    case $((seed % 5)) in 0) ;; *) options="$options --set link.contention=shared" ;; esac
    set -- '' '--set node.ranks=2' '--set link.z=1nodes' '--set node.ranks=3 --set node.cpus=1'
    shift $((seed / 3 % 4))
    options="$options $1 -n $((3 + seed % 6))"
    unset NICEMU_FAULT
    case $((seed % 3)) in 0) export NICEMU_FAULT="drop=2%,dup=1%,reorder=2%,seed=$seed" ;; esac
    same $seed $options "$PWD/tests/clock/random.t" $seed 6
    seed=$((seed + 1))
done
unset NICEMU_FAULT

# -- what is refused

run 2 --model ideal --set link.topology=torus --set link.x=2 --set link.y=2 --set link.z=2 -n 9 true
told 'link.x = 2, link.y = 2, link.z = 2: a network of 8 nodes; 9 ranks need 9'
run 2 --model ideal --set link.topology=mesh --set link.contention=shared -n 2 true
told 'link.router = 0 ps: does not fit the rest; allowed: 1 ps or more, where links are shared'
run 2 --model ideal --set link.topology=ring -n 2 true
told 'link.topology = ring: .*crossbar, mesh, torus'
exit $bad
