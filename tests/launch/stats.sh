#!/bin/sh
# MPILITE_STATS: the figures of all NICs at the end, by one rank, whole, whoever asked for them; and
# never in the way.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_STATS

ring=$PWD/examples/ring

# Nobody asks: nothing is said.
run 0 -n 2 "$ring" 10
silent
for nothing in 0 off ''; do
    run 0 -wd "$work" -n 2 -x MPILITE_STATS=$nothing "$ring" 10
    silent
    [ -z "$nothing" ] || [ ! -e "$work/$nothing" ] || fail "a file $nothing of figures"
done

# A table: one title, figures with sum, least and most; what is 0 everywhere is left out.
run 0 -n 3 -x MPILITE_STATS=1 "$ring" 10
[ "$(grep -c 'what the NICs of 3 ranks did$' "$work/err")" -eq 1 ] || fail "not one title"
told '^ +30 +10 @0 +10 @0 +packets_sent '
told '^ +240 +80 @0 +80 @0 +bytes_sent '
told '^ +- +[0-9]+ @[0-2] +[1-9][0-9]* @[0-2] +posted_queue_max '
grep -q 'truncations' "$work/err" && fail "a row of zeros is shown"
row='^ +([0-9]+|-) +[0-9]+ @[0-2] +[0-9]+ @[0-2] +[a-z_0-9]+ +[^ ]'
grep -vqE "^libmpi-lite: |^ +sum |$row" "$work/err" && fail "a line is no row"

# Each rank's own.
run 0 -n 10 -x MPILITE_STATS=all "$ring" 10
[ "$(grep -c '^rank ' "$work/err")" -eq 2 ] || fail "ten ranks are not shown in two parts"
told '^packets_sent +10 +10 +10 +10 +10 +10 +10 +10$'
told '^packets_sent +10 +10$'

# Least and most, and whose they are, of ranks that do not all do the same.
run 0 -n 2 -x MPILITE_STATS=all "$PWD/examples/papers/preposted" -q 10 -r 3 -w 1
awk '$3 ~ /^@/ && NF > 5 { least[$6] = $2 $3; most[$6] = $4 $5; sum[$6] = $1; next }
    $1 in least && NF == 3 {
        low = $2 <= $3 ? $2 "@0" : $3 "@1"
        high = $2 >= $3 ? $2 "@0" : $3 "@1"
        if (least[$1] != low || most[$1] != high || (sum[$1] != "-" && sum[$1] != $2 + $3)) {
            print $1 ": " sum[$1], least[$1], most[$1] " of " $2, $3
            exit wrong = 1
        }
        differ += $2 != $3
    }
    END {
        if (!wrong && !differ) print "all ranks have the same figures"
        exit wrong || !differ
    }' \
    "$work/err" >"$work/wrong" || fail "$(cat "$work/wrong")"

# A file for other programs: every figure, a column per rank.
run 0 -n 4 -x "MPILITE_STATS=$work/figures" "$ring" 10
silent
awk -F '\t' '
    NF != 7 { exit 1 }
    $1 == "packets_sent" && $4 + $5 + $6 + $7 == 40 { found = 1 }
    END { exit !found }' "$work/figures" ||
    fail "the file has not a column per rank: $(head -n 3 "$work/figures")"
grep -q '^truncations	messages	counter	0	0	0	0$' "$work/figures" ||
    fail "the file leaves figures out"
run 1 -n 2 -x MPILITE_STATS=/no/such/folder/figures "$ring" 10
cannot='the file cannot be written: No such file or directory'
said "libmpi-lite: MPILITE_STATS=/no/such/folder/figures: $cannot"

# One rank asks, whichever it is: all take part.
run 0 -n 2 "$ring" 10 : -n 1 -x MPILITE_STATS=1 "$ring" 10
told 'what the NICs of 3 ranks did$'
run 0 -n 1 -x MPILITE_STATS=all "$ring" 10 : -n 2 "$ring" 10
told '^packets_sent +10 +10 +10$'

# Without mpirun.
MPILITE_STATS=1 "$ring" 10 >"$work/out" 2>"$work/err" || fail "a single rank ends with $?"
told '^libmpi-lite: what the NIC did$'
told '^ +10  packets_sent '

# A rank that ends the job while another is in MPI_Finalize: no figures, no waiting.
run 42 -n 3 -x MPILITE_STATS=1 "$tools/mpi_ends" abort
grep -q 'what the NICs' "$work/err" && fail "figures of an aborted job"
exit 0
