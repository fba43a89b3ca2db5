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
# Of the time line the calls that take a millisecond or more, in ms: rank, call, begin, time, for
# whom it waited and how long, peer or root, and bytes.
events() {
    names=$(figures names | tr -d '"[]' | sed 's/^names://')
    figures events | sed 's/^"events"://' | tr ']' '\n' | tr -d '[' | sed 's/^,//' |
        awk -F, -v names="$names" 'NF == 9 && $4 >= 1000 {
            split(names, name, ",")
            printf "%d %s %.0f %.0f %d %.0f %d %d\n", $1, name[$5 + 1], $3 / 1000, $4 / 1000, $6,
                $7 / 1000, $8, $9 }' | LC_ALL=C sort
}
cat >"$work/events" <<'TEXT'
0 MPI_Allreduce 135 15 3 15 -1 4
0 MPI_Barrier 10 120 3 120 -1 0
0 MPI_Bcast 150 40 3 40 1 4
1 MPI_Allreduce 135 15 3 15 -1 4
1 MPI_Barrier 10 120 3 120 -1 0
1 MPI_Barrier 130 5 3 5 -1 0
1 MPI_Recv 0 10 1 10 0 4
2 MPI_Allreduce 135 15 3 15 -1 4
2 MPI_Barrier 100 30 3 30 -1 0
2 MPI_Barrier 130 5 3 5 -1 0
2 MPI_Bcast 150 40 3 40 1 4
2 MPI_Recv 240 150 1 150 3 4
2 MPI_Reduce 190 50 3 50 2 4
2 MPI_Ssend 0 100 2 100 3 4
3 MPI_Barrier 130 5 3 5 -1 0
3 MPI_Bcast 150 40 3 40 1 4
3 MPI_Waitall 190 120 1 120 -1 0
TEXT
# Messages: from whom when, to whom when, in ms, and bytes.
arrows() {
    figures arrows | sed 's/^"arrows"://' | tr ']' '\n' | tr -d '[' | sed 's/^,//' |
        awk -F, 'NF == 5 { printf "%d %.0f %d %.0f %d\n", $1, $2 / 1000, $3, $4 / 1000, $5 }' |
        LC_ALL=C sort
}
cat >"$work/arrows" <<'TEXT'
0 10 1 10 4
0 240 1 250 4
0 240 1 250 4
0 240 1 250 4
0 310 3 310 4
0 310 3 310 4
2 0 3 100 4
3 390 2 390 4
TEXT
# Sums of calls: of that rank and call how many, how long in all, and the longest, in ms.
called() {
    index=$(figures names | tr -d '"[]' | tr , '\n' | grep -nx "\(names:\)\{0,1\}$2")
    figures calls | tr ']' '\n' | tr -d '["a-z:' |
        awk -F, -v rank="$1" -v call="$((${index%%:*} - 1))" -v expected="$3" '
            { sub(/^,/, "") }
            $1 == rank && $2 == call { got = sprintf("%d %.0f %.0f", $3, $4 / 1000, $5 / 1000) }
            END { exit got != expected }' || fail "$2 of rank $1: $(figures calls)"
}
# Of the slowest messages one a line; told_slow LINE BEGIN END: a line of these.
slow() { figures slow | sed 's/^"slow":\[//' | tr ']' '\n' | sed -n 's/^,\{0,1\}\[//p'; }
told_slow() {
    slow | sed -n "$1p" | grep -qx "$2.*$3" || fail "the slowest message, line $1: $(slow)"
}
# Where calls take no time, too.
for profile in ideal redstorm-alpu; do
    report 4 late
    events | diff "$work/events" - >"$work/out" || fail "$profile: calls along the time"
    arrows | diff "$work/arrows" - >"$work/out" || fail "$profile: messages along the time"
    called 1 MPI_Barrier '2 125 120'
    called 1 MPI_Recv '4 10 10'
    called 2 MPI_Recv '1 150 150'
    told_slow 1 '2,3,2,4,[0-9.]*,"100 ms, of which 100 ms until rank 3 was ready' '(MPI_Recv)\."'
    told_slow 4 '0,1,3,4,[0-9.]*,"10 ms, of which 10 ms until rank 1 was ready' '(MPI_Recv)\."'
    told_slow 5 '.*"[0-9.]* [nu]s from the call of MPI_Send to the end of ' 'receive was there\."'
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

# One whose receive is there, but who does not look for it.
run 0 -q -n 2 --model "$profile" --trace "$work/away.json" --report "$work/report" "$tools/traced" \
    away
told_slow 1 '0,1,7,4,[0-9.]*,"30 ms, of which 30 ms until rank 1 was ready to receive it' '"'
told_slow 2 '0,1,6,4,[0-9.]*,"20 ms, of which rank 1 was elsewhere for 20 ms before it looked: ' \
    'its receive was there\."'
events | grep -qx '0 MPI_Wait 0 30 2 30 -1 0' || fail "a send that is waited for: $(events)"
grep -q '"name":"MPI_Ibarrier"' "$work/away.json" || fail 'no MPI_Ibarrier'
grep '"name":"MPI_Ibarrier"' "$work/away.json" | grep -q waited && fail 'MPI_Ibarrier waits'

# In a scan who is done before others come has not waited for them.
report 4 scans
cat >"$work/events" <<'TEXT'
0 MPI_Exscan 30 50
0 MPI_Scan 80 0
1 MPI_Scan 80 0
2 MPI_Scan 0 30
2 MPI_Scan 80 200
3 MPI_Scan 0 30
3 MPI_Scan 280 0
TEXT
events | awk '/can/ { print $1, $2, $3, $6 }' |
    diff "$work/events" - >"$work/out" || fail "scans: $(events)"

# What the time line of --trace has of these.
run 0 -q -n 4 --model ideal --trace "$work/late.json" "$tools/traced" late
waited() { # NAME ARGUMENTS
    grep -qE "\"name\":\"$1\",.*\"args\":\{$2\}" "$work/late.json" || fail "no $1 with $2"
}
waited MPI_Recv '"peer":0,"tag":1,"bytes":4,"waited_ns":10000[0-9]{3},"because":"the sender .*'
waited MPI_Ssend '"peer":3,"tag":2,"bytes":4,"waited_ns":1000[0-9]{5},"because":"the receiver .*'
waited MPI_Bcast '"root":1,"bytes":4,"waited_ns":400[0-9]{5},"because":"other ranks came late"'
waited MPI_Recv '"peer":0,"tag":3,"bytes":4'
waited MPI_Send '"peer":1,"tag":3,"bytes":4'

report 2 flood 1500
[ "$(slow | grep -c '"[0-9.]* us, of which ')" -eq 20 ] || fail "not 20 slow messages: $(slow)"
advised '"100 % of 1500 messages are shorter than 1 KiB, and MPI works for [0-9]* % of all time'
advised '"100 % of the messages came before their receive was posted'
figures bins | grep -q ',"www*[.]*"]' || fail "no work along the time: $(figures bins)"
figures latencies | tr -d '"a-z:[]' | tr , '\n' | awk '{ n += $1 } END { exit n != 1500 }' ||
    fail "latencies: $(figures latencies)"
report 2 flood 1000
figures advice | grep -q 'shorter than' && fail "advised of few messages: $(figures advice)"

# Looks that find nothing are one slice, from the first to the last: all their times lie in it.
for looks in 501 2; do
    run 0 -n 2 --trace "$work/poll.json" --report "$work/report" "$tools/traced" poll $looks
    number=$(figures names | tr , '\n' | grep -n '"MPI_Iprobe"')
    {
        figures calls | tr ']' '\n' | tr -d '["a-z:' | sed 's/^,//' |
            awk -F, -v call="$((${number%%:*} - 1))" '$2 == call { print "took", $1, $4 }'
        grep '"name":"MPI_Iprobe"' "$work/poll.json" |
            sed -e 's/.*"pid":\([0-9]*\),.*"dur":\([0-9.]*\)/\1 \2 /' \
                -e 's/,"args":{"calls":\([0-9]*\)}.*/\1/; s/}.*//'
    } >"$work/looks"
    awk -v n=$looks '$1 == "took" { took[$2] = $3; next }
        { looks[$1] += NF > 2 ? $3 : 1; time[$1] += $2 + 0.002 }
        END {
            for (r = 0; r < 2; r++) if (looks[r] != n || time[r] < took[r] || !took[r]) exit 1
        }' "$work/looks" || fail "not $looks looks of each rank: $(head -n 20 "$work/looks")"
done

# Communicators of the same ranks and tag are not each other: rank 1 did not wait in the first one.
report 2 again
events | cut -d ' ' -f 1-6 | grep Allreduce | tr '\n' , >"$work/out"
grep -qxE '0 [^ ]* 0 5[0-9] 3 50,0 [^ ]* [0-9]+ [0-9] 0 0,1 [^ ]* 50 [0-9] 0 0,1 .* 5[0-9] 3 50,' \
    "$work/out" || fail "a communicator made again: $(cat "$work/out")"

# Late in a job times differ by what they do at its beginning.
report 2 distant
figures arrows | tr ']' '\n' | sed -n 's/.*\[0,//p' | tr , ' ' |
    awk '{ begin[NR] = $1; d = $3 - $1; if (d < 0.001 || d > 1000) exit 1 }
        END { d = begin[2] - begin[1]; exit NR != 2 || d < 1.5 || d > 20 }' ||
    fail "messages after 100 s: $(figures arrows)"
figures events | tr ']' '\n' | sed 's/^,//' | awk -F, '$3 > 1e8 { print $3 }' | sort -u >"$work/out"
[ "$(wc -l <"$work/out")" -ge 4 ] || fail "calls after 100 s: $(figures events)"

# Of a job that fails the time is what was seen of it.
run 3 -q -n 2 --model "$profile" --report "$work/report" "$tools/traced" broken
[ "$(balance | cut -d ' ' -f 1,4 | tr '\n' ,)" = '10 90,90 10,' ] ||
    fail "a job that fails: $(figures balance)"
advised '"50 % of all time receives waited for messages .* Rank 1 computes longest\.'
figures advice | grep -q Nothing && fail "nothing stands out: $(figures advice)"

report 2 poll 501
advised '"There are 1002 calls of MPI_Test and MPI_Iprobe for 0 messages: '
report 2 poll 500
advised '"Nothing stands out: ranks are in MPI for [0-9.]* % of their time, and work there'
exit 0
