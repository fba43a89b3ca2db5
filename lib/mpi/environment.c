/* Time, names, versions. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/err.h"
#include "core/hw_resource.h"
#include "core/info.h"
#include "core/world.h"
#include "mpi/weak_alias.h"
#include "nicemu/model.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0"
#endif

/* On the model clock time begins with MPI_Init; after MPI_Finalize it stands still. */
static double last_time;

double PMPI_Wtime(void)
{
    struct timespec t;
    if (mpi_modelled && mpi_state == MPI_STATE_INIT)
        last_time = (double)nic_time(mpi_nic) * 1e-12;
    if (mpi_modelled)
        return last_time;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
MPI_WEAK_ALIAS(Wtime);

double PMPI_Wtick(void)
{
    struct timespec t;
    if (mpi_modelled)
        return 1e-12;
    return clock_getres(CLOCK_MONOTONIC, &t) ? 1e-9 : (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
MPI_WEAK_ALIAS(Wtick);

int PMPI_Get_processor_name(char *name, int *length)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    const char *call = "MPI_Get_processor_name";
    MPI_ENTER(call);
    if (!name || !length)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the name or its length is NULL");
    if (gethostname(host, sizeof host))
        strcpy(host, "localhost");
    host[sizeof host - 1] = 0;
    *length = (int)strlen(host);
    memcpy(name, host, (size_t)*length + 1);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_processor_name);

/* What the process is bound to, as MPI_Comm_split_type with a guided type sees it. */
int PMPI_Get_hw_resource_info(MPI_Info *hw_info)
{
    const char *call = "MPI_Get_hw_resource_info", *name;
    if (!hw_info)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the info object is NULL");
    *hw_info = mpi_info_new();
    bool made = *hw_info != MPI_INFO_NULL;
    for (unsigned i = 0; made && (name = mpi_hw_resource_name(i)); i++) {
        int mine = mpi_hw_resource_mine(i);
        if (mine != MPI_HW_UNKNOWN)
            made = mpi_info_set(*hw_info, name, mine >= 0 ? "true" : "false");
    }
    if (!made)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another info object");
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_hw_resource_info);

int PMPI_Get_version(int *version, int *subversion)
{
    if (!version || !subversion)
        return mpi_err(NULL, "MPI_Get_version", MPI_ERR_ARG,
                       "the address for the version or the subversion is NULL");
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_version);

int PMPI_Get_library_version(char *version, int *length)
{
    if (!version || !length)
        return mpi_err(NULL, "MPI_Get_library_version", MPI_ERR_ARG,
                       "the address for the version or its length is NULL");
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                       "libmpi-lite %s (MPI %d.%d, standard ABI %d.%d)", PACKAGE_VERSION,
                       MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_library_version);

/* Virtual time is counted to 2^64 ps: what else a program takes has the other half. */
static int compute(const char *call, uint64_t ps)
{
    const uint64_t end = UINT64_C(1) << 63;
    if (mpi_modelled && (ps > end || nic_moment(mpi_nic) + ps > end))
        return mpi_err(NULL, call, MPI_ERR_ARG, "virtual time would be past 2^63 ps, 106 days");
    nic_compute(mpi_nic, ps);
    return MPI_SUCCESS;
}

int PMPIX_Compute(double seconds)
{
    enum { MOST = 1000000 };
    MPI_ENTER("MPIX_Compute");
    if (!(seconds >= 0 && seconds <= MOST))
        return mpi_err(NULL, "MPIX_Compute", MPI_ERR_ARG,
                       "%g is no number of seconds from 0 to %d", seconds, MOST);
    return compute("MPIX_Compute", (uint64_t)(seconds * 1e12 + 0.5));
}
extern __typeof__(PMPIX_Compute) MPIX_Compute __attribute__((weak, alias("PMPIX_Compute")));

int PMPIX_Compute_key(const char *key, int times)
{
    MPI_ENTER("MPIX_Compute_key");
    const struct nic_profile_key *k = key ? nic_profile_find(key) : NULL;
    const struct nic_profile *p = nic_profile_of(mpi_nic);
    uint64_t ps;
    if (!k || k->kind != NIC_KEY_TIME)
        return mpi_err(NULL, "MPIX_Compute_key", MPI_ERR_ARG, "%s is no key of a time",
                       key ? key : "NULL");
    if (times < 0)
        return mpi_err(NULL, "MPIX_Compute_key", MPI_ERR_COUNT, "%d times", times);
    if (!p)
        return MPI_SUCCESS;
    if (__builtin_mul_overflow(nic_profile_value(p, k), (uint64_t)times, &ps))
        ps = UINT64_MAX;
    return compute("MPIX_Compute_key", ps);
}
extern __typeof__(PMPIX_Compute_key) MPIX_Compute_key
    __attribute__((weak, alias("PMPIX_Compute_key")));

int PMPI_Pcontrol(const int level, ...)
{
    (void)level;        /* for profiling libraries to take over */
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Pcontrol);
