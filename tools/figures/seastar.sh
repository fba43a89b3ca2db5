# Sourced by figures.sh: data of the pictures of SeaStar (D), as tables: x, NIC, host, the same
# without the protocol.
# shellcheck shell=sh disable=SC2154

# four COMMAND: of each mode, with and without the protocol, one line; COMMAND gets the settings.
four() {
    printf '\t%s\t%s\t%s\t%s\n' "$("$@" '')" "$("$@" "$host_mode")" "$("$@" $unguarded)" \
        "$("$@" "$host_mode $unguarded")"
}
us_of() { calc "$(messages "$3" "$1") / 1000 * $2"; }
mb_per_s() { calc "$1 * 1000 / $(messages "$3" "$1" ${2:+"$2"})"; }
both_per_s() { calc "2 * $(mb_per_s "$1" -b "$2")"; }
us_together() {
    of_nodes=$1 settings_u=$3
    # shellcheck disable=SC2086 # words
    calc "$(together "$settings_u" "$of_nodes" $2) / 1000"
}
# by TITLES VALUES KIND: a table.
by() {
    echo "$1"
    for x in $2; do
        printf '%s' "$x"
        case $3 in
        latency) four us_of "$x" 1 ;;
        bandwidth) four mb_per_s "$x" '' ;;
        stream) four mb_per_s "$x" -S ;;
        both) four both_per_s "$x" ;;
        *) four us_together "$x" "$3" ;;
        esac
    done
}
seastar_data() {
    if [ "${FIGURES_QUICK:-}" ]; then
        small='1 16 32 1024' large='1024 1048576' together_nodes='2 16'
    else
        small='1 2 4 8 16 32 64 128 256 512 1024'
        large='64 256 1024 4096 16384 65536 262144 1048576 2097152' together_nodes='2 4 8 16 32 64'
    fi
    modes='NIC	host	NIC without	host without'
    by "bytes	$modes" "$small" latency >"$data/seastar-latency.tsv"
    by "bytes	$modes" "$large" bandwidth >"$data/seastar-bandwidth.tsv"
    by "bytes	$modes" "$large" stream >"$data/seastar-stream.tsv"
    by "bytes	$modes" "$large" both >"$data/seastar-both.tsv"
    for kind in -B -A -R ''; do
        by "nodes	$modes" "$together_nodes" "${kind:--s 16}" >"$data/seastar-nodes$kind.tsv"
    done
    for mode in nic host; do
        [ $mode = nic ] && of_mode='' || of_mode=$host_mode
        cp "$(lists "$of_mode" 0:200:10)" "$data/seastar-lists-$mode.tsv" || return 1
    done
}
