#!/bin/sh
# mpirun --explain: the parts of each message add up to the whole, and begin and end where the
# program says; small cases to the picosecond; the same report in each run, and nothing of it
# changes what happens.
#
#   EXPLAIN_SEEDS  how many random programs, default 6      EXPLAIN_FIRST  the first seed
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; options are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD
program=$PWD/tests/clock/explain.t
sided=$PWD/tests/clock/sided.t
hand=$PWD/tests/clock/hand.t
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
die() { echo "$*"; exit 1; }

# -- wrong options
run 2 --explain -n 1 true
told 'go with --model'
run 2 --explain-file x -n 1 true
told 'go with --model'
for k in 0 -1 x 3x 100001 ''; do
    run 2 --model ideal "--explain=$k" -n 1 true
    must='it must be a number of messages from 1 to 100000'
    told "^mpirun: '$k' is no value for --explain: $must$"
done
run 2 --model ideal --explain-file
run 1 --model ideal --explain-file "$dir/no/such" -n 2 "$program" many 1
told 'cannot write .*/no/such: '
run 1 --model ideal --explain -n 2 "$tools/mpi_ends" leave
told 'nothing to explain: not all ranks ended with MPI_Finalize'

# -- small cases, by hand
#
# sums TSV: "total host bus nic match dma wire wait late away pack entries" of the only message of
# the program's own
sums() {
    awk -F'\t' '
        $1 == "message" && $6 !~ /^collective/ {
            $1 = $2 = $3 = $4 = $5 = $6 = $7 = ""
            print
        }' "$1" | sed 's/^ *//'
}
round='call.enter=10ns call.send_before=20ns call.recv_before=30ns call.command=5ns
 call.completion=7ns call.send_after=1ns call.recv_after=2ns
 bus.latency=100ns nic.command=50ns nic.packet=60ns nic.complete=8ns nic.append=3ns nic.unlink=4ns
 nic.entry_hit=2ns nic.copy=21ns nic.advance=40ns nic.control=9ns
 tx.start=11ns tx.byte=1ns/byte rx.start=13ns rx.byte=2ns/byte
 link.latency=1us link.byte=1ns/byte protocol.header=16bytes
 rdma.setup=70ns rdma.start=30ns rdma.byte=1ns/byte rdma.short_byte=1ns/byte
 call.pack_block=17ns call.pack_byte=1ns/byte
 host.packet=600ns host.command=500ns host.complete=80ns host.entry_hit=1ns host.unlink=4ns'
sets=$(for s in $round; do printf ' --set %s' "$s"; done)
# by_hand NAME EXPECTED OPTIONS BYTES SENDER RECEIVER [WHAT]
by_hand() {
    "$mpirun" --model ideal $sets $3 --explain-file "$dir/hand" -n 2 \
        "$program" "${7:-one}" "$4" "$5" "$6" || die "$1: failed"
    got=$(sums "$dir/hand")
    [ "$got" = "$2" ] || die "$1: '$got' is not '$2'"
}

# In time: before the wire 10 + 20 + 5, a doorbell of 100, a command of 50; 16 + 8 bytes on the
# wire, which hides the engine's 11 + 8, and 1000; a packet of 60, an entry compared and taken out,
# 13 + 8 * 2 of the engine, which hides the completion's 8, a crossing of 100, a notice of 7.
by_hand 'in time' '1411000 42000 200000 110000 6000 29000 1024000 0 0 0 0 1' '' 8 10000 0
# Unexpected: the packet and its entry are done at 1272, the receive is there at 10000 + 10 + 30 + 5
# + 100, takes 50, finds it, copies in 21, completes in 8.
by_hand 'unexpected' '10337000 42000 200000 189000 9000 0 1024000 0 8873000 0 0 1' '' 8 0 10000
# Put: RTS and CTS of 32 bytes, FIN of 8; processors: 50 + 9, 60 + 9 + 9, 60 + 9, 40 + 70 for the
# step, which starts 30 + 5000 of the engine, FIN behind it; 60 + 9, 13 + 8 * 2.
by_hand 'put' '8812000 42000 200000 385000 6000 5059000 3120000 0 0 0 0 1' \
    '--set protocol.rendezvous=put' 5000 10000 0
# Get, unexpected: the RTS waits from 1314 on; 70 for the read, whose request and first byte cross
# the wire, 30 + 5000 of the engines.
by_hand 'get' '17408000 42000 200000 248000 9000 5030000 3048000 0 8831000 0 0 1' \
    '--set protocol.rendezvous=get' 5000 0 10000
# Hosts run the handlers: 35 + 500, 600 + 80 + 7, which hides the engine's 29.
by_hand 'no offload' '2451000 1222000 200000 0 5000 0 1024000 0 0 0 0 1' '--offload none' 8 10000 0
# The NIC forwards: the same, and of its own processor 50 out and 60 in; the engine's 29 come before
# the host is told, and hide 8 for that.
by_hand 'forward' '2590000 1222000 200000 110000 5000 29000 1024000 0 0 0 0 1' \
    '--offload forward' 8 10000 0
# The bus takes time too.  Writing the command, 64 bytes.  24 bytes, header included, in a line with
# 8 more: 31 + 32 to read, after the first 31 of which the wire begins, but the engine is slower,
# 32 + 11 + 8; 41 + 64 to write, behind the 29.
bus='--set bus.pio_byte=1ns/byte --set bus.read=31ns --set bus.read_byte=1ns/byte
 --set bus.write=41ns --set bus.write_byte=2ns/byte --set bus.line_overhead=8bytes'
by_hand 'forward, bus' '2817000 1286000 368000 110000 5000 48000 1000000 0 0 0 0 1' \
    "--offload forward $bus" 8 10000 0
# Short data go with the command: 8 bytes more of that, nothing to read.
by_hand 'forward, pio' '2767000 1294000 305000 110000 5000 29000 1024000 0 0 0 0 1' \
    "--offload forward $bus --set bus.pio_bytes=8bytes" 8 10000 0
# In time, with the bus: the data only, 31 + 16, of which the engine hides no more than the wire;
# 41 + 32.
in_time='1590000 106000 320000 110000 6000 48000 1000000 0 0 0 0 1'
by_hand 'in time, bus' "$in_time" "$bus" 8 10000 0
# Short data, to the byte, come with the header, and go to the host with its completion: nothing is
# read, nor does the engine land it and hide the completion's 8.  Here the host writes for nothing.
by_hand 'in time, a byte more' "$in_time" "$bus --set bus.pio_bytes=7bytes" 8 10000 0
by_hand 'in time, pio' '1390000 42000 200000 118000 6000 0 1024000 0 0 0 0 1' \
    "$bus --set bus.pio_bytes=8bytes --set bus.pio_byte=0ps/byte" 8 10000 0
# It writes 64 bytes of the command and 8 of data.
by_hand 'in time, pio, bytes' '1462000 114000 200000 118000 6000 0 1024000 0 0 0 0 1' \
    "$bus --set bus.pio_bytes=8bytes" 8 10000 0
# A loop that takes 40 to come round: half of it before the command, and before the packet.
by_hand 'loop' '1451000 42000 200000 110000 6000 29000 1024000 40000 0 0 0 1' \
    '--set nic.loop=40ns' 8 10000 0
# The receiver begins when the header is there: the wire's 16, and 1000; 13 + 5000 * 2 to land.
long='--set link.cut_through=yes --set protocol.eager_limit=100000bytes'
by_hand 'cut through' '11387000 42000 200000 110000 6000 10029000 1000000 0 0 0 0 1' \
    "$long" 5000 10000 0
# It lands them faster than they come, 13 behind 60 + 6: the last of 5000 is there at 185 + 5016 +
# 1000, 4921 later.
by_hand 'cut through, slow' '6308000 42000 200000 110000 6000 29000 5921000 0 0 0 0 1' \
    "$long --set rx.byte=0ns/byte" 5000 10000 0
# A message in several parts of a ring: 16 + 40000 on the wire, 13 + 80000.
by_hand 'long' '121387000 42000 200000 110000 6000 80013000 41016000 0 0 0 0 1' \
    '--set protocol.eager_limit=100000bytes' 40000 10000 0
# The NIC forwards and announces: 60 + 8 and a crossing for the header, 600 + 5 + 80, a crossing
# back, 50, the engine's 29, which hide 8, and one more crossing.
by_hand 'announced' '2848000 1222000 400000 168000 5000 29000 1024000 0 0 0 0 1' \
    '--offload forward --set completion.announce=7bytes' 8 10000 0
# No more than that many: as if nothing were announced.
by_hand 'not announced' '2590000 1222000 200000 110000 5000 29000 1024000 0 0 0 0 1' \
    '--offload forward --set completion.announce=8bytes' 8 10000 0
# Flow control: 9 on both sides; the answer comes behind the handler.
by_hand 'flow' '1429000 42000 200000 128000 6000 29000 1024000 0 0 0 0 1' \
    '--set flow.streams=4 --set flow.check=9ns --set flow.answer=33ns --set flow.answered=5ns' \
    8 10000 0
# With the bus that takes time, as well: what is read is known until the packet leaves.
by_hand 'flow, bus' '1608000 106000 320000 128000 6000 48000 1000000 0 0 0 0 1' \
    "$bus --set flow.streams=4 --set flow.check=9ns" 8 10000 0
# Three blocks of 8 bytes: as in time, but for 16 + 24 on the wire, 13 + 24 * 2 of the engine, and
# on both sides 3 * 17 + 24 to pack; whatever the live clock would do.
for way in NICEMU_RDMA=staged NICEMU_HEAP=none MPILITE_RNDV=staged NICEMU_PROGRESS=host; do
    export "${way?}"
    by_hand "gaps, $way" '1609000 42000 200000 110000 6000 61000 1040000 0 0 0 150000 1' \
        '' 3 10000 0 gaps
    unset "${way%%=*}"
done
# By rendezvous: 5000 bytes are 625 blocks, 10625 + 5000 on each side.
by_hand 'gaps, put' '40062000 42000 200000 385000 6000 5059000 3120000 0 0 0 31250000 1' \
    '--set protocol.rendezvous=put' 625 10000 0 gaps
# Through a ring of slots: 35 + 500, 15 for the counter and 70 for the RDMA; over the bus, 30 + 24
# of the engine, which hides the wire's 24; 1000 and 35 for the notification.
ring='--offload none --set protocol.eager=ring --set protocol.eager_limit=48bytes'
ring="$ring --set counter.preset=15ns --set counter.remote=35ns"
by_hand 'ring' '2601000 1307000 200000 0 5000 54000 1035000 0 0 0 0 1' "$ring" 8 10000 0

# Depth: one entry more than those in front.
no_alpu='--set alpu.posted=0 --set alpu.unexpected=0'
for length in 0 1 17 90; do
    "$mpirun" --model redstorm-alpu $no_alpu --explain-file "$dir/deep" --explain=1000 -n 2 \
        "$program" deep $length 2>/dev/null || die "deep $length: failed"
    got=$(awk -F'\t' '$1 == "message" && $4 == 5 { print $NF }' "$dir/deep")
    [ "$got" = $((length + 1)) ] || die "deep $length: $got entries compared"
done

# Parts of calls.  The send: 35 before the command; a doorbell of 100, a command of 50, 11 + 8 of
# the engine and a crossing of 100; 8 after that.  The receive, which begins 10000 earlier: 45
# before; it waits until 35 + 100 + 50 + 24 + 1000 + 60 + 6 + 29 + 100 after the send began; 9 after
# that.
"$mpirun" --model ideal $sets --explain-file "$dir/parts" -n 2 "$program" one 8 10000 0 ||
    die 'parts of calls: failed'
got=$(awk -F'\t' '$1 == "calls" && $4 { print $2, $3, $4, $5, $6, $7 }' "$dir/parts")
[ "$got" = "0 send 1 35000 269000 8000
1 receive 1 45000 11359000 9000" ] || die "parts of calls: $got"

# -- one-sided operations

# one_sided NAME EXPECTED OPTIONS OPERATION BYTES: "what total host bus ... pack" of each; the
# program sees the same time, and 1 for MPI_Wtime
one_sided() {
    "$mpirun" -q --model ideal $3 --set call.wtime=1ns --explain-file "$dir/sided" -n 2 \
        "$program" "$4" "$5" >"$dir/said" || die "$1: failed"
    got=$(awk -F'\t' '$1 == "one-sided" {
        printf "%s %s", $6, $8
        for (i = 9; i < 19; i++) printf " %s", $i
        print "" }' "$dir/sided")
    [ "$got" = "$2" ] || die "$1: '$got' is not '$2'"
}
# The call's 10, and 70 to set the transfer up, for which it waits; 40 for the NIC to go on; 16 + 32
# + 16 bytes and the data there, 16 + 8 back, and 1000 each way; 60 + 9 at the target.  The host
# sees the answer as it comes.
one_sided 'put' 'put 2285000 10000 0 109000 0 0 2096000 70000 0 0 0' "$sets" put 8
grep -q '^took 2286000$' "$dir/said" || die "put: $(cat "$dir/said")"
one_sided 'put, 1000' 'put 3277000 10000 0 109000 0 0 3088000 70000 0 0 0' "$sets" put 1000
# 16 + 32 bytes there, 16 + 8 and the data back.
one_sided 'get' 'get 2269000 10000 0 109000 0 0 2080000 70000 0 0 0' "$sets" get 8
# Two atomic operations, one: 16 + 32 bytes there, 16 + 16 back, 60 + 9 at the target.
one_sided 'lock' 'lock 4318000 20000 0 138000 0 0 4160000 0 0 0 0
unlock 2159000 10000 0 69000 0 0 2080000 0 0 0 0' "$sets" lock 0
# Four ways there and back: the word, the data, the data, the word.
for what in fetch swap; do
    how='fetch and accumulate'
    [ $what = fetch ] || how='compare and swap'
    one_sided $what "$how 8000000 0 0 0 0 0 8000000 0 0 0 0" '--set link.latency=1us' $what 8
done
# Of OpenSHMEM, where what has no place in a command queue goes the same ways: one there and back as
# above; an addition behind a put starts when its answer has been taken in, 60 + 9 for it and 60
# for that.
shmem() {
    "$mpirun" -q --model ideal $sets --set pgas.unit=yes --explain-file "$dir/sided" -n 2 \
        "$sided" "$3" data >"$dir/said" || die "$1: failed"
    got=$(awk -F'\t' '$1 == "one-sided" && $3 == 1 && $5 == 8 {
        printf "%s %s", $6, $8
        for (i = 9; i < 19; i++) printf " %s", $i
        print "" }' "$dir/sided")
    [ "$got" = "$2" ] || die "shmem, $1: '$got' is not '$2'"
}
for what in add fetch_xor; do
    how=$what
    [ $what = add ] || how='fetch and xor'
    shmem "$how" "$how 2159000 10000 0 69000 0 0 2080000 0 0 0 0" $what
done
shmem get 'get 2269000 10000 0 109000 0 0 2080000 70000 0 0 0' get
shmem signal 'put with signal 4494000 10000 0 238000 0 0 4176000 70000 0 0 0' signal
# What a queue does is told by its commands, whoever executes them.
for unit in yes no; do
    for what in put swap fetch_add compare; do
        how="queue $(echo $what | sed 's/fetch_add/fetch and add/; s/compare/compare and swap/')"
        "$mpirun" -q --model ideal --set pgas.unit=$unit --explain-file "$dir/sided" -n 2 "$sided" \
            $what heap >"$dir/said" || die "$how: failed"
        grep -q "^one-sided	0	1	0	8	$how	" "$dir/sided" || die "$how is not explained"
    done
done
# Many at once, of all on all: each has its own way, and nothing depends on it.
for profile in ideal redstorm-alpu lanai91 pgas-xt; do
    for offload in all forward; do
        [ $profile.$offload != pgas-xt.forward ] || continue    # a unit is there for no host
        "$mpirun" -q --model $profile --offload $offload --model-hash --explain-file "$dir/sided" \
            --explain=100000 -n 4 "$sided" many 60 2>"$dir/err" || die "$profile, $offload: failed"
        ! grep 'not explained right' "$dir/err" || die "shmem, $profile, $offload"
        grep 'model hash' "$dir/err" >"$dir/hash.once"
        "$mpirun" -q --model $profile --offload $offload --model-hash -n 4 "$sided" many 60 \
            2>"$dir/err" || die "shmem, $profile, $offload: failed"
        cmp "$dir/err" "$dir/hash.once" || die "shmem, $profile, $offload: another hash"
        awk -F'\t' '$1 == "one-sided" {
            n++
            for (i = 9; i < 19; i++) $8 -= $i
            if ($8 || $2 == $3) { print; bad = 1 }
        } END { exit bad || n < 50 }' "$dir/sided" || die "shmem, $profile, $offload: parts"
    done
done
"$mpirun" --model ideal $sets --explain -n 2 "$program" put 8 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
told '^mpirun: and of 1 one-sided operation, from the call to the answer of the other NIC$'
told '^ +2285\.000  by 0 on 1  8 bytes  put  at '
# Of all ranks on all others: parts add up, and nothing depends on it.
for offload in all match none forward; do
    for profile in ideal redstorm-alpu fpga-scratchpad; do
        "$mpirun" -q --model $profile --offload $offload --model-hash --explain=100000 \
            --explain-file "$dir/sided" -n 4 "$program" targets 12 7 2>"$dir/err" >"$dir/out" ||
            die "one-sided, $profile, $offload: failed"
        ! grep 'not explained right' "$dir/err" || die "one-sided, $profile, $offload"
        grep 'model hash' "$dir/err" >"$dir/hash.once"
        "$mpirun" -q --model $profile --offload $offload --model-hash -n 4 "$program" targets 12 7 \
            2>"$dir/err" || die "one-sided, $profile, $offload: failed"
        cmp "$dir/err" "$dir/hash.once" || die "one-sided, $profile, $offload: another hash"
        awk -F'\t' '$1 == "one-sided" {
            n++
            for (i = 9; i < 19; i++) $8 -= $i
            if ($8) { print; bad = 1 }
        } END { exit bad || n < 12 }' "$dir/sided" || die "one-sided, $profile, $offload: parts"
    done
done

# -- what keys charge: each of them by its name

# charged FILE RANK: "key times time" of each
charged() {
    "$mpirun" -q --model ideal $sets --explain-file "$dir/charges" -n 2 "$hand" pong 8 "$1" \
        >/dev/null || die 'charges: failed'
    awk -F'\t' '$1 == "charge" && $2 == 1 { print $3, $5, $6 }' "$dir/charges"
}
# One round more: a send and a receive, two commands and two completions over the bus and 24 bytes
# on the wire.
charged 3 >"$dir/three"
charged 4 >"$dir/four"
awk 'NR == FNR { times[$1] = $2; time[$1] = $3; next }
    $3 != time[$1] { print $1, $2 - times[$1], $3 - time[$1] }' "$dir/three" "$dir/four" |
    sort >"$dir/round"
sort >"$dir/by.hand" <<'TEXT'
bus.latency 4 400000
call.command 2 10000
call.completion 2 14000
call.enter 2 20000
call.recv_after 1 2000
call.recv_before 1 30000
call.send_after 1 1000
call.send_before 1 20000
link.byte 24 24000
link.latency 1 1000000
nic.append 1 3000
nic.command 2 100000
nic.complete 2 16000
nic.entry_hit 1 2000
nic.packet 1 60000
nic.unlink 1 4000
rx.byte 8 16000
rx.start 1 13000
tx.byte 8 8000
tx.start 1 11000
TEXT
diff "$dir/by.hand" "$dir/round" || die 'a round (>) does not charge what it should (<)'

# All of them together are the time that each unit was busy: a processor waits for an ALPU, and for
# words across the bus; the rest of the bus, and latencies, take time beside others.  What is
# acknowledged when the job is over is charged, but no part of its time.
sums='
function told(i, what, is, should) {
    if (is != should && !(late && what == "nic" && is > should))
        print i ": " what " " is ", not " should
}
/^#/ { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
$1 == "rank" {
    ranks++
    for (i in at) if (i !~ /#/) busy[$2, i] = $at[i]
}
$1 == "charge" {
    unit = $4
    if (unit == "alpu" || (unit == "bus" && $3 ~ /^(alpu|bus\.(read|write))/)) unit = "nic"
    if (unit == "bus" || (unit == "wire" && $3 != "link.byte")) next
    sum[$2, unit] += $6
}
END {
    n = split("host nic tx rx wire", units, " ")
    for (r = 0; r < ranks; r++)
        for (i = 1; i <= n; i++)
            told(r, units[i], sum[r, units[i]] + 0, busy[r, units[i]])
    if (!ranks) print "nothing"
}'
for profile in ideal redstorm-alpu lanai91 seastar; do
    for offload in all forward; do
        "$mpirun" -q --model $profile --offload $offload --explain-file "$dir/charges" -n 2 \
            "$hand" pong 8 3 >/dev/null || die "sums, $profile, $offload: failed"
        [ $profile = seastar ] && late=1 || late=0
        awk -F'\t' -v late=$late "$sums" "$dir/charges" >"$dir/wrong"
        [ ! -s "$dir/wrong" ] || die "charges, $profile, $offload: $(cat "$dir/wrong")"
    done
done
"$mpirun" --model ideal $sets --explain -n 2 "$hand" pong 8 3 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
told '^mpirun: what keys of the profile charged most on all ranks, in ns$'
told '^  link\.latency \(wire\): [0-9]+\.000, [0-9]+ times or bytes$'
told '^  and [0-9]+ keys more: --explain-file has all$'

# -- the job's end is that of its last rank: what a NIC still acknowledges then comes too late
for profile in ideal redstorm-alpu lanai91 seastar; do
    for offload in all none forward; do
        for set in node.ranks=1 node.ranks=2; do
            "$mpirun" --model $profile --offload $offload --set $set --model-hash \
                --explain-file "$dir/end" -n 4 "$program" targets 3 7 >"$dir/out" 2>"$dir/err" ||
                die "the end, $profile, $offload, $set: failed"
            end=$(awk '/model hash/ { printf "%.0f", $(NF - 1) * 1e12 }' "$dir/err")
            awk -F'\t' -v end="$end" '
                /^#/ { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
                $1 == "rank" { n++; for (i in at) {
                    if (i == "end" && $at[i] != end) { print i, $at[i], "not", end; bad = 1 }
                    if (i ~ /_idle$/ && $at[i] > end) { print i, $at[i]; bad = 1 }
                } }
                END { exit bad || n != 4 }' "$dir/end" || die "the end, $profile, $offload, $set"
        done
    done
done

# -- random programs: the report has each message from where to where the program says, in parts
# that add up, and each rank's time is all there
check='
NR == FNR && $1 == "sent" { from[$2] = $3; to[$2] = $4; bytes[$2] = $5; start[$2] = $6; sent++ }
NR == FNR && $1 == "received" { end[$2] = $3; got++ }
NR == FNR { next }
function wrong(why) { print why ": " $0; bad = 1 }
$1 == "message" || $1 == "collective" {
    sum = 0
    for (i = 9; i < 19; i++) { sum += $i; if ($i < 0) wrong("negative") }
    if (sum != $8) wrong("the parts do not add up")
}
$1 == "message" && $6 !~ /^collective/ {
    seen++
    if ($2 != from[$4] || $3 != to[$4] || $5 != bytes[$4]) wrong("another message")
    if ($7 != start[$4]) wrong("it began at " start[$4])
    if ($7 + $8 != end[$4]) wrong("it ended at " end[$4])
}
$1 == "rank" {
    ranks++
    for (i = 8; i < NF; i += 2) {
        if ($i < 0 || $(i + 1) < 0 || $(i + 1) > $3) wrong("times of a rank")
        if ($i + $(i + 1) + (i == 8 ? $6 + $7 : 0) != $3) wrong("busy and idle are not all")
    }
}
END {
    if (sent != got || seen != sent) {
        print sent " sent, " got " received, " seen " explained"
        bad = 1
    }
    if (!ranks) { print "no ranks"; bad = 1 }
    exit bad
}'
times='--set call.recv_after=3ns --set call.wait=2ns --set call.wtime=5ns'
# random WHAT OPTION...: a run, its report in $dir/report.WHAT, what it prints in $dir/said.WHAT
random() {
    what=$1; shift
    "$mpirun" --model "$profile" --offload "$offload" $times --model-hash "$@" -n "$ranks" \
        "$program" random "$seed" 3000 2000 5000 >"$dir/said" 2>"$dir/err.$what" ||
        lost ': failed'
    sort "$dir/said" >"$dir/said.$what"
    ! grep -q 'not explained right' "$dir/err.$what" || lost ''
}
lost() { cat "$dir/err.$what"; die "seed $seed, $profile, $offload, $what$1"; }
same() {
    cmp -s "$1" "$2" && return
    diff "$1" "$2" | head -n 10
    die "seed $seed, $profile, $offload: $3"
}

seed=${EXPLAIN_FIRST:-1}
last=$((seed + ${EXPLAIN_SEEDS:-6}))
while [ "$seed" -lt "$last" ]; do
    ranks=$((2 + seed * 3 % 5))
    case $((seed % 3)) in
    0) profile=ideal ;;
    1) profile=redstorm-alpu ;;
    *) profile=fpga-scratchpad ;;
    esac
    for offload in all match none forward; do
        echo "seed $seed, $profile, $offload, $ranks ranks"
        random bare
        random once --explain=100000 --explain-file "$dir/once.tsv"
        awk -F'[\t]' "$check" "FS= " "$dir/said.once" "FS=\t" "$dir/once.tsv" ||
            die "seed $seed, $profile, $offload"
        # nothing that happens depends on it
        same "$dir/said.bare" "$dir/said.once" 'what the program sees'
        grep 'model hash' "$dir/err.once" >"$dir/hash.once"
        same "$dir/err.bare" "$dir/hash.once" 'the hash'
    done
    random again --explain=100000 --explain-file "$dir/again.tsv"
    random serial --model-serial --explain=100000 --explain-file "$dir/serial.tsv"
    for what in again serial; do
        same "$dir/once.tsv" "$dir/$what.tsv" "the values, $what"
        same "$dir/err.once" "$dir/err.$what" "the table, $what"
    done
    # of fewer messages it is the first lines
    random few --explain=7 --explain-file "$dir/few.tsv"
    sed '8q' "$dir/once.tsv" >"$dir/first"
    sed '8q' "$dir/few.tsv" >"$dir/few"
    same "$dir/first" "$dir/few" 'the slowest seven'
    seed=$((seed + 1))
done

# Other protocols, with their steps and chunks; processors that are interrupted; full rings.
also() {
    random "$@" --explain=100000 --explain-file "$dir/once.tsv"
    awk -F'[\t]' "$check" "FS= " "$dir/said.$1" "FS=\t" "$dir/once.tsv" || die "seed $seed, $*"
}
offload=all seed=2 ranks=3     # sends of this seed wait for credits that come for others
for profile in redstorm-alpu fpga-scratchpad; do
    for MPILITE_RNDV in put get staged; do
        export MPILITE_RNDV
        also $MPILITE_RNDV
        grep -q "rendezvous $MPILITE_RNDV" "$dir/once.tsv" || die "no rendezvous by $MPILITE_RNDV"
    done
done
unset MPILITE_RNDV
also slots --set scratchpad.slots=2
grep -q 'eager ring' "$dir/once.tsv" || die 'no message went through a ring'
profile=redstorm-alpu offload=none
also interrupts --set completion.kind=interrupt --set completion.interrupt=2us \
    --set completion.handler=300ns

# -- for people: the parts in the same numbers, messages that are alike once, a verdict in words,
# 100 columns at most
"$mpirun" --model ideal $sets --explain -n 2 "$program" one 8 0 10000 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
told '^  10337\.000  from 0 to 1  8 bytes  tag [0-9]+  eager  at 0\.000$'
told '^ +host 42\.000 \(0\.4 %\)  bus 200\.000 \(1\.9 %\)  nic 189\.000 \(1\.8 %\)'
told 'match 9\.000 \(0\.1 %, 1 entry\)'
told 'late 8873\.000 \(85\.8 %\)'
told '^mpirun: 86 % of the slowest message was waiting for the receive$'
"$mpirun" --model ideal --explain -n 2 "$program" put 8 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
told '^mpirun: [0-9]+ % of the slowest one-sided operation was '
! grep -q 'the time of all messages' "$work/err" || die 'of one message what all of them took'
"$mpirun" --model redstorm-alpu $no_alpu --explain -n 2 "$program" deep 1 >"$work/out" \
    2>"$work/err" || die 'the report: failed'
told 'match [0-9.]+ \([0-9.]+ %, 2 entries\)'
# All of it, of eight messages each way and a barrier: parts and shares as worked out above.
"$mpirun" --model ideal $sets --explain=100 -n 2 "$hand" pong 8 3 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
cat >"$work/whole" <<'TEXT'
mpirun: the slowest of 16 messages and 2 ends of collectives, in ns from the sender's call
mpirun: to the receiver's notice
   1434.000  from 0 to 1  collective  at 22610.000
             host 22.000 (1.5 %)  bus 200.000 (13.9 %)  nic 110.000 (7.7 %)  dma 37.000 (2.6 %)
             wire 1028.000 (71.7 %)  wait 37.000 (2.6 %)
   1411.000  from 0-1 to 0-1  8 bytes  eager  16 times, first at 0.000
             host 42.000 (3.0 %)  bus 200.000 (14.2 %)  nic 110.000 (7.8 %)
             match 6.000 (0.4 %, 1 entry)  dma 29.000 (2.1 %)  wire 1024.000 (72.6 %)
    332.000  from 0 to 0  collective  at 22610.000
             host 22.000 (6.6 %)  bus 200.000 (60.2 %)  nic 50.000 (15.1 %)  dma 23.000 (6.9 %)
             wait 37.000 (11.1 %)
  22576.000  all messages
             host 672.000 (3.0 %)  bus 3200.000 (14.2 %)  nic 1760.000 (7.8 %)  match 96.000 (0.4 %)
             dma 464.000 (2.1 %)  wire 16384.000 (72.6 %)
mpirun: 72 % of the slowest collective was on the wire
mpirun: 73 % of the time of all messages was on the wire
mpirun: of 24044.000 ns, in percent: what hosts did, and how long each part of the NIC was busy
  computing  waiting  host   bus  nic  alpu   tx   rx  wire  done  ranks
        0.0     92.1   3.3  14.1  6.6   0.0  0.7  1.1   0.9   4.6  0
        0.0     96.7   3.3  14.1  6.6   0.0  0.7  1.1   0.9   0.0  1
mpirun: what keys of the profile charged most on all ranks, in ns
  link.latency (wire): 18000.000, 18 times or bytes
  bus.latency (bus): 6800.000, 68 times or bytes
  nic.command (nic): 1700.000, 34 times or bytes
  nic.packet (nic): 1080.000, 18 times or bytes
  call.recv_before (host): 480.000, 16 times or bytes
  link.byte (wire): 440.000, 440 times or bytes
  call.enter (host): 340.000, 34 times or bytes
  call.send_before (host): 320.000, 16 times or bytes
  rx.byte (rx): 304.000, 152 times or bytes
  nic.complete (nic): 272.000, 34 times or bytes
  and 11 keys more: --explain-file has all
TEXT
diff "$work/whole" "$work/err" || die 'the report (>) is not what it should be (<)'
# One of its kind has its tag; ranks with the same figures are one line; a list ends where it does.
"$mpirun" --model ideal --explain=3 -n 4 examples/ring 1 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
cat >"$work/whole" <<'TEXT'
mpirun: the slowest of 4 messages and 4 ends of collectives, in ns from the sender's call
mpirun: to the receiver's notice
  2.000  from 0,3 to 0,3  collective  2 times, first at 4.000
         wire 2.000 (100.0 %)
  1.000  from 0 to 1  8 bytes  tag 0  eager  at 1.000
         wire 1.000 (100.0 %)
  4.000  all messages
         wire 4.000 (100.0 %)
mpirun: 100 % of the slowest collective was on the wire
mpirun: 100 % of the time of all messages was on the wire
mpirun: of 8.000 ns, in percent: what hosts did, and how long each part of the NIC was busy
  computing  waiting  host  bus  nic  alpu   tx   rx  wire  done  ranks
        0.0     50.0  25.0  0.0  0.0   0.0  0.0  0.0   0.0  25.0  0
        0.0     75.0  12.5  0.0  0.0   0.0  0.0  0.0   0.0  12.5  1-2
        0.0     87.5  12.5  0.0  0.0   0.0  0.0  0.0   0.0   0.0  3
mpirun: what keys of the profile charged most on all ranks, in ns
  link.latency (wire): 12.000, 12 times or bytes
  call.wtime (host): 5.000, 5 times or bytes
TEXT
diff "$work/whole" "$work/err" || die 'the report (>) is not what it should be (<)'
"$mpirun" --model redstorm-alpu --explain=1000 -n 12 examples/ring 5 >"$work/out" 2>"$work/err" ||
    die 'the report: failed'
told '^ +[0-9.]+  from [0-9,.-]+ to [0-9,.-]+  8 bytes  eager  [0-9]+ times, first at [0-9.]+$'
told '^mpirun: [0-9]+ % of the time of all messages was '
told '^  computing  waiting +host +bus +nic +alpu +tx +rx +wire +done  ranks$'
awk 'length > 100 { bad = 1; print } END { exit bad }' "$work/err" ||
    die 'lines of more than 100 columns'
# of as many as the file has, each is counted once
"$mpirun" --model redstorm-alpu --explain=1000 --explain-file "$dir/all.tsv" -n 12 examples/ring 5 \
    >"$work/out" 2>"$work/err" || die 'the report: failed'
listed=$(grep -cE '^(message|collective)' "$dir/all.tsv")
counted=$(awk '/^ +[0-9.]+  from / { n++; if (match($0, /[0-9]+ times/))
    n += substr($0, RSTART, RLENGTH) - 1 } END { print n }' "$work/err")
[ "$listed" -eq "$counted" ] || die "$counted of $listed messages are told"

# The manual has the columns of the file, and of each kind of lines what it is.
page=${srcdir:-.}/doc/man/mpirun.1
"$mpirun" --model redstorm-alpu --explain-file "$dir/own.tsv" -n 2 examples/units/matchers \
    >"$work/out" || die 'a unit of its own: failed'
cat "$dir/all.tsv" "$dir/own.tsv" "$dir/sided" >"$dir/kinds"
sed -n '/^In a file of/,/^\.SH/p' "$page" | tr -s ' \n' '  ' >"$dir/page"
grep '^#' "$dir/kinds" | tr '\t' ' ' | sort -u >"$dir/headings"
while read -r heading; do
    grep -qF -- "$heading" "$dir/page" || die "not in the manual: $heading"
done <"$dir/headings"
[ "$(wc -l <"$dir/headings")" -eq 5 ] || die "headings: $(cat "$dir/headings")"
for kind in $(grep -v '^#' "$dir/kinds" | cut -f 1 | sort -u | sed 's/-/\\\\-/'); do
    grep -qE "^\.BR? (.* )?$kind( |\$)" "$page" || die "not in the manual: $kind"
done

# Without it a job on the model clock ends with a line, where nothing else tells the time.
profile=redstorm-alpu
run 0 --model $profile --set link.latency=1us -n 2 examples/ring 3
told "^mpirun: [0-9.]+ us of virtual time on $profile; --explain says where it went$"
[ "$(wc -l <"$work/err")" -eq 1 ] || fail 'more than one line'
for unit in ns ms s; do     # in what is a small number
    case $unit in ns) latency=1ns ;; ms) latency=2000us ;; s) latency=999999us ;; esac
    run 0 --model ideal --set link.latency=$latency -n 2 examples/ring 3
    told "^mpirun: [0-9]{1,3}(\\.[0-9]+)? $unit of virtual time on ideal;"
done
run 0 -q --model $profile -n 2 examples/ring 3
silent
run 0 --model $profile --explain-file "$dir/all.tsv" -n 2 examples/ring 3
silent
MPILITE_MODEL=$profile run 0 -n 2 examples/ring 3
silent
run 1 --model ideal -n 2 "$tools/mpi_ends" leave
! grep -q 'virtual time' "$work/err" || fail 'the time of a job that failed'
exit 0
