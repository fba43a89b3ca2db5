#!/bin/sh
# Several MPI programs of the same ranks, one after the other: each finds the job as if it were the
# first.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE
ends=$tools/mpi_ends
traffic="$tools/scribble 1 nothing"
three="$traffic && $ends finalize && $traffic"

# thrice OPTION...
thrice() {
    run 0 "$@" sh -c "$three"
    calm
    printed right right
}
thrice -n 2
thrice -n 5
thrice -n 1
NICEMU_RDMA=staged thrice -n 3
NICEMU_HEAP=none NICEMU_SCRATCHPAD=4k thrice -n 3
thrice --model ideal -n 2
thrice --model redstorm-alpu --model-serial -n 3

# Ranks come one by one: that is no deadlock, however long they take.
run 0 -n 3 sh -c 'rank=$NICEMU_RANK; "$0" finalize
    [ "$rank" != 1 ] || sleep 2; "$0" finalize' "$ends"
calm

# A program that is killed while it waits has not come, but the next one has: the other rank comes
# only when it is dead.
run 0 -n 2 sh -c 'rank=$NICEMU_RANK; "$0" finalize
    if [ "$rank" = 1 ]; then timeout -s KILL 0.5 "$0" finalize; : >"$1"; fi
    until test -f "$1"; do sleep 0.02; done
    "$0" finalize' "$ends" "$work/dead"

# What never can start says so, whether the others end before that or after.
run 1 -n 2 sh -c 'rank=$NICEMU_RANK; "$0" finalize; [ "$rank" = 1 ] || "$0" finalize' "$ends"
all='a rank can start another MPI program only if all ranks do'
told "^Fatal error in MPI_Init: rank 1 has ended: $all\$"
told '^mpirun: rank 0 aborted the job with code 1$'
run 1 -n 3 sh -c 'rank=$NICEMU_RANK; "$0" finalize
    [ "$rank" != 1 ] || exec sleep 1; "$0" finalize' "$ends"
told '^Fatal error in MPI_Init: rank 1 has ended'
run 1 --model ideal -n 2 sh -c 'rank=$NICEMU_RANK; "$0" finalize
    [ "$rank" = 0 ] || "$0" finalize' "$ends"
told '^Fatal error in MPI_Init: rank 0 has ended'
told '^mpirun: rank 1 aborted the job with code 1$'

# One that has not called MPI_Finalize is still there.
run 1 -n 1 sh -c '"$0" forget; "$0" finalize' "$ends"
told '^Fatal error in MPI_Init: this rank is open already'

# The end of a job of which the second program fails.
run 42 -n 2 sh -c '"$0" finalize; "$0" abort' "$ends"
told '^mpirun: rank 1 aborted the job with code 42$'
run 1 -n 2 sh -c '"$0" finalize; "$0" deadlock' "$ends"
told '^mpirun: the job cannot go on'
told '^  rank 0: .*source 1, tag 5'
run 1 --model ideal -n 2 sh -c '"$0" finalize; "$0" deadlock' "$ends"
told '^  rank 0: .*source 1, tag 5'

# On the model clock: twice the events and twice the time, the same in each run, in the hash and in
# the log.
model_figures() {
    run 0 --model ideal --model-hash --model-log "$work/log" -n 3 sh -c "$1" "$ends"
    said='model hash \([0-9a-f]*\), \([0-9]*\) events, \(.*\) s'
    sed -n "s/^mpirun: $said\$/\1 \2 \3/p" "$work/err"
}
one=$(model_figures '"$0" finalize')
lines=$(grep -vc '^#' "$work/log")
two=$(model_figures '"$0" finalize; "$0" finalize')
[ "$(grep -vc '^#' "$work/log")" -eq $((2 * lines)) ] || fail "the log has not both programs"
grep -qx '# program 2' "$work/log" || fail "the log does not tell the programs apart"
[ -z "$(find "$work" -name 'log.*')" ] || fail "logs of ranks are left"
[ "$two" = "$(model_figures '"$0" finalize; "$0" finalize')" ] || fail "two runs differ: $two"
echo "$one $two" |
    awk '$1 == $4 || $5 != 2 * $2 || $6 / $3 < 1.999 || $6 / $3 > 2.001 { exit 1 }' ||
    fail "one program: $one, two of them: $two"

# Figures are those of each program.
run 0 -n 2 env MPILITE_STATS=1 sh -c "$ends finalize; $ends finalize"
[ "$(grep -c 'what the NICs of 2 ranks did' "$work/err")" -eq 2 ] || fail "there are not two tables"
exit 0
