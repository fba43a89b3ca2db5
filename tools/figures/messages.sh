# Sourced by measure.sh: rows of D, SeaStar.
# shellcheck shell=sh disable=SC2034,SC2154

host_mode='protocol.offload=forward completion.kind=interrupt'
unguarded='flow.streams=0'
# messages SETS SIZE [OPTION]...: nanoseconds.
messages() {
    settings_m=$1 size=$2
    shift 2
    last seastar "$settings_m" messages -s "$size" -r 10 -w 5 "$@"
}
# by_host SIZE, by_nic SIZE: one way, ns.
by_host() { messages "$host_mode" "$1"; }
by_nic() { messages '' "$1"; }
lead_of_nic() { calc "($(by_host "$1") - $(by_nic "$1")) / 1000"; }
row_D1a() {
    wrong=
    for bytes in 0 8 16; do
        wrong="$wrong$(greater "$(lead_of_nic $bytes)" 1 "$bytes bytes, us")"
    done
    verdict_of "$wrong"
}
row_D1b() { lead_of_nic 32; }
row_D1c() {
    wrong=
    for bytes in 64 128 256 512 1024; do
        us=$(lead_of_nic $bytes)
        wrong="$wrong$(greater "$us" 2.5 "$bytes bytes, us")$(greater 3 "$us" "$bytes bytes, us")"
    done
    verdict_of "$wrong"
}
# steps SETS MODE: nothing if the step from 16 to 32 is the largest.
steps() {
    here_step=$(calc "$(messages "$1" 32) - $(messages "$1" 16)") before=1
    for bytes in 2 4 8 16 32 64 128; do
        step=$(calc "$(messages "$1" $bytes) - $(messages "$1" $before)")
        [ $bytes = 32 ] || greater "$here_step" "$step" "$2: 32, $bytes bytes"
        before=$bytes
    done
}
row_D2() { verdict_of "$(steps '' NIC)$(steps "$host_mode" host)"; }
megabytes=2097152
rate() { calc "$megabytes / $1"; }
row_D3a() { rate "$(messages '' $megabytes)"; }
row_D3b() { calc "2 * $(messages '' $megabytes) / $(messages '' $megabytes -b)"; }
share_of_nic() { calc "100 * ($(by_host "$1") / $(by_nic "$1") - 1)"; }
row_D3c() {
    verdict_of "$(greater "$(share_of_nic 1024)" 20 '1 KB, %')$(
        greater 2 "$(share_of_nic $megabytes)" '2 MB, %')"
}
# lead_in_streams SETS SIZE: per cent.
lead_in_streams() {
    calc "100 * ($(messages "$host_mode $1" "$2" -S) / $(messages "$1" "$2" -S) - 1)"
}
row_D3d() {
    wrong=
    for bytes in 16 64 256 1024; do
        wrong="$wrong$(greater "$(lead_in_streams '' $bytes)" 0 "$bytes bytes, %")"
    done
    verdict_of "$wrong$(
        greater "$(lead_in_streams $unguarded 16)" "$(lead_in_streams '' 16)" 'without, with, %')"
}
# lists SETS LENGTHS
lists() { run seastar "$1" preposted -q "$2" -p 100 -r 1 -w 1; }
row_D4() {
    awk -F'\t' 'NR == 2 { x = $1; y = $NF } END { printf "%.6g\n", ($NF - y) / ($1 - x) }' \
        "$(lists '' 0:100:100)"
}
row_D5() { crossing "$(lists '' 0:200:10)" "$(lists "$host_mode" 0:200:10)"; }
of_seastar() {
    "$build/bin/nicinfo" --tsv seastar | awk -F'\t' -v k="$1" '$1 == k { print $4 }'
}
row_D6a() { calc "2 * $(of_seastar bus.latency) / 1e6"; }
row_D6b() { calc "$(of_seastar call.system) / 1000"; }
row_D7a() { calc "$(of_seastar nic.loop) / 1000"; }
row_D7b() {
    verdict_of "$(greater "$(messages nic.loop=500ns 0)" "$(by_nic 0)" NIC)$(
        greater "$(messages "$host_mode nic.loop=500ns" 0)" "$(by_host 0)" host)"
}
# costs_of_protocol SETS SIZE: per cent of the latency.
costs_of_protocol() {
    calc "100 * ($(messages "$1" "$2") / $(messages "$1 $unguarded" "$2") - 1)"
}
row_D8a() {
    wrong=
    for bytes in 0 16 32 128 1024; do
        for sets_of in '' "$host_mode"; do
            cost=$(costs_of_protocol "$sets_of" $bytes)
            wrong="$wrong$(greater 5 "$cost" "$bytes bytes, %")$(
                greater "$cost" 0 "$bytes bytes, %")"
        done
    done
    verdict_of "$wrong"
}
# together SETS NODES OPTION...: ns of a collective operation.
together() {
    ranks=$2 settings_t=$1
    shift 2
    ns=$(last seastar "$settings_t" collective -r 20 -w 5 "$@")
    ranks=2
    echo "$ns"
}
row_D8b() {
    of_barrier=$(calc "100 * ($(together '' 16 -B) / $(together $unguarded 16 -B) - 1)")
    verdict_of "$(greater "$of_barrier" "$(costs_of_protocol '' 0)" 'barrier, latency, %')"
}
row_D9() { calc "100 * ($(messages '' 16 -S) / $(messages flow.implicit=yes 16 -S) - 1)"; }
# gain NODES OPTION...: host-based over NIC-based.
gain() {
    nodes=$1
    shift
    calc "$(together "$host_mode" "$nodes" "$@") / $(together '' "$nodes" "$@")"
}
# By more than a rounding of the program's: a thousandth.
row_D10a() {
    verdict_of "$(greater "$(gain 32 -B)" "$(calc "1.001 * $(gain 16 -B)")" 'nodes 32, 16')"
}
row_D10b() {
    allreduce=$(gain 32 -A)
    verdict_of "$(greater "$(gain 32 -R)" "$allreduce" 'reduce, allreduce')$(
        greater "$allreduce" "$(gain 32 -B)" 'allreduce, barrier')"
}
row_D10c() {
    cost=$(calc "100 * ($(together '' 32 -R) / $(together $unguarded 32 -R) - 1)")
    verdict_of "$(greater 1 "$cost" 'per cent')"
}
row_D10d() {
    wrong='' before=$(gain 8 -s 16)
    for nodes in 16 32 64; do
        now=$(gain $nodes -s 16)
        wrong="$wrong$(greater "$before" "$now" "$nodes nodes")"
        before=$now
    done
    verdict_of "$wrong"
}
# flood SETS: what 300 senders to one come to: the program's line, and how often a packet was sent
# again.
flood() {
    ranks=301 how='-x MPILITE_STATS=1'
    file=$(run seastar "$1" flood)
    ranks=2 how=''
    awk -F'\t' 'NF == 4 { wrong = $3 } END { print wrong }' "$file"
    awk '/wire_repeats/ { n = $1 } END { print n + 0 }' "$file.told"
}
row_D11a() {
    verdict_of "$(flood '' | awk 'NR == 1 && $1 { print " wrong: " $1 ";" }')"
}
row_D11b() {
    verdict_of "$(greater "$(flood flow.backoff=no | sed -n 2p)" "$(flood '' | sed -n 2p)" \
        'sent again, without and with')"
}
row_D12() {
    one=$(messages '' 0 -p)
    verdict_of "$(greater "$one" "$(messages "$host_mode" 0 -p)" 'NIC, host')$(
        greater "$(messages call.post_trips=3trips 0 -p)" "$one" 'three trips, one')"
}
