#!/bin/sh
# Ranks started by Open MPI's orterun (PMIx) form one job.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
. "${srcdir:-.}/tests/launch/joined.inc"
launcher=$(command -v prterun || command -v orterun) || {
    echo "no prterun or orterun here (Debian: apt-get install openmpi-bin)"
    exit 77
}
[ "${PMIX:-no}" = yes ] || {
    echo "built without PMIx (Debian: apt-get install libpmix-dev)"
    exit 77
}

# Where its launcher keeps files meanwhile, no other one beside it takes them away.
TMPDIR=$work
export TMPDIR
starter=$work/start
cat >"$starter" <<END
#!/bin/sh
n=\$1
shift
exec "$launcher" --oversubscribe --allow-run-as-root -n "\$n" "\${instead:-$program}" "\$@"
END
chmod +x "$starter"
code_of_abort=3
joins_and_ends

# Two programs; what a launcher around this one has left in the environment is not taken for ours.
"$launcher" --oversubscribe --allow-run-as-root -n 1 "$program" : -n 2 "$program" >"$work/out" \
    2>"$work/err" || fail "two programs"
printed 'rank 0 of 3, 3 near, program 0' 'rank 1 of 3, 3 near, program 1' \
    'rank 2 of 3, 3 near, program 1'
PMI_FD=987654 PMI_RANK=0 PMI_SIZE=1 ends 0 2
one_job 2
exit 0
