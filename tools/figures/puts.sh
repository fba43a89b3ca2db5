# Sourced by measure.sh: rows of E, one-sided messages by a unit of the NIC.
# shellcheck shell=sh disable=SC2034,SC2154

sockets=32 updating=16              # of the one-to-n streams; of the random updates
# puts CORES SETS NODES OPTION...: the last number that it prints.
puts() {
    cores_p=$1 settings_p="pgas.ranks=$1 $2"
    ranks=$(($1 * $3))
    shift 3
    value=$(last pgas-xt "$settings_p" puts -c "$cores_p" "$@")
    ranks=2
    echo "$value"
}
one_way() { puts 1 "$1" 2 -l; }
# of_pgas KEY: the profile's number.
of_pgas() {
    # shellcheck disable=SC2046 # words
    "$build/bin/nicinfo" --tsv $(set_options pgas-xt '') pgas-xt |
        awk -F'\t' -v k="$1" '$1 == k { print $4 }'
}
row_E1a() { calc "100 * 2 * $(of_pgas bus.latency) / 1000 / $(one_way '')"; }
row_E1b() {
    calc "100 * ($(of_pgas link.latency) + $(of_pgas link.router)) / 1000 / $(one_way "")"
}
row_E2() { one_way bus.latency=25ns; }
# stream CORES SIZE [OPTION]...: million puts a second of a node.
stream() {
    cores_s=$1 size=$2
    shift 2
    puts "$cores_s" '' 2 -s "$size" "$@"
}
# Sizes of whole words of the queue: others take the bus like the next that is.
row_E3() {
    long=$(calc "$(stream 4 4096) * 4096 / 2")
    for bytes in 8 16 24 32; do
        echo "$bytes $(calc "$(stream 4 $bytes) * $bytes")"
    done | awk -v half="$long" '
        $2 >= half { printf "%.4g\n", n + ($1 - n) * (half - y) / ($2 - y); exit }
        { n = $1; y = $2 }'
}
row_E4() { calc "$(stream 1 4096 -b) / $(stream 4 4096 -b)"; }
# to_all CORES OPTION...: million puts a second of one socket to all others.
to_all() {
    cores_t=$1
    shift
    puts "$cores_t" '' $sockets -n 1024 "$@"
}
row_E5a() { calc "100 * $(stream 2 8) / $(stream 4 8)"; }
two_of_four() { calc "100 * $(to_all 2 -s 8 "$1") / $(to_all 4 -s 8 "$1")"; }
row_E5b() { two_of_four -C; }
row_E5c() { two_of_four -B; }
row_E5d() { two_of_four -T; }
# limits CORES BYTES: equations 4, 5 and 6 in million puts a second, of which 1 and 2 are the same
# in bytes.  The queue's accesses are of 8 bytes, so a put of 4 takes the bus like one of 8.
limits() {
    awk -v cores="$1" -v n="$2" 'BEGIN {
        queue = int((n + 7) / 8) * 8
        printf "%.6g %.6g %.6g\n", 2300 / ((queue + 16) * 72 / 64),
            4800 / ((n + 28) * 72 / 64 * 21 / 16), cores * 2000 / (50 + n / 4) }'
}
least_limit() { limits "$1" "$2" | tr ' ' '\n' | sort -g | head -n 1; }
row_E6() {
    wrong=
    for bytes in 4 8 16 32 64 128 512; do
        rate=$(stream 4 $bytes) limit=$(least_limit 4 $bytes)
        wrong="$wrong$(greater "$(calc "$limit * 1.005")" "$rate" "$bytes bytes, limit, rate")"
        [ $bytes -gt 16 ] || wrong="$wrong$(
            greater "$rate" "$(calc "$limit * 0.9")" "$bytes bytes, rate, 90 %")"
    done
    verdict_of "$wrong"
}
row_E7() { calc "$(of_pgas pgas.issue) / 500"; }
# updates_of CORES: million updates a second of a socket.
updates_of() {
    ranks=$(($1 * updating))
    value=$(last pgas-xt "pgas.ranks=$1" updates)
    ranks=2
    calc "$value / $updating"
}
share_of_limit() { calc "100 * $(updates_of "$1") / $(least_limit 4 8)"; }
row_E8a() { share_of_limit 2; }
row_E8b() { verdict_of "$(greater "$(share_of_limit 4)" 75 'per cent')"; }
row_E9a() { calc "$(updates_of 2) / $(updates_of 1)"; }
row_E9b() { calc "$(updates_of 4) / $(updates_of 2)"; }
row_E10() {
    off=$(calc "100 * ($(stream 4 8) / $(stream 4 4) - 1)")
    verdict_of "$(greater 2 "$off" 'per cent')$(greater "$off" -2 'per cent')"
}
row_E11() {
    few=$(puts 1 pgas.issue=20host.cycles 2 -s 8)
    limit=$(calc "$(limits 1 8 | cut -d ' ' -f 1) * 0.95")
    verdict_of "$(greater "$few" "$limit" '20 cycles, 95 %')$(
        greater "$limit" "$(stream 1 8)" '95 %, 50 cycles')"
}

# -- tables of the pictures: x, one core, two, four

# cores_by TITLE VALUES COMMAND...: COMMAND gets the cores and the value, and prints a number.
cores_by() {
    printf '%s\tone\ttwo\tfour\n' "$1"
    values=$2
    shift 2
    for x in $values; do
        printf '%s\t%s\t%s\t%s\n' "$x" "$("$@" 1 "$x")" "$("$@" 2 "$x")" "$("$@" 4 "$x")"
    done
}
stream_mb() { calc "$(stream "$1" "$2") * $2"; }
both_mb() { calc "2 * $(stream "$1" "$2" -b) * $2"; }
# far_mb ORDER CORES SIZE: from one socket to all others.
far_mb() { calc "$(to_all "$2" -s "$3" "$1") * $3"; }
updates_by_sockets() {
    ranks=$(($1 * $2))
    value=$(last pgas-xt "pgas.ranks=$1" updates)
    ranks=2
    echo "$value"
}
# Latency by the bytes of a put, and of 8 by the bus.
latency_by() {
    printf 'bytes\tns\n'
    for x in $1; do printf '%s\t%s\n' "$x" "$(puts 1 '' 2 -l -s "$x")"; done
}
latency_by_bus() {
    printf 'bus\tns\n'
    for x in 25 50 100 150 200 250; do printf '%s\t%s\n' $x "$(one_way bus.latency=${x}ns)"; done
}
limits_by() {
    printf 'bytes\tbus\tlink\n'
    for x in $1; do printf '%s\t%s\n' "$x" "$(limits 4 "$x" | tr ' ' '\t')"; done
}
puts_data() {
    if [ "${FIGURES_QUICK:-}" ]; then
        short='8 64' long='8 4096' far='8' of_sockets='2 4'
    else
        short='4 8 16 32 64 128 256 512 1024' long='4 8 16 32 64 128 256 512 1024 4096'
        far='8 32 128 512' of_sockets='2 4 8 16'
    fi
    latency_by "$short" >"$data/pgas-latency.tsv"
    latency_by_bus >"$data/pgas-bus.tsv"
    cores_by bytes "$long" stream_mb >"$data/pgas-stream.tsv"
    cores_by bytes "$long" both_mb >"$data/pgas-both.tsv"
    for order in -C -B -T; do
        cores_by bytes "$far" far_mb $order >"$data/pgas-far$order.tsv"
    done
    limits_by "$short" >"$data/pgas-limits.tsv"
    cores_by sockets "$of_sockets" updates_by_sockets >"$data/pgas-updates.tsv"
}
