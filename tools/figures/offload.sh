# Sourced by measure.sh: rows of C, chapters 4 to 6: reductions, atomic operations, a lock, and
# broadcasts past nodes that are late.
# shellcheck shell=sh disable=SC2034,SC2154

by_forwarding='protocol.offload=forward'
# -- chapter 4.  The nodes that nobody waits for run ahead; in so few rounds all that they send
# fits the NICs' buffers.

# reduction host|nic NODES [gather:N] [OPTION]...: us until the root has the sum.
reduction() {
    who=$1 ranks=$2 tree=$3 settings_r=
    shift 3
    how='-x MPILITE_BYPASS=nic'
    [ "$who" = nic ] || how='' settings_r=$by_forwarding
    [ -z "$tree" ] || how="$how -x MPILITE_BARRIER=$tree"
    ns=$(last lanai91 "$settings_r" reduce -r 20 -w 5 "$@")
    ranks=2 how=''
    calc "$ns / 1000"
}
# The option that makes it a floating-point number.
kind() { case $1 in float) echo -f ;; esac; }
# host_less_nic KIND TREE NODES
host_less_nic() {
    # shellcheck disable=SC2046 # words
    calc "$(reduction host "$3" "$2" $(kind "$1")) - $(reduction nic "$3" "$2" $(kind "$1"))"
}
# reduced KIND NODES: host over NIC, over the binomial tree.
reduced() {
    # shellcheck disable=SC2046 # words
    calc "$(reduction host "$2" '' $(kind "$1")) / $(reduction nic "$2" '' $(kind "$1"))"
}
row_C15a() { reduced integer 16; }
row_C15b() { reduced float 16; }
row_C15c() {
    wrong="$(greater 1 "$(reduced integer 2)" '2 nodes, integer')"
    for nodes in 2 4; do
        wrong="$wrong$(greater 1 "$(reduced float $nodes)" "$nodes nodes, float")"
    done
    for nodes in 4 8 16; do
        wrong="$wrong$(greater "$(reduced integer $nodes)" 1 "$nodes nodes, integer")"
    done
    for nodes in 8 16; do
        wrong="$wrong$(greater "$(reduced float $nodes)" 1 "$nodes nodes, float")"
    done
    verdict_of "$wrong"
}
row_C15d() {
    wrong='' before=0
    for nodes in 2 4 8 16; do
        now=$(reduced integer $nodes)
        wrong="$wrong$(greater "$now" "$before" "$nodes nodes")"
        before=$now
    done
    verdict_of "$wrong"
}
# A chain of depth d has d + 1 nodes.
level() {
    calc "($(host_less_nic "$1" gather:1 16) - $(host_less_nic "$1" gather:1 2)) / 14"
}
row_C16a() { level integer; }
row_C16b() { level float; }
row_C16c() {
    verdict_of "$(greater 0 "$(host_less_nic integer gather:1 2)" 'depth 1, integer')$(
        greater 0 "$(host_less_nic float gather:1 2)" 'depth 1, float')$(
        greater 0 "$(host_less_nic float gather:1 3)" 'depth 2, float')"
}
# star KIND DEGREE: by how much the host is ahead.
star() { calc "-($(host_less_nic "$1" gather:9 $(($2 + 1))))"; }
row_C17a() { calc "($(star integer 9) - $(star integer 1)) / 8"; }
row_C17b() { calc "($(star float 9) - $(star float 1)) / 8"; }
stars() {
    sum=0
    for degree in 1 2 3 4 5 6 7 8 9; do sum="$sum + $(star "$1" $degree)"; done
    calc "($sum) / 9"
}
row_C17c() { stars integer; }
row_C17d() { stars float; }

# in_reduction host|nic NODES KIND DELAY: mean us of the hosts, behind a barrier and a delay.
in_reduction() {
    # shellcheck disable=SC2046 # words
    set -- "$1" "$2" -H -d "$4" $(kind "$3")
    who=$1 ranks=$2 settings_r=
    shift 2
    how='-x MPILITE_BYPASS=nic'
    [ "$who" = nic ] || how='' settings_r=$by_forwarding
    ns=$(last lanai91 "$settings_r" reduce -r 50 -w 10 "$@")
    ranks=2 how=''
    calc "$ns / 1000"
}
relieved() { calc "$(in_reduction host "$1" "$2" "$3") / $(in_reduction nic "$1" "$2" "$3")"; }
row_C18a() { relieved 16 integer 0; }
row_C18b() { relieved 16 float 0; }
# rises_and_falls DELAY
rises_and_falls() {
    wrong='' of_host=0 of_nic=1000000
    for nodes in 2 4 8 16; do
        host=$(in_reduction host $nodes integer "$1") nic=$(in_reduction nic $nodes integer "$1")
        wrong="$wrong$(greater "$host" "$of_host" "host, $nodes nodes")$(
            greater "$of_nic" "$nic" "NIC, $nodes nodes")"
        of_host=$host of_nic=$nic
    done
    echo "$wrong"
}
row_C18c() {
    wrong=$(rises_and_falls 0)
    wrong="$wrong$(greater "$(relieved 4 integer 0)" 1 '4 nodes')"
    verdict_of "$wrong$(greater 1 "$(relieved 2 integer 0)" '2 nodes')"
}
row_C19a() { relieved 16 integer 1000000; }
row_C19b() { relieved 16 float 1000000; }
row_C19c() { relieved 16 integer 200000; }
row_C19d() { verdict_of "$(rises_and_falls 1000000)"; }

# -- chapter 5.  A host's server works in the host's calls, or wakes up for each request.

blocking="$by_forwarding completion.kind=blocking"
# operation SETS [OPTION]...: us.
operation() {
    settings_o=$1
    shift
    ns=$(last lanai91 "$settings_o" atomic -r 50 -w 10 "$@")
    calc "$ns / 1000"
}
row_C20a() { operation ''; }
row_C20b() { operation "$by_forwarding"; }
row_C20c() { operation "$blocking"; }
row_C20d() { calc "$(row_C20b) / $(row_C20a)"; }
row_C20e() { calc "$(row_C20c) / $(row_C20a)"; }
# What the mutex adds is seen on the NIC without MPI, with it and without.
row_C20f() {
    added=$(calc "$(last lanai91 '' guarded 50) - $(last lanai91 '' guarded -p 50)")
    verdict_of "$(greater "$(row_C20c)" "$(calc "$(row_C20a) + $added / 1000")" 'us')"
}
# lock SETS CONTENDERS: us.
lock() {
    ranks=16
    ns=$(last lanai91 "$1" lock -c "$2" -r 50 -w 10)
    ranks=2
    calc "$ns / 1000"
}
# slower SETS: the greatest of all factors.
slower() {
    greatest=0
    for contenders in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        now=$(calc "$(lock "$1" $contenders) / $(lock '' $contenders)")
        [ "$(calc "($now > $greatest) + 0")" -eq 0 ] || greatest=$now
    done
    echo "$greatest"
}
row_C21a() { slower "$blocking"; }
row_C21b() { slower "$by_forwarding"; }
row_C22a() {
    wrong='' two=$(lock '' 2)
    for contenders in 3 4 5 6 7; do
        wrong="$wrong$(greater "$(calc "1.1 * $two")" "$(lock '' $contenders)" "$contenders, us")"
    done
    verdict_of "$wrong"
}
row_C22b() {
    verdict_of "$(greater "$(lock "$by_forwarding" 3)" \
        "$(calc "1.1 * $(lock "$by_forwarding" 2)")" '3, 2 nodes')"
}
# What 1 ms of computation takes at home.
home() { last lanai91 "$1" lock -u "$2"; }
row_C22c() {
    verdict_of "$(greater "$(calc "1.01 * $(home '' 0)")" "$(home '' 100000)" 'NIC')$(
        greater "$(home "$blocking" 100000)" "$(calc "1.01 * $(home "$blocking" 0)")" 'host')"
}

# -- chapter 6.  All sizes come out of one run.

sizes_of_6=1,2048,4096,8192
# broadcasts with|without NODES SIZES [OPTIONS]: the file.
broadcasts() {
    ranks=$2 how='-x MPILITE_BYPASS=nic'
    [ "$1" = with ] || how='-x MPILITE_BYPASS=none'
    # shellcheck disable=SC2086 # words
    run lanai91-mpi "$by_forwarding" bypass -s "$3" -r 50 -w 10 ${4:-}
    ranks=2 how=''
}
# broadcast with|without NODES SIZE COLUMN: ns.
broadcast() {
    sizes=$sizes_of_6
    [ "$2" -eq 32 ] || sizes=$3
    awk -F'\t' -v s="$3" -v c="$4" '$2 == s { print $c }' "$(broadcasts "$1" "$2" "$sizes")"
}
in_call=5 with_delay=4 handler=3
bypassed() { calc "$(broadcast without 32 "$1" "$2") / $(broadcast with 32 "$1" "$2")"; }
row_C23a() { bypassed 1 $in_call; }
row_C23b() { bypassed 2048 $in_call; }
row_C23c() { bypassed 4096 $in_call; }
row_C23d() { bypassed 8192 $in_call; }
row_C24a() { bypassed 1 $with_delay; }
row_C24b() { bypassed 2048 $with_delay; }
row_C24c() { bypassed 4096 $with_delay; }
row_C24d() { bypassed 8192 $with_delay; }
handled() { calc "$(broadcast with 32 "$1" $handler) / 1000"; }
row_C24e() { handled 1; }
row_C24f() { handled 2048; }
row_C24g() { handled 4096; }
row_C24h() { handled 8192; }
row_C24i() {
    wrong='' before=0 most=0 least=1000000000
    for nodes in 4 8 16 32; do
        now=$(broadcast without $nodes 1 $with_delay)
        wrong="$wrong$(greater "$now" "$before" "without, $nodes nodes")"
        before=$now
        now=$(broadcast with $nodes 1 $with_delay)
        [ "$(calc "($now > $most) + 0")" -eq 0 ] || most=$now
        [ "$(calc "($now < $least) + 0")" -eq 0 ] || least=$now
    done
    verdict_of "$wrong$(greater "$(calc "1.1 * $least")" "$most" 'with, least and most')"
}
