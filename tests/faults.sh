#!/bin/sh
# faults.sh [TEST]...: MPI tests over a wire that loses, doubles, reorders and spoils frames: each
# must do well, and no run may pass without a fault.  TEST: a name below tests/mpi without suffix.
set -u
here=$(dirname "$0")
[ $# -gt 0 ] || set -- order truncate head_to_head coll_alltoall icoll icoll_ahead cancel_send \
    mprobe bsend persistent partitioned intercomm comm_split threads_requests
seen=$(mktemp) || exit 1
trap 'rm -f "$seen"' EXIT
trap 'exit 129' HUP INT TERM

NICEMU_FAULT=drop=1%,dup=1%,reorder=2%,corrupt=0.1% MPILITE_STATS=1
export NICEMU_FAULT MPILITE_STATS
for name; do
    for ranks in 2 3; do
        if ! sh "$here/run-mpi.sh" -n $ranks "tests/mpi/$name.t" >>"$seen" 2>&1; then
            grep -v '^ *[0-9]* *[0-9]* @' "$seen"
            echo "mpi/$name on $ranks ranks fails with NICEMU_FAULT=$NICEMU_FAULT"
            exit 1
        fi
    done
done
# The same on the model clock, whose wire has faults of its own.
for name in order truncate icoll cancel_send; do
    if ! MPILITE_MODEL=ideal sh "$here/run-mpi.sh" -n 3 "tests/mpi/$name.t" >>"$seen" 2>&1; then
        grep -v '^ *[0-9]* *[0-9]* @' "$seen"
        echo "mpi/$name fails on the model clock with NICEMU_FAULT=$NICEMU_FAULT"
        exit 1
    fi
done
faults=$(awk '/ wire_faults / { sum += $1 } END { print sum + 0 }' "$seen")
echo "$faults frames met a fault"
[ "$faults" -gt 0 ]
