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
    run 0 -q -n "$ranks" --model redstorm-alpu --report "$work/report" "$tools/traced" "$@"
}
figures() { grep -o "\"$1\":\[.*\]" "$work/report/index.html"; }
advised() { figures advice | grep -qE "$1" || fail "no advice: $1; $(figures advice)"; }

# Of each rank, in ms: outside MPI, Init and Finalize, work, waiting for senders, for receivers, for
# other ranks; most receives and messages that waited, and messages that came early.
report 4 late
figures balance | tr -d '"a-z:' | tr ']' '\n' | tr -d '[' | sed 's/^,//' | awk -F, 'NF == 9 {
    for (i = 1; i <= 6; i++) printf $i && $i < 500 ? "~0 " : "%.0f ", $i / 1000
    print $7, $8, $9 }' >"$work/out"
cat >"$work/wanted" <<'TEXT'
130 0 ~0 0 0 160 0 0 0
100 0 ~0 10 0 120 1 3 3
0 0 ~0 0 100 120 0 0 0
210 0 ~0 120 0 40 2 1 1
TEXT
cmp -s "$work/wanted" "$work/out" || fail "who waited: $(diff "$work/wanted" "$work/out")"
# The same along the time, in ms of the 370 that it takes: outside (.), for a sender, and so on.
figures bins | tr -d '"[]' | sed 's/^bins://' | tr , '\n' | awk '{
    for (i = 1; i <= length($0); i += n) {
        letter = substr($0, i, 1)
        for (n = 1; substr($0, i + n, 1) == letter; n++) ;
        printf "%s%s%.0f", (i > 1 ? " " : ""), letter, n * 370 / length($0)
    }
    print "" }' >"$work/out"
cat >"$work/wanted" <<'TEXT'
.10 c160 .200
s10 c120 .240
r100 c120 .150
.130 c40 s120 .80
TEXT
cmp -s "$work/wanted" "$work/out" || fail "along the time: $(diff "$work/wanted" "$work/out")"
advised '"12 % of all time receives waited for messages .* Rank 3 computes longest\.'
advised '"40 % of all time ranks waited in collectives .*; rank 3 came last most often'
advised '"9 % of all time long sends waited for their receives'
figures advice | grep -qE 'Nothing|shorter|kept|calls of' && fail "advised: $(figures advice)"
# 7 messages of 4 bytes
figures sizes | grep -q '^"sizes":\[0,0,0,7,0,' || fail "sizes: $(figures sizes)"

report 2 flood 1500
advised '"100 % of 1500 messages are shorter than 1 KiB, and MPI works for [0-9]* % of all time'
advised '"100 % of the messages came before their receive was posted'
figures latencies | tr -d '"a-z:[]' | tr , '\n' | awk '{ n += $1 } END { exit n != 1500 }' ||
    fail "latencies: $(figures latencies)"
report 2 flood 1000
figures advice | grep -q 'shorter than' && fail "advised of few messages: $(figures advice)"

report 2 poll 501
advised '"There are 1002 calls of MPI_Test and MPI_Iprobe for 0 messages: '
report 2 poll 500
advised '"Nothing stands out: ranks are in MPI for [0-9.]* % of their time, and work there'
exit 0
