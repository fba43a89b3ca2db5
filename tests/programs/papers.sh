#!/bin/sh
# The papers' benchmarks run on the live clock: each point is there once, in order, with a time
# above nothing; data are right (they check them); lists are read; wrong calls are refused.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "$(dirname "$0")/lib.sh"

papers=$PWD/examples/papers

# try CODE RANKS BENCHMARK [ARGUMENT]...
try() {
    want=$1 ranks=$2 name=$3
    shift 3
    timeout -k 5 "$limit" "$bin/mpirun" -n "$ranks" "$papers/$name" "$@" \
        >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ "$got" -eq "$want" ] && return
    cat "$work/err"
    fail "$name $* on $ranks ranks: exit code $got, should be $want"
}

# points TEXT: all columns but the last, of all lines but the first, are this; the last holds times.
points() {
    awk -F'\t' '
        NR > 1 {
            for (i = 1; i < NF; i++) printf "%s%s", $i, i < NF - 1 ? " " : "; "
            if (!($NF > 0)) exit 1
        }' "$work/out" >"$work/points" || fail 'a time is not above 0'
    [ "$(cat "$work/points")" = "$1" ] || fail "points are $(cat "$work/points"), should be $1"
    [ "$(columns head)" -eq "$(columns tail)" ] || fail 'the header has other columns'
}
# columns WHERE: their number in the first line (head) or the last (tail).
columns() { "$1" -n 1 "$work/out" | awk -F'\t' '{ print NF }'; }

try 0 2 preposted -q 0,7 -p 0:100:50 -s 0,100 -r 3 -w 1
short='0 0 0 0; 0 50 0 0; 0 100 0 0; 7 0 0 0; 7 50 3 0; 7 100 7 0'
long='0 0 0 100; 0 50 0 100; 0 100 0 100; 7 0 0 100; 7 50 3 100; 7 100 7 100'
points "$short; $long; "
try 0 2 preposted --length 300 --share 80 --size 70000 --rounds 2 --warm-up 0
points '300 80 240 70000; '
try 0 2 unexpected -q 0:4:2,20 -s 0,5000 -r 4 -w 1
points '0 0; 2 0; 4 0; 20 0; 0 5000; 2 5000; 4 5000; 20 5000; '
try 0 2 pingpong_words -s 0:8:2,4096 -r 20
points '0; 2; 4; 6; 8; 4096; '
try 0 2 pingpong_words -s 1,70001 -r 3 --alloc --late 1000
points '1; 70001; '

try 0 2 pingpong_words -s 0,8 -r 3 --times
calls=$(awk -F'\t' '
    NR > 1 {
        printf "%s %s%s; ", $1, $2, $3 < before || $4 < $3 ? " ends before it begins" : ""
        before = $4
    }' "$work/out")
[ "$calls" = '0 send; 0 receive; 8 send; 8 receive; ' ] || fail "calls are $calls"

# Less a message's way, which on this clock varies: its sums are what is checked.
try 0 3 reduce -r 5 -w 1
try 0 4 reduce -f -H -d 0,1000 -r 5 -w 1
points '4 0; 4 1000; '
MPILITE_BARRIER=gather:1
export MPILITE_BARRIER
try 0 4 reduce -r 5 -w 1
unset MPILITE_BARRIER
try 0 2 atomic -r 5 -w 1
points ''
# shellcheck disable=SC2086 # an option, or none
for what in '' -R -A -L; do
    try 0 4 collective $what -s 0,4000 -r 3 -w 1
    points '4 0; 4 4000; '
done
try 0 2 atomic -m -r 5 -w 1
try 0 2 guarded 5
points ''
try 0 2 guarded -p 5
points ''
try 0 5 multicast -s 0,5000 -l 0,1,2 -r 3 -k 1
[ "$(cut -f 1-3 "$work/out" | tail -n 6 | tr '\t\n' ' ;')" = \
    '5 0 0;5 1 0;5 2 0;5 0 5000;5 1 5000;5 2 5000;' ] || fail 'multicast has other points'
try 0 4 multicast -e -m -s 3100 -l 2 -r 3
try 2 4 multicast -s 1,x
try 2 4 multicast -r 0
try 2 2 guarded 0
try 2 2 guarded 5 6
try 0 4 lock -c 1,2,3 -r 20 -w 2
points '1; 2; 3; '
try 0 2 lock -u 100000
points '100000; '
try 0 5 bypass -s 1,5000 -m 1000 -r 3 -w 1
[ "$(cut -f 1,2 "$work/out" | tail -n 2 | tr '\t\n' ' ;')" = '5 1;5 5000;' ] ||
    fail 'bypass has other points'
try 2 1 reduce
try 2 3 atomic
grep -q 'needs two PEs' "$work/err" || fail 'atomic does not say that it needs two PEs'

for name in preposted unexpected pingpong_words; do
    try 0 1 "$name" --help
    grep -q '^usage: mpirun -n 2' "$work/out" || fail "$name --help does not print the usage"
    try 2 3 "$name"
    grep -q 'needs two ranks, not 3' "$work/err" ||
        fail "$name does not say that it needs two ranks"
    for wrong in '-s x' '-s 1,' '-s 1:2' '-s 1:2:0' '-s -1' '-s 9:1:1' '-r 0' '-x' 'more'; do
        # shellcheck disable=SC2086 # words
        try 2 1 "$name" $wrong
        [ ! -s "$work/out" ] || fail "$name $wrong: standard output is not empty"
    done
done
