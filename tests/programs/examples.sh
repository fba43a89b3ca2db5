#!/bin/sh
# The examples of the build folder run, say that their results are right, and refuse wrong
# arguments.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "$(dirname "$0")/lib.sh"

examples=$PWD/examples

# try CODE PATTERN RANKS EXAMPLE [ARGUMENT]...: ends with CODE, and a line matches.
try() {
    want=$1 pattern=$2 ranks=$3 name=$4
    shift 4
    timeout -k 5 "$limit" "$bin/mpirun" -n "$ranks" "$examples/$name" "$@" \
        >"$work/out" 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$want" ] || fail "$name $* on $ranks ranks: exit code $got, should be $want"
    grep -q -- "$pattern" "$work/out" || fail "$name $* on $ranks ranks: no line like '$pattern'"
}

for ranks in 1 2 3 16; do
    try 0 ': right$' "$ranks" ring 50
    try 0 ': right$' "$ranks" pi 100000
    try 0 ': right$' "$ranks" master_worker -w 90
done
for ranks in 2 4; do
    try 0 ': right$' "$ranks" pingpong -s 64K -i 20 --histogram
done
try 2 'even number' 3 pingpong

for ranks in 1 2 3 6 7 16; do
    try 0 '^checksum' "$ranks" heat2d -n 101 -s 100 -o "$work/plate$ranks"
    grep '^checksum' "$work/out" >"$work/sum$ranks"
    for file in "sum$ranks" "plate$ranks.png" "plate$ranks.ppm"; do
        one=$(echo "$file" | sed "s/$ranks/1/")
        cmp "$work/$file" "$work/$one" || fail "heat2d on $ranks ranks: $file differs"
    done
done

try 0 '^ *eager_limit  *size, [0-9]' 2 mpivars
[ "$(grep -c '^ *MPILITE_EAGER ' "$work/out")" -eq 1 ] || fail "mpivars: not once by rank 0"
try 0 'travel with their envelope' 1 mpivars -v

# OpenSHMEM; without shared memory, too.
for way in '' packet; do
    for ranks in 1 2 5; do
        NICEMU_REMOTE=$way try 0 ': right$' "$ranks" shmem/random_access 10
        NICEMU_REMOTE=$way try 0 ': right$' "$ranks" shmem/halo 60
        NICEMU_REMOTE=$way try 0 ': right$' "$ranks" shmem/steal 11
        [ "$ranks" -eq 1 ] || NICEMU_REMOTE=$way try 0 '^indirect.*: right$' "$ranks" \
            shmem/streams 320
        # One-sided communication of MPI.
        NICEMU_REMOTE=$way try 0 ': right$' "$ranks" rma/random_access 8
        NICEMU_REMOTE=$way try 0 ': right$' "$ranks" rma/hash_table 60 4
        try 0 ': right$' "$ranks" rma/stencil 50 30
    done
done

MPILITE_STATS=1 try 0 'what the NICs of 2 ranks did' 2 shmem/halo 60

# Without MPI.
for ranks in 1 2 3 16; do
    try 0 '^rank 0 received' "$ranks" nic/count_sizes 3000
    [ "$(grep -c '^rank .*: right$' "$work/out")" -eq "$ranks" ] ||
        fail "nic/count_sizes: not $ranks ranks are right"
done
"$examples/nic/count_sizes" 1000 >"$work/out" 2>&1 || fail "nic/count_sizes without mpirun"
try 0 ': right$' 1 nic/pingpong_loop 3000
for ranks in 1 2 5; do
    for way in '' staged; do
        NICEMU_RDMA=$way try 0 ': right$' "$ranks" units/remote_memory
        [ "$(grep -c ': right$' "$work/out")" -eq "$ranks" ] ||
            fail "units/remote_memory: not $ranks ranks are right"
    done
done

for name in ring pi master_worker mpivars pingpong heat2d \
    nic/count_sizes nic/pingpong_loop units/remote_memory shmem/random_access shmem/halo \
    shmem/steal shmem/streams rma/random_access rma/hash_table rma/stencil; do
    try 0 '^usage:' 1 "$name" --help
    try 2 '^usage:' 1 "$name" -x nonsense more
done
