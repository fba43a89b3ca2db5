# Sourced by measure.sh: rows of C, chapter 2: multi-send and multicasts on Fast Messages.
# shellcheck shell=sh disable=SC2034,SC2154

# multicast NODES SIZES COLUMN [OPTION]...: us, of the tree that is fastest; a line for each size.
multicast_calls=4 multicast_there=5 multicast_answered=6
multicast() {
    ranks=$1 of_sizes=$2 column=$3
    shift 3
    results=$(run lanai43-fm "$fm_sets" multicast -s "$of_sizes" -k 2 -r 10 "$@")
    failed=$? ranks=2
    [ $failed -eq 0 ] && awk -F'\t' -v c="$column" '
        NR > 1 && !($3 in best) { size[++n] = $3; best[$3] = $6; is[$3] = $c }
        NR > 1 && $6 < best[$3] { best[$3] = $6; is[$3] = $c }
        END { for (i = 1; i <= n; i++) printf "%.6g\n", is[size[i]] / 1000 }' "$results"
}
fm_sets=''
combining='bus.pio_byte=10.6ns/byte'
# Of a packet: the host's send; a further copy; from its first byte on to the end of the receive.
fm_send() { multicast 2 "$1" $multicast_calls; }
fm_copy() { calc "$(multicast 3 "$1" $multicast_there) - $(multicast 2 "$1" $multicast_there)"; }
fm_receive() { calc "$(multicast 2 "$1" $multicast_there) - $(fm_send "$1")"; }
per_byte() { calc "($("$1" 1536) - $("$1" 0)) / 1536"; }
row_C1a() { fm_send 0; }
row_C1b() { per_byte fm_send; }
row_C1c() { fm_sets=$combining; per_byte fm_send; fm_sets=''; }
row_C1d() { fm_copy 0; }
row_C1e() { per_byte fm_copy; }
row_C1f() { fm_receive 0; }
row_C1g() { per_byte fm_receive; }
row_C2a() { multicast 7 1536 $multicast_there; }
row_C2b() { multicast 7 1536 $multicast_there -e; }
row_C2c() { fm_sets=$combining; row_C2a; fm_sets=''; }
row_C2d() { fm_sets=$combining; row_C2b; fm_sets=''; }
# To all others from rank 0, by one send or by many; us for each size.
multi_send() { multicast "$1" "$2" $multicast_answered; }
many_sends() { multicast "$1" "$2" $multicast_answered -e; }
row_C3a() { calc "$(many_sends 16 16384) / $(multi_send 16 16384)"; }
row_C3b() {
    wrong=
    for size in 1 2 4 8 16; do
        slower=$(multi_send 16 $size)
        wrong="$wrong$(greater "$slower" "$(many_sends 16 $size)" "$size bytes, us")"
    done
    verdict_of "$wrong"
}
# Along trees: the binomial one by sends to each child; by multi-sends the best one of the postal
# model, of latencies from 1 to the number of nodes.
trees_of() { awk -v n="$1" 'BEGIN { for (i = 1; i < n; i++) printf "%d,", i; print n }'; }
by_binomial() { multicast "$1" "$2" $multicast_answered -e -m -l 1; }
by_packets() { multicast "$1" "$2" $multicast_answered -l "$(trees_of "$1")"; }
by_messages() { multicast "$1" "$2" $multicast_answered -m -l "$(trees_of "$1")"; }
row_C4a() { calc "$(by_binomial 4 16384) / $(by_packets 4 16384)"; }
row_C4b() { calc "$(by_binomial 16 16384) / $(by_packets 16 16384)"; }
multicast_sizes=32,64,128,256,512,1024,2048,4096,8192,16384
row_C4c() {
    wrong=
    for nodes in 4 8 16; do
        by_binomial $nodes $multicast_sizes >"$data/multicast.one"
        by_packets $nodes $multicast_sizes >"$data/multicast.other"
        wrong="$wrong$(paste "$data/multicast.one" "$data/multicast.other" | awk -v n=$nodes '
            NF != 2 || $1 <= $2 { printf " %d nodes, size %d: %s, %s;", n, NR, $1, $2 }')"
    done
    verdict_of "$wrong"
}
row_C5a() { calc "$(by_binomial 8 16384) / $(by_messages 8 16384)"; }
row_C5b() { calc "$(by_binomial 16 16384) / $(by_messages 16 16384)"; }
row_C5c() {
    wrong=
    for size in 2048 16384; do
        apart=$(calc "$(by_messages 4 $size) / $(by_packets 4 $size)")
        wrong="$wrong$(greater "$apart" 0.99 "$size bytes")$(greater 1.01 "$apart" "$size bytes")"
    done
    verdict_of "$wrong"
}

# -- data of the pictures, figures 2.5 to 2.7

# two_ways NAME TITLE COMMAND COMMAND: for 4, 8 and 16 nodes.
two_ways() {
    {
        printf 'bytes\t%s, for 4, 8, 16 nodes\n' "$2"
        echo "$shown_sizes" | tr ',' '\n' >"$data/multicast.sizes"
        set -- "$1" "$3" "$4"
        for nodes in 4 8 16; do
            for way in "$2" "$3"; do
                "$way" $nodes "$shown_sizes" >"$data/multicast.$way.$nodes" || return 1
            done
        done
        paste "$data/multicast.sizes" "$data/multicast.$2.4" "$data/multicast.$3.4" \
            "$data/multicast.$2.8" "$data/multicast.$3.8" \
            "$data/multicast.$2.16" "$data/multicast.$3.16"
    } >"$data/$1.tsv"
    rm -f "$data"/multicast.*
}
multicast_data() {
    shown_sizes=1,4,16,$multicast_sizes
    two_ways multi-send 'sends, multi-send' many_sends multi_send &&
        two_ways multicast-packets 'binomial, best tree' by_binomial by_packets &&
        two_ways multicast-messages 'binomial, best tree' by_binomial by_messages
}
