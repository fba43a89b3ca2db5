#!/bin/sh
# datagrams.sh [TEST]...: MPI tests over datagrams that libfabric's provider udp carries, between
# ranks that count as on two and three machines: each must do well, and frames travel in pieces.
# TEST: a name below tests/mpi without suffix.
set -u
here=$(dirname "$0")
find . -maxdepth 2 -name 'libnicemu_ofi.so' | grep -q . ||
    { echo "built without libfabric (Debian: apt-get install libfabric-dev)"; exit 77; }
[ $# -gt 0 ] || set -- order truncate head_to_head coll_alltoall coll_levels icoll_ahead \
    cancel_send mprobe partitioned intercomm win rma_lock rma_random threads_requests
seen=$(mktemp) || exit 1
trap 'rm -f "$seen"' EXIT
trap 'exit 129' HUP INT TERM

NICEMU_OFI_PROVIDER=udp MPILITE_STATS=1
export NICEMU_OFI_PROVIDER MPILITE_STATS
# works RANKS MACHINES NAME [FAULTS]
works() {
    NICEMU_MACHINES=$2 NICEMU_FAULT=${4:-} \
        sh "$here/run-mpi.sh" -n "$1" "tests/mpi/$3.t" >>"$seen" 2>&1 && return
    why=$(sed -n 's/.*\(libfabric has no provider udp .*\)/\1/p' "$seen" | head -n 1)
    [ -z "$why" ] || { echo "$why"; exit 77; }
    grep -v '^ *[0-9]* *[0-9]* @' "$seen"
    echo "mpi/$3 on $1 ranks, $2 machines fails over datagrams${4:+ with NICEMU_FAULT=$4}"
    exit 1
}
for name; do
    works 2 2 "$name"
    works 4 3 "$name"
done
works 3 3 "$1" drop=1%,dup=1%,reorder=2%,corrupt=0.1%
sum() { awk -v name="$1" '$0 ~ " " name " " { sum += $1 } END { print sum + 0 }' "$seen"; }
echo "$(sum wire_pieces) pieces of frames, $(sum wire_repeats) sent more than once"
[ "$(sum wire_pieces)" -gt 0 ]
