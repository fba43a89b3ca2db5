# environment.awk: the names of the variables of the environment that may change what a run on the
# model clock does: all of ours but those that are known not to.  Part of nicsweep, in whose text it
# stands between single quotes.
BEGIN {
    # Where and how a run goes on in real time, and what it says besides (doc/model.md).
    harmless = "MPILITE_ATTACH MPILITE_CC MPILITE_CPU_SET MPILITE_CRASH MPILITE_CXX " \
        "MPILITE_DEADLOCK MPILITE_FC MPILITE_MODEL_SERIAL MPILITE_REFILL " \
        "MPILITE_REPORT_BINDINGS MPILITE_STATS NICEMU_MEMBARRIER NICEMU_OFI_PROVIDER " \
        "NICEMU_PROGRESS NICEMU_RDMA NICEMU_SIMD NICEMU_WIRE_PATIENCE "
    # What nicsweep gives as an option, or sums up; what mpirun sets for each rank.
    harmless = harmless "MPILITE_MODEL NICEMU_PROFILES MPILITE_CHECK_FD MPILITE_CRASH_FD " \
        "MPILITE_JOB MPILITE_JOINED MPILITE_LAUNCHED MPILITE_PROGRAM MPILITE_SIZE " \
        "MPILITE_TRACE_FD NICEMU_JOB_FD NICEMU_RANK NICEMU_THREAD_CPUS"
    n = split(harmless, name, " ")
    for (i = 1; i <= n; i++) known[name[i]] = 1
    for (v in ENVIRON)
        if (v ~ /^(MPILITE|NICEMU|SHMEM)_[A-Za-z0-9_]+$/ && !(v in known)) print v
}
