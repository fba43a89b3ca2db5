#!/bin/bash
# Ranks started by a real Slurm on this machine form one job: srun --mpi=pmi2 and, where both sides
# have it, --mpi=pmix.  Everything of it is in a temporary folder and ends with the test.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"
. "${srcdir:-.}/tests/launch/joined.inc"
for command in munged slurmctld slurmd srun; do
    command -v $command >/dev/null || {
        echo "no $command here (Debian: apt-get install slurm-wlm munge)"
        exit 77
    }
done
[ "$(id -u)" = 0 ] || {
    echo "a Slurm can be started by root only"
    exit 77
}

# -- a cluster of one node for its tests, and a second one that is the same machine
slurm=$(mktemp -d /tmp/slurm.XXXXXX)
chmod 755 "$slurm"
mkdir "$slurm/munge" "$slurm/state" "$slurm/n1" "$slurm/n2"
stop_slurm() {
    for file in "$slurm"/n1.pid "$slurm"/n2.pid "$slurm"/ctld.pid "$slurm"/munge/pid; do
        [ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null
    done
    sleep 0.5
    rm -rf "$slurm" "$work"
}
trap stop_slurm EXIT
trap 'exit 1' HUP INT TERM

head -c 1024 /dev/urandom >"$slurm/munge/key"
chmod 400 "$slurm/munge/key"
chown -R munge: "$slurm/munge"
su -s /bin/sh munge -c "munged --force --key-file=$slurm/munge/key \
    --socket=$slurm/munge/socket --pid-file=$slurm/munge/pid --log-file=$slurm/munge/log \
    --seed-file=$slurm/munge/seed" >/dev/null 2>&1
host=$(hostname -s) port=$((30000 + $$ % 10000))
cat >"$slurm/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile=$slurm/ctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmdSpoolDir=$slurm/%n
SlurmctldLogFile=$slurm/ctld.log
SlurmdLogFile=$slurm/%n.log
StateSaveLocation=$slurm/state
SlurmUser=root
SwitchType=switch/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host Port=$((port + 1)) CPUs=16 State=UNKNOWN
NodeName=n2 NodeHostname=$host Port=$((port + 2)) CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$slurm/slurm.conf
slurmctld -c && slurmd -N n1 && slurmd -N n2 || {
    echo "Slurm does not start here"
    exit 77
}
idle() { [ "$(sinfo -h -o %T 2>/dev/null | sort -u)" = idle ]; }
for _ in $(seq 100); do
    idle && break
    sleep 0.1
done
idle || {
    echo "Slurm does not come up here"
    exit 77
}

# -- one machine
starter=$work/start
make_starter() {
    cat >"$starter" <<END
#!/bin/sh
n=\$1
shift
exec srun -Q -N1 -n "\$n" --mpi=$1 "\${instead:-$program}" "\$@"
END
    chmod +x "$starter"
}
code_of_abort=bad
make_starter pmi2
joins_and_ends
if [ "${PMIX:-no}" = yes ] && srun --mpi=list 2>&1 | grep -qw pmix; then
    make_starter pmix
    ends 0 3
    one_job 3
fi

# -- what cannot be one job
srun -Q -N1 -n 2 --mpi=none "$program" >"$work/out" 2>"$work/err" || fail "without PMI"
printed 'rank 0 of 1, 1 near, program 0' 'rank 0 of 1, 1 near, program 0'
told '^Warning: srun has started 2 ranks, of which each will be alone: say srun --mpi=pmi2$'
if has_far_ranks; then
    srun -Q -N2 -n 4 --mpi=pmi2 "$program" >"$work/out" 2>"$work/err" || fail "two machines"
    [ "$(grep -c '^rank [0-3] of 4, [123] near' "$work/out")" = 4 ] || fail "two machines: ranks"
else
    srun -Q -N2 -n 4 --mpi=pmi2 "$program" >"$work/out" 2>"$work/err" && fail "two machines"
    told 'Fatal error in MPI_Init: no module for other machines'
fi
no_rank_left
exit 0
