#!/bin/sh
# Every key of a profile does something: with another value the hash of some program changes. On
# hardware on which nothing is free, so that one cost does not hide behind another for ever.
#
#   CLOCK_KEYS  an expression: only keys that match it
#
# A build with a sanitizer looks at one key in six.
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD MPILITE_BARRIER
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Times and rates that all differ, the rest as in redstorm-alpu, but small.
{
    echo '# keys: of the test'
    bin/nicinfo --tsv redstorm-alpu | awk -F'\t' '
        {
            split($1, k, ".")
            if (k[1] != section) printf "[%s]\n", section = k[1]
            value = $2
            if ($3 == "ps") value = 40000 + 130 * NR " ps"
            if ($3 == "ps/1024bytes") value = 900 + 13 * NR " ps/byte"
            print k[2] " = " value
        }'
} >"$dir/all.conf"
small='alpu.posted=6cells alpu.unexpected=6cells alpu.block=2cells alpu.match=7cycles
 nic.cache=1KiB nic.cache_ways=4ways host.cache=1KiB host.cache_ways=4ways host.cache_line=32bytes
 bus.line_overhead=8bytes bus.pio_bytes=4bytes protocol.eager_limit=64bytes
 host.packet=91cycles nic.packet=33cycles call.post_trips=2trips call.send_trips=3trips
 flow.streams=2streams flow.short_bytes=8bytes completion.announce=20bytes
 scratchpad.slot_bytes=160bytes scratchpad.bytes=16KiB protocol.word=4bytes
 link.topology=mixed link.x=1nodes link.y=1nodes link.z=4nodes'

# What may show it: ranks, settings, program; the one that shows most first.  A queue of 20 entries
# fits the host's small cache by lines of one length and not by those of another.
cat >"$dir/ways" <<'TEXT'
3|protocol.offload=all|random 5 6
3|protocol.offload=forward completion.kind=interrupt|random 5 6
3|protocol.offload=none protocol.eager=ring|random 5 6
3|protocol.offload=all node.ranks=2 node.cpus=1|random 5 6
3|protocol.offload=forward node.ranks=2 node.cpus=1|random 5 6
2|pgas.unit=yes|papers/puts -s 8,516 -T -c 1 -n 1024
4|pgas.unit=yes|papers/updates -u 50
2|protocol.offload=match alpu.posted=0cells alpu.unexpected=0cells|explain many 30
2|protocol.offload=match protocol.rendezvous=get|hand pong 2001 2
2|protocol.offload=none alpu.posted=0cells|explain deep 40
2|protocol.offload=none alpu.posted=0cells|explain deep 20
2|protocol.offload=none protocol.eager=ring|hand pong 3 2
2|protocol.offload=none protocol.eager=ring|hand pong 2001 2
3|protocol.offload=all scratchpad.bytes=1MiB|../shmem/rma
2|protocol.offload=all|hand reduce 3 double
2|protocol.offload=all|hand reduce 3 long
2|protocol.offload=match|hand reduce 3 double
2|protocol.offload=match|hand reduce 3 long
2|protocol.offload=match|explain gaps 3 0 0
2|protocol.offload=match alpu.posted=0cells|explain deep 11
2|protocol.offload=match alpu.posted=32cells alpu.block=4cells alpu.match=0cycles|explain deep 40
TEXT
# hash RANKS SETTINGS ARGUMENT...
hash() {
    ranks=$1 settings=$2 program=$PWD/tests/clock/$3.t
    case $3 in papers/*) program=$PWD/examples/$3 ;; esac
    shift 3
    # shellcheck disable=SC2046 # words
    timeout 600 "$mpirun" --model "$dir/all.conf" $(printf ' --set %s' $small $settings) \
        --model-hash ${why:+--explain-file "$why"} -n "$ranks" "$program" "$@" \
        2>"$dir/said" >/dev/null
    sed -n 's/.*model hash \([0-9a-f]*\),.*/\1/p' "$dir/said"
}
way=0
while IFS='|' read -r ranks settings program; do
    way=$((way + 1)) why=$dir/why.$way
    base=$(hash "$ranks" "$settings" $program </dev/null)
    [ "$base" ] || fail "no hash: $settings, $program"
    ! grep 'not explained right' "$dir/said" >&2 || fail "$settings, $program"
    echo "$base|$ranks|$settings|$program"
done <"$dir/ways" >"$dir/bases"
grep -q . "$dir/bases" || exit 1
why=

# Each key by which something is charged is told by its name in one of them.  Left out as below, and
# what is no charge: elements and updates are what a program computes, half a loop is waited for,
# and a slice is when somebody else has a turn.
cat "$dir"/why.* | awk -F'\t' '$1 == "charge" && $6 > 0 { print $3 }' | sort -u >"$dir/charged"
bin/nicinfo --tsv "$dir/all.conf" | awk -F'\t' '
    $1 == "host.update" || $1 == "flow.patience" || $1 == "node.slice" { next }
    $1 ~ /^call\.(element|update)$/ || $1 ~ /^(host|nic)\.loop$/ { next }
    $3 == "ps" || $3 == "ps/1024bytes" || $1 ~ /_trips$/ || $1 == "alpu.clock" { print $1 }' |
    sort | diff - "$dir/charged" ||
    fail 'keys (<) that charge and are not explained; others (>) are explained and charge nothing'

# Another value, by what the key is; what shows only where something does not fit is left out.
bin/nicinfo --tsv "$dir/all.conf" | awk -F'\t' '
    $1 == "host.update" || $1 == "flow.patience" { next }
    $3 == "ps" { print $1, $4 * 2 + 1700 "ps"; next }
    $3 == "ps/1024bytes" { printf "%s %.3fps/byte\n", $1, $4 / 1024 * 3; next }
    $3 == "Hz" { print $1, "123MHz" }' >"$dir/other"
cat >>"$dir/other" <<'TEXT'
host.entry_bytes 1024bytes
host.entry_read 128bytes
host.entry_free 7entries
host.cache 0bytes
host.cache_line 64bytes
host.cache_ways 1ways
nic.entry_bytes 1024bytes
nic.entry_read 96bytes
nic.entry_free 7entries
nic.cache 0bytes
nic.cache_line 64bytes
nic.cache_ways 1ways
bus.command_bytes 300bytes
bus.completion_bytes 300bytes
bus.pio_bytes 0bytes
bus.line_bytes 16bytes
bus.line_overhead 3bytes
alpu.posted 2cells
alpu.unexpected 2cells
alpu.block 1cells
alpu.match 50cycles
alpu.insert 1000cycles
alpu.other 50cycles
alpu.threshold 4entries
alpu.room 3cells
tx.line_bytes 16bytes
rx.line_bytes 16bytes
rdma.short_bytes 0bytes
scratchpad.slots 3slots
pgas.unit yes
pgas.ranks 2ranks
pgas.header 77bytes
protocol.offload none
protocol.eager ring
protocol.eager_limit 16bytes
protocol.eager_ahead 1messages
protocol.copies yes
protocol.send_returns landed
protocol.rendezvous get
protocol.header 40bytes
protocol.control 64bytes
protocol.word 16bytes
completion.kind interrupt
completion.announce 0bytes
call.post_trips 5trips
call.send_trips 5trips
link.cut_through yes
link.topology crossbar
link.x 2nodes
link.y 2nodes
link.z 3nodes
link.contention shared
flow.streams 0streams
flow.short_bytes 64bytes
flow.implicit yes
flow.backoff yes
node.ranks 3ranks
node.cpus 2processors
TEXT
# Left out, since they show only where something does not fit or is not deep enough: cells of FIFOs,
# bits of matches and tags, addresses of counters, the scratchpad; what the units do in a corner
# that test_alpu has; host.update, the units being out of the host's reach; and flow.patience, which
# a wire that loses nothing does not ask for.
left='alpu.(header|command|result)_fifo|alpu.(match|tag)_bits|counter.addresses|scratchpad.(bytes|'
left="${left}slot_bytes)|alpu.(overlap|retry_inserts|batch)|host.update|flow.patience"
{
    cut -d ' ' -f 1 "$dir/other"
    bin/nicinfo --tsv ideal | cut -f 1 | grep -E "^($left)\$"
} | sort >"$dir/looked"
bin/nicinfo --tsv ideal | cut -f 1 | sort | diff - "$dir/looked" ||
    fail "keys (<) that nobody looks at; others (>) are looked at twice or are none"

# Sanitizers have nothing more to see in the last key than in the first.
every=1
! grep -q -e '--with-sanitizer' config.log || every=6

dead=
while read -r key value; do
    shows=
    while IFS='|' read -r base ranks settings program && [ -z "$shows" ]; do
        now=$(hash "$ranks" "$settings $key=$value" $program </dev/null)
        # a run that fails, or is cut off, shows nothing
        [ -z "$now" ] || [ "$now" = "$base" ] || shows=yes
    done <"$dir/bases"
    [ "$shows" ] || dead="$dead $key=$value"
done <<TEXT
$(grep -E "${CLOCK_KEYS:-.}" "$dir/other" | awk -v n=$every 'NR % n == 0')
TEXT
[ -z "$dead" ] || fail "keys that change no hash:$dead"
