# Sourced by figures.sh: data of the pictures of reductions, atomic operations, a lock and late
# nodes (C, figures 4.3 to 6.6), as tables in us.
# shellcheck shell=sh disable=SC2034,SC2154

# both_kinds COMMAND ARGUMENT...: of hosts and NICs, with an integer and a floating-point number.
both_kinds() {
    command=$1
    shift
    for number in integer float; do
        for by_whom in host nic; do
            # COMMAND sets names of its own
            printf '\t%s' "$("$command" $by_whom "$number" "$@")"
        done
    done
    echo
}
# shellcheck disable=SC2046 # words
until_root() { reduction "$1" "$3" "$4" $(kind "$2"); }
until_done() { in_reduction "$1" "$3" "$2" "$4"; }

whose='host, integer	NIC, integer	host, float	NIC, float'
# by_tree TITLE VALUES TREE MORE: nodes are the value and so many more.
by_tree() {
    printf '%s\t%s\n' "$1" "$whose"
    for x in $2; do
        printf '%s' "$x"
        both_kinds until_root $((x + $4)) "$3"
    done
}
by_delay() {
    printf 'nodes\t%s\n' "$whose"
    for nodes in $reduce_nodes; do
        printf '%s' "$nodes"
        both_kinds until_done "$nodes" "$1"
    done
}
delays() {
    printf 'delay\t%s\n' "$whose"
    for us in $delays_us; do
        printf '%s' "$us"
        both_kinds until_done 16 "${us}000"
    done
}
reduction_data() {
    by_tree nodes "$reduce_nodes" '' 0 >"$data/reduce-nodes.tsv"
    by_tree depth "$depths" gather:1 1 >"$data/reduce-chain.tsv"
    by_tree degree "$degrees" gather:9 1 >"$data/reduce-star.tsv"
    by_delay 0 >"$data/reduce-hosts.tsv"
    by_delay 1000000 >"$data/reduce-late.tsv"
    delays >"$data/reduce-delays.tsv"
}

three() { printf '\t%s\t%s\t%s\n' "$("$@" '')" "$("$@" "$by_forwarding")" "$("$@" "$blocking")"; }
compare_and_swap() {
    # shellcheck disable=SC2086 # words
    operation "$2" $1
}
turn_of_lock() { lock "$2" "$1"; }
# every: nanoseconds, 0: never.  Some awks work out a quotient of constants that they do not need.
taken_in_a_ms() { if [ "$1" -eq 0 ]; then echo 0; else calc "1000000 / $1"; fi; }
# What is left of the computation at home, in percent.
left_at_home() { calc "1e8 / $(home "$2" "$1")"; }
atomic_data() {
    ways='NIC	host, polling	host, blocking'
    {
        printf 'compare and swap\t%s\n' "$ways"
        printf 'hit' && three compare_and_swap ''
        printf 'miss' && three compare_and_swap -m
    } >"$data/atomic.tsv"
    {
        printf 'contenders\t%s\n' "$ways"
        for n in $contending; do printf '%s' "$n" && three turn_of_lock "$n"; done
    } >"$data/lock.tsv"
    {
        printf 'taken in 1 ms\t%s\n' "$ways"
        for every in $lock_every; do
            printf '%s' "$(taken_in_a_ms "$every")" && three left_at_home "$every"
        done
    } >"$data/lock-home.tsv"
}

# late_nodes TITLE NODES... SKEWS: one of both is a list; for each size in the broadcast without
# and with bypass, and the same with the handler.
late_nodes() {
    printf '%s\tfor each size: without, with, without and handler, with and handler\n' "$1"
    for nodes in $2; do
        for us in $3; do
            case $1 in nodes) printf '%s' "$nodes" ;; *) printf '%s' "$us" ;; esac
            of_rows=
            [ "$us" = 333 ] || of_rows="-m ${us}000"
            files="$(broadcasts without "$nodes" $sizes_of_6 "$of_rows") $(
                broadcasts with "$nodes" $sizes_of_6 "$of_rows")"
            # shellcheck disable=SC2086 # words
            paste $files | awk -F'\t' -v c=$in_call -v d=$with_delay '
                NR > 1 { h = NF / 2; printf "\t%g\t%g\t%g\t%g",
                    $c / 1000, $(h + c) / 1000, $d / 1000, $(h + d) / 1000 }
                END { print "" }'
        done
    done
}
bypass_data() {
    late_nodes skew 32 "$skews_us" >"$data/bypass-skew.tsv"
    late_nodes nodes "$bypass_nodes" 333 >"$data/bypass-nodes.tsv"
}

offload_data() {
    if [ "${FIGURES_QUICK:-}" ]; then
        reduce_nodes='2 16' depths='1 15' degrees='1 9' delays_us='0 1000'
        contending='1 15' lock_every='0 100000' skews_us='0 333' bypass_nodes='4 32'
    else
        reduce_nodes='2 4 8 16' depths='1 2 3 5 7 9 11 13 15' degrees='1 2 3 4 5 6 7 8 9'
        delays_us='0 50 100 200 300 400 600 800 1000'
        contending='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'
        lock_every='0 200000 100000 50000 33000 25000'
        skews_us='0 17 33 67 133 200 267 333' bypass_nodes='2 4 8 16 32'
    fi
    reduction_data && atomic_data && bypass_data
}
