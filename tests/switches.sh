#!/bin/sh
# Every switch of the NIC and the firmware, each with tests that move all kinds of messages: who
# makes progress, with and without membarrier, half of the kernel copy, each protocol, everything by
# rendezvous, and as little as can be; and scratchpads too small for any buffer.
set -u
here=$(dirname "$0")
# under RANKS TEST: the test does well with $switch
under() {
    # shellcheck disable=SC2086 # several settings are several words
    env $switch sh "$here/run-mpi.sh" -n "$1" "tests/$2.t" && return
    echo "with $switch"
    exit 1
}

for switch in \
    NICEMU_CROWDED=no \
    NICEMU_CROWDED=yes \
    NICEMU_PROGRESS=thread \
    NICEMU_PROGRESS=host \
    NICEMU_MEMBARRIER=off \
    NICEMU_RDMA=read \
    NICEMU_RDMA=write \
    MPILITE_RNDV=get \
    MPILITE_RNDV=put \
    MPILITE_RNDV=both \
    MPILITE_RNDV=staged \
    MPILITE_EAGER=0 \
    MPILITE_EAGER=1000000 \
    NICEMU_HEAP=none \
    "NICEMU_SCRATCHPAD=4k NICEMU_RDMA=staged" \
    "NICEMU_SCRATCHPAD=64k NICEMU_RDMA=staged" \
    MPILITE_STAGED=inbox \
    MPILITE_REFILL=claim \
    MPILITE_REFILL=leave \
    "NICEMU_RDMA=staged MPILITE_STAGED=inbox" \
    NICEMU_SCRATCHPAD=4k; do
    for name in head_to_head order truncate coll_alltoall threads_requests; do
        under 3 "mpi/$name"
    done
done
switch=NICEMU_CROWDED=yes under 8 stress/flood
for switch in \
    MPILITE_COLL=packets \
    "MPILITE_COLL=packets MPILITE_BYPASS=nic" \
    "MPILITE_COLL=packets MPILITE_BYPASS=nic NICEMU_OFFLOAD=match" \
    "MPILITE_COLL=packets MPILITE_BYPASS=none" \
    NICEMU_OFFLOAD=none \
    NICEMU_OFFLOAD=match \
    "MPILITE_COLL=packets MPILITE_BARRIER=gather:2" \
    "MPILITE_COLL=packets MPILITE_BARRIER=pairwise NICEMU_PROGRESS=thread"; do
    for name in icoll icoll_ahead coll_back_to_back coll_user_op comm_split; do
        for ranks in 3 8; do under $ranks "mpi/$name"; done
    done
    for ranks in 3 8; do under $ranks stress/collectives; done
done
# What ranks do that have a core each, and what those do that share one, whatever this machine has.
for switch in \
    NICEMU_CROWDED=no \
    "NICEMU_CROWDED=no MPILITE_COLL=packets NICEMU_OFFLOAD=none" \
    "NICEMU_CROWDED=yes MPILITE_COLL=packets NICEMU_OFFLOAD=none"; do
    for name in coll_allreduce coll_user_op coll_allgather coll_back_to_back coll_bcast \
        coll_reduce coll_reduce_scatter coll_gather coll_scatter coll_alltoall; do
        for ranks in 3 4 7 8; do under $ranks "mpi/$name"; done
    done
done
