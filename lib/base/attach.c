/* Waiting for a debugger: the kernel says when there is one. */
#include "base/attach.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "nicemu/place.h"

static bool is_wanted(unsigned rank)
{
    const char *list = getenv(ATTACH_ENV);
    uint64_t mask[NIC_CPUS_MAX / 64] = { 0 };

    return list && *list && rank < NIC_CPUS_MAX && !nic_cpus_parse(list, mask, NIC_CPUS_MAX / 64)
           && mask[rank / 64] >> rank % 64 & 1;
}

/* Where that is not to be seen, nobody is waited for. */
static bool is_traced(void)
{
    static const char name[] = "TracerPid:";
    char line[256];
    long tracer = 1;
    FILE *status = fopen("/proc/self/status", "re");

    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, name, sizeof name - 1))
            tracer = atol(line + sizeof name - 1);
    if (status)
        fclose(status);
    return tracer != 0;
}

void mpi_attach_wait(unsigned rank)
{
    const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };

    if (!is_wanted(rank))
        return;
#ifdef PR_SET_PTRACER
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
#endif
    fprintf(stderr, "rank %u waits in MPI_Init until a debugger is attached:\n"
            "  gdb -p %ld\n", rank, (long)getpid());
    while (!is_traced())
        nanosleep(&pause, NULL);
}
