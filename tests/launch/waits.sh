#!/bin/sh
# mpirun --report: who waited for whom, how long, and what the page advises; on the model clock,
# where times are known.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
[ -e .libs/libmpilite_trace.so ] || { echo "skipped: no shared library"; exit 77; }
[ "${SANITIZED:-}" ] && { echo 'a sanitizer wants to be loaded first'; exit 77; }

# report RANKS ARGUMENT...: of tests/launch/traced.c
report() {
    ranks=$1
    shift
    run 0 -q -n "$ranks" --model "$profile" --report "$work/report" "$tools/traced" "$@"
}
figures() { grep -o "\"$1\":\[.*\]" "$work/report/index.html"; }
advised() { figures advice | grep -qE "$1" || fail "no advice: $1; $(figures advice)"; }

# Of each rank, in ms: outside MPI, Init and Finalize, work, waiting for senders, for receivers, for
# other ranks; most receives and messages that waited, and messages that came early.
balance() {
    figures balance | tr -d '"a-z:' | tr ']' '\n' | tr -d '[' | sed 's/^,//' | awk -F, 'NF == 9 {
        for (i = 1; i <= 6; i++) printf ($i && $i < 500 ? "~0 " : "%.0f "), $i / 1000
        print $7, $8, $9 }'
}
# The same along the time, in ms of the 390 that it takes: outside (.), for a sender, and so on.
bins() {
    figures bins | tr -d '"[]' | sed 's/^bins://' | tr , '\n' | awk '{
        for (i = 1; i <= length($0); i += n) {
            letter = substr($0, i, 1)
            for (n = 1; substr($0, i + n, 1) == letter; n++) ;
            printf "%s%s%.0f", (i > 1 ? " " : ""), letter, n * 390 / length($0)
        }
        print "" }'
}
cat >"$work/balance" <<'TEXT'
135 0 ~0 0 0 175 0 0 0
100 0 ~0 10 0 140 1 3 3
0 0 ~0 150 100 140 1 0 0
225 0 ~0 120 0 45 2 1 1
TEXT
cat >"$work/bins" <<'TEXT'
.10 c120 .5 c55 .200
s10 c140 .240
r100 c140 s150
.130 c5 .15 c40 s120 .80
TEXT
# Where calls take no time, too.
for profile in ideal redstorm-alpu; do
    report 4 late
    balance | diff "$work/balance" - >"$work/out" || fail "$profile: who waited"
    bins | diff "$work/bins" - >"$work/out" || fail "$profile: along the time"
    advised '"21 % of all time receives waited for messages .* Rank 3 computes longest\.'
    advised '"37 % of all time ranks waited in collectives .*; rank 3 came last most often'
    advised '"7 % of all time long sends waited for their receives'
    figures advice | grep -qE 'Nothing|shorter|kept|calls of' && fail "advised: $(figures advice)"
done
# 8 messages of 4 bytes: one took 100 ms, as many ns as 27 bits have, three 10 ms, which have 24
figures sizes | grep -q '^"sizes":\[0,0,0,8,0,' || fail "sizes: $(figures sizes)"
figures latencies | grep -q '^"latencies":\[\([0-9]*,\)\{24\}3,0,0,1,0,' ||
    fail "latencies: $(figures latencies)"

report 2 flood 1500
advised '"100 % of 1500 messages are shorter than 1 KiB, and MPI works for [0-9]* % of all time'
advised '"100 % of the messages came before their receive was posted'
figures bins | grep -q ',"www*[.]*"]' || fail "no work along the time: $(figures bins)"
figures latencies | tr -d '"a-z:[]' | tr , '\n' | awk '{ n += $1 } END { exit n != 1500 }' ||
    fail "latencies: $(figures latencies)"
report 2 flood 1000
figures advice | grep -q 'shorter than' && fail "advised of few messages: $(figures advice)"

report 2 poll 501
advised '"There are 1002 calls of MPI_Test and MPI_Iprobe for 0 messages: '
report 2 poll 500
advised '"Nothing stands out: ranks are in MPI for [0-9.]* % of their time, and work there'
exit 0
