#!/bin/sh
# nicsweep: all combinations, in order; figures of each kind; goes on where it was cut off; says
# what is wrong.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
sweep=$PWD/bin/nicsweep
program=$PWD/examples/papers/preposted

# sweep CODE ARGUMENT...
sweep() {
    want=$1
    shift
    (cd "$work" && "$sweep" "$@") >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "$want" ] || fail "nicsweep $*: exit code $code, not $want"
}
values() { awk -F'\t' 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $'"$1"' }' "$2"; }
falls() { awk -v list="$1" 'BEGIN { n = split(list, v, " ")
    for (i = 2; i <= n; i++) if (v[i] + 0 > v[i - 1] + 0) exit 1
    exit n < 2 || v[n] + 0 >= v[1] + 0 }'; }

sweep 0 --model redstorm-alpu --sweep alpu.posted=0,64:256:64 -o one \
    --metric 'column:half round trip (ns):max' "$program" -q 150 -r 2 -w 1
table=$work/one/sweep.tsv
[ "$(values 1 "$table")" = '0 64 128 192 256' ] || fail "values: $(values 1 "$table")"
falls "$(values 2 "$table")" || fail "more cells are not faster: $(values 2 "$table")"
told 'nicsweep: 5 of 5'
grep -q 'nicsweep --model redstorm-alpu' "$work/one/index.html" || fail 'the page has no command'
[ "$(grep -c '<td>' "$work/one/index.html")" -eq 5 ] || fail 'the page has no table'
if command -v gnuplot >/dev/null; then
    grep -q '<svg' "$work/one/index.html" || fail 'the page has no picture'
fi

# It goes on: what is there is not run again.
echo 4711 >"$work/one/runs/2.value"
rm "$work/one/runs/3.value"
sweep 0 --model redstorm-alpu --sweep alpu.posted=0,64:256:64 -o one \
    --metric 'column:half round trip (ns):max' "$program" -q 150 -r 2 -w 1
told '5 runs, 4 of them are there'
[ "$(sed -n 3p "$table")" = '64	4711' ] || fail 'a run that was there was repeated'
sweep 1 --model redstorm-alpu --sweep alpu.posted=0,64 -o one "$program" -q 150
told 'has another sweep'

# Two keys, with units, the metrics of the NIC.
for metric in time latency:p50 latency:mean latency:max busy:nic; do
    sweep 0 -q --again --model redstorm-alpu -o two --metric $metric --set alpu.posted=64 \
        --sweep nic.clock=500MHz:1GHz:250MHz --sweep link.latency=100ns,2us "$program" -q 20 -r 2
    table=$work/two/sweep.tsv
    [ "$(values 1 "$table")" = '500MHz 500MHz 750MHz 750MHz 1000MHz 1000MHz' ] ||
        fail "first key: $(values 1 "$table")"
    [ "$(values 2 "$table")" = '100ns 2us 100ns 2us 100ns 2us' ] ||
        fail "second key: $(values 2 "$table")"
    [ "$(values 3 "$table" | wc -w)" -eq 6 ] || fail "$metric: $(values 3 "$table")"
    cp "$table" "$work/$metric.tsv"
done
# shellcheck disable=SC2046 # words
set -- $(values 3 "$work/time.tsv")
[ "${1%.*}" -lt "${2%.*}" ] || fail 'a longer wire does not take longer'
"$mpirun" -q -n 2 --model redstorm-alpu --set alpu.posted=64 --set nic.clock=500MHz \
    --set link.latency=100ns --explain-file "$work/why" "$program" -q 20 -r 2 >/dev/null
awk -F'\t' '$1 == "rank" { printf "%.6f\n", $3 / 1e6; exit }' "$work/why" >"$work/end"
[ "$(cat "$work/end")" = "$1" ] || fail "time is $1, mpirun says $(cat "$work/end")"

# Keys of a program's own, three of them: the list grows with its depth, the hash table does not.
sweep 0 -q --model redstorm-alpu -o own --sweep own.depth=10,200 --sweep alpu.posted=0,256 \
    --sweep own.hash=0,1 --metric column:ns "$PWD/examples/units/matchers"
awk -F'\t' 'NR > 1 { ns[$1, $2, $3] = $4 } END { exit !(ns[200, 0, 0] > 2 * ns[10, 0, 0] \
    && ns[200, 256, 0] < 1.2 * ns[10, 256, 0] && ns[200, 0, 1] < 1.2 * ns[10, 0, 1] && NR == 9) }' \
    "$work/own/sweep.tsv" || fail "list, ALPU and hash table: $(cat "$work/own/sweep.tsv")"
# What a key of its own was charged: a look-up of 20 cycles of 2 ns for each of 51 messages.
sweep 0 -q --model redstorm-alpu -o named --sweep own.depth=10,200 --set own.hash=1 \
    --set nic.clock=500MHz --metric own:lookup "$PWD/examples/units/matchers"
[ "$(cut -f 2 "$work/named/sweep.tsv" | tr '\n' ' ')" = 'own:lookup 2040.000 2040.000 ' ] ||
    fail "own:lookup: $(cat "$work/named/sweep.tsv")"
"$mpirun" --model redstorm-alpu --set own.hash=1 --explain=1 -n 2 \
    "$PWD/examples/units/matchers" 2>&1 >/dev/null |
    grep -q '^mpirun: own.lookup: charged 51 times, 2040.000 ns$' || fail 'no own.lookup'
[ "$(cd "$work" && find . -maxdepth 1 -name '*key*')" = '' ] || fail 'files that nobody asked for'

# What is wrong.
sweep 1 -q --model ideal -o bad --sweep alpu.posted=0,nothing "$program" -q 1 -r 1
told 'run with --set alpu.posted=nothing failed'
told '1 of 2 runs failed'
[ "$(values 1 "$work/bad/sweep.tsv")" = 0 ] || fail 'the other run is not there'
sweep 1 -q --model ideal -o bad2 --metric column:none --sweep alpu.posted=0 "$program" -q 1 -r 1
told 'it prints no column "none"'
for wrong in 'alpu.posted' '=1' 'alpu.posted=1:2' 'alpu.posted=2:1:1' 'alpu.posted=1:2:0' \
    'alpu.posted=1,,2' 'nic.clock=1Hz:2x:1Hz'; do
    sweep 2 -o bad3 --sweep "$wrong" "$program"
done
sweep 2 "$program"
told 'sweep KEY=VALUES is missing'
sweep 2 --sweep alpu.posted=1 --metric nothing "$program"
sweep 0 --help
grep -q '^usage: nicsweep' "$work/out" || fail 'no help'
exit 0
