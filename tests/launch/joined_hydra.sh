#!/bin/sh
# Ranks started by mpiexec.hydra (PMI-1) form one job.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
. "${srcdir:-.}/tests/launch/joined.inc"
hydra=$(command -v mpiexec.hydra) || {
    echo "no mpiexec.hydra here (Debian: apt-get install mpich)"
    exit 77
}

starter=$work/start
cat >"$starter" <<END
#!/bin/sh
n=\$1
shift
exec "$hydra" -n "\$n" "\${instead:-$program}" "\$@"
END
chmod +x "$starter"
code_of_abort=3
joins_and_ends
# One that may leave says nothing; mpiexec.hydra itself takes its connection's end for a failure at
# times.
MPILITE_FINALIZE=off "$starter" 1 leave_all >"$work/out" 2>"$work/err"
grep -q 'without MPI_Finalize' "$work/err" && fail 'a rank that may leave is told of'

# Two programs; more ranks than cores; bound; ranks behind a shell.
"$hydra" -n 1 "$program" : -n 2 "$program" >"$work/out" 2>"$work/err" || fail "two programs"
printed 'rank 0 of 3, 3 near, program 0' 'rank 1 of 3, 3 near, program 1' \
    'rank 2 of 3, 3 near, program 1'
ends 0 16
one_job 16
"$hydra" -bind-to core -n 2 "$program" >"$work/out" 2>"$work/err" || fail "bound"
one_job 2
"$hydra" -n 2 sh -c '"$0"; exit $?' "$program" >"$work/out" 2>"$work/err" || fail "behind a shell"
one_job 2

# Sizes of the environment are read, and wrong ones said.
"$hydra" -genv NICEMU_SCRATCHPAD 4k -genv NICEMU_HEAP none -n 2 "$program" >"$work/out" \
    2>"$work/err" || fail "sizes"
one_job 2
"$hydra" -genv NICEMU_SCRATCHPAD 1 -n 2 "$program" >"$work/out" 2>"$work/err" &&
    fail "a wrong size"
told "Fatal error in MPI_Init: NICEMU_SCRATCHPAD: '1' is out of range"

# Started by a rank of mpirun's.
run 0 -n 1 "$starter" 3
one_job 3
silent

# A second program of a rank finds no launcher to talk to.
"$hydra" -n 2 sh -c '"$0" && "$0"' "$program" >"$work/out" 2>"$work/err" && fail "twice"
told 'Fatal error in MPI_Init: the launcher'

# What the launcher calls several machines is several, though the memory could be reached.
if has_far_ranks; then
    "$hydra" -launcher fork -hosts a,b,c -n 7 "$program" >"$work/out" 2>"$work/err" ||
        fail "three machines"
    printed 'rank 0 of 7, 3 near, program 0' 'rank 1 of 7, 2 near, program 0' \
        'rank 2 of 7, 2 near, program 0' 'rank 3 of 7, 3 near, program 0' \
        'rank 4 of 7, 2 near, program 0' 'rank 5 of 7, 2 near, program 0' \
        'rank 6 of 7, 3 near, program 0'
else
    "$hydra" -launcher fork -hosts a,b,c -n 7 "$program" >"$work/out" 2>"$work/err" &&
        fail "three machines"
    told 'Fatal error in MPI_Init: no module for other machines'
fi

# Everything of a launcher killed: ranks that wait see it, and nothing is left.
nothing_said
"$hydra" -genv MPILITE_DEADLOCK off -n 3 "$program" hang >"$work/out" 2>"$work/err" &
launcher=$!
until_true has_lines "$work/out" 3
proxy=$(cat /proc/[0-9]*/stat 2>/dev/null |
    awk -v p=$launcher '{ pid = $1; sub(/.*\) /, ""); if ($2 == p) print pid }')
sleep 2         # for a watch that is not wanted
# shellcheck disable=SC2086 # several words
kill -9 $launcher $proxy
wait $launcher 2>/dev/null
no_rank_left
grep -q 'cannot go on' "$work/err" && fail 'they have looked for a deadlock'
exit 0
