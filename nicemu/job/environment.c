/* What a launcher says to a rank in its environment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "nicemu/job.h"
#include "nicemu/sizes.h"

/* A decimal number of at most INT_MAX, or -1. */
static int number(const char *text)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    return errno || end == text || *end || n < 0 || n > INT_MAX ? -1 : (int)n;
}

static int attach(int fd, int rank, struct nic_job **job)
{
    if (fd < 0 || rank < 0)
        return -EINVAL;
    int rc = nic_job_attach(fd, job);
    if (!rc && (unsigned)rank >= nic_job_ranks(*job)) {
        nic_job_close(*job);
        rc = -EINVAL;
    }
    return rc;
}

int nic_job_from_environment(struct nic_job **job, unsigned *rank)
{
    const char *fd = getenv(NIC_ENV_JOB_FD), *place = getenv(NIC_ENV_RANK);
    struct nic_job_config alone = { .ranks = 1 };
    char why[256];
    int mine = fd && place ? number(place) : 0;
    int rc = fd && place ? attach(number(fd), mine, job)
             : nic_job_config_environment(&alone, why, sizeof why);
    if (!rc && !(fd && place))
        rc = nic_job_create(&alone, job);
    if (rc)
        return rc;
    *rank = (unsigned)mine;
    fcntl(nic_job_fd(*job), F_SETFD, FD_CLOEXEC);
    unsetenv(NIC_ENV_JOB_FD);
    unsetenv(NIC_ENV_RANK);
    return 0;
}
