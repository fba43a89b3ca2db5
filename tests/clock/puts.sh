#!/bin/sh
# A unit of the NIC that executes command queues (pgas.unit): sums done by hand, shared by the ranks
# of a node or not; the same hash in each run, one rank at a time too; all time is explained.
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD
programs=$PWD/examples/papers
bad=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
base='call.test=1ps call.probe=1ps call.wtime=1ps pgas.unit=yes pgas.issue=10ns pgas.word=2ns
 pgas.command=50ns pgas.header=28bytes bus.latency=100ns bus.byte=1ns/byte bus.write_byte=2ns/byte
 bus.line_bytes=64bytes bus.line_overhead=8bytes link.byte=1ns/byte link.latency=1us'

# puts RANKS SETTINGS ARGUMENT...: the last number.
puts() {
    ranks=$1 settings=$2
    shift 2
    # shellcheck disable=SC2046 # words
    timeout 600 "$mpirun" --model ideal $(printf ' --set %s' $base $settings) -n "$ranks" \
        "$programs/puts" "$@" 2>"$dir/err" | awk 'END { print $NF }'
}
# is NAME WANTED ALLOWED GOT
is() {
    awk -v n="$1" -v w="$2" -v a="$3" -v g="$4" 'BEGIN {
        d = g - w
        if (g == "" || d > a || d < -a) { printf "%s: %s, not %s\n", n, g, w; exit 1 }
    }' || bad=1
}

# One way: 10 + 2 for each word; the bus 100, and a queue of 16 bytes and the data, rounded up to 8,
# of which 64 take 72; 50; 28 and the data on the wire, 1000; the data to memory, at half the rate,
# and 100.
is '4 bytes' 1331 0.01 "$(puts 2 '' -l -s 4)"         # 12 + 100 + 27 + 50 + 32 + 1000 + 10 + 100
is '8 bytes' 1345 0.01 "$(puts 2 '' -l -s 8)"         # 14 + 100 + 27 + 50 + 36 + 1000 + 18 + 100
is '64 bytes' 1618 0.01 "$(puts 2 '' -l -s 64)"       # 42 + 100 + 90 + 50 + 92 + 1000 + 144 + 100
# A core that copies 64 bytes in 640 ns has 8 out after 80, behind the 10 + 4 that it composes for.
is 'copied' 1425 0.01 "$(puts 2 pgas.line=640ns -l -s 8)"
# A call is entered once, before it composes anything, however many messages it makes.
for bytes in 8 2000; do
    plain=$(puts 2 '' -l -s $bytes)
    is "a call, $bytes bytes" $((plain + 1000)) 0.01 "$(puts 2 call.enter=1us -l -s $bytes)"
done

# Streams, million a second.  A core issues one in 14 ns; the link, 36, is the slowest, for one core
# and for two that share it; with one link each they take 36 each.
is 'one core' 27.778 0.1 "$(puts 2 '' -s 8)"
is 'two cores, shared' 27.778 0.1 "$(puts 4 pgas.ranks=2 -c 2 -s 8)"
is 'two cores, each its own' 55.556 0.2 "$(puts 4 '' -c 2 -s 8)"
# Composing takes longer than anything else: 104.
is 'a slow core' 9.6154 0.02 "$(puts 2 pgas.issue=100ns -s 8)"
is 'two slow cores' 19.231 0.1 "$(puts 4 'pgas.issue=100ns pgas.ranks=2' -c 2 -s 8)"
# What the queue holds, 4096 bytes in puts of 512 and 16 + 512, is on its way: a bus of 10 us there
# and 10 us back for the word of free space lets 8 out in 20 us and what the last takes.
rate=$(puts 2 'bus.latency=10us link.byte=0ps/byte bus.byte=0ps/byte' -s 512)
awk -v r="$rate" 'BEGIN { exit !(r > 0.3 && r < 0.4) }' || { echo "a full queue: $rate"; bad=1; }

# -- hashes

. "${srcdir:-.}/tests/clock/hash.inc"
# shellcheck disable=SC2046 # words
shared="--model ideal $(echo $(printf ' --set %s' $base pgas.ranks=3))"
for program in 'puts -c 3 -s 8,200 -n 1024' 'puts -c 3 -C -n 1024' 'updates -u 100'; do
    same "$program" $shared -n 6 "$programs/"$program
done
# What the host's calls take lies behind what it has promised, on any profile.
for profile in ideal pgas-xt redstorm-alpu; do
    same "calls on $profile" --model $profile --set pgas.unit=yes --set call.enter=10us -n 2 \
        "$programs/updates" -u 64
done
# The last node of five ranks has two.
same 'five ranks' $shared -n 5 "$programs/updates" -u 64
# A rank whose bus is quicker than the others' reaches them sooner.
printf 'include = ideal\n[ranks 1-1 bus]\nlatency = 1 ns\n' >"$dir/quick.conf"
# shellcheck disable=SC2046 # words
same 'a quick bus' --model "$dir/quick.conf" $(printf ' --set %s' $base pgas.ranks=2) -n 4 \
    "$programs/updates" -u 100
# A host that runs handlers while its command waits for the unit keeps what it has promised.
timeout 600 "$mpirun" --model lanai43 --offload none --set pgas.unit=yes \
    --set link.contention=shared -n 4 "$PWD/tests/clock/sided.t" many 5 >"$dir/out" 2>"$dir/err" ||
    { head -n 3 "$dir/err"; bad=1; }
# All tests of SHMEM's transfers.
for test in rma atomic; do
    [ -x "$PWD/tests/shmem/$test.t" ] || continue
    [ "$(hash $shared -n 4 "$PWD/tests/shmem/$test.t")" ] || { echo "shmem/$test fails"; bad=1; }
done
# Of ranks that share a unit none may run ahead by nothing.
run 2 --model ideal --set pgas.unit=yes --set pgas.ranks=2 -n 2 true
told 'pgas.ranks = 2 ranks: does not fit'
# shellcheck disable=SC2046 # words
"$mpirun" --model ideal $(printf ' --set %s' $base pgas.ranks=2) --explain-file "$dir/why" -n 4 \
    "$programs/updates" -u 100 >/dev/null 2>"$dir/err" || bad=1
grep 'not explained right' "$dir/err" && bad=1
grep -q '^one-sided.*queue' "$dir/why" || { echo 'nothing of the queue is explained'; bad=1; }
exit $bad
