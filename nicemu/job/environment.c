/* What a launcher says to a rank in its environment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* -- descriptors by name */

struct name { int fd, pid; unsigned long long device, inode; };

void nic_fd_name(int fd, char *name, size_t size)
{
    struct stat st = { 0 };
    fstat(fd, &st);
    snprintf(name, size, "%d@%ld:%llu:%llu", fd, (long)getpid(), (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
}

static bool parse(const char *text, struct name *n)
{
    int end = 0;
    return sscanf(text, "%d@%d:%llu:%llu%n", &n->fd, &n->pid, &n->device, &n->inode, &end) == 4
           && !text[end];
}

static bool is_it(int fd, const struct name *n)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == n->device && st.st_ino == n->inode;
}

/* The launcher's own, whose process may be another one by now. */
static int open_again(const struct name *n)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", n->pid, n->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (is_it(fd, n))
        return fd;
    if (fd >= 0)
        close(fd);
    return -EBADF;
}

int nic_fd_find(const char *name)
{
    struct name n;
    if (!parse(name, &n))
        return number(name) < 0 ? -EINVAL : number(name);
    return is_it(n.fd, &n) ? n.fd : open_again(&n);
}

/* -- a rank's place */

static int attach(int fd, int rank, struct nic_job **job)
{
    if (fd < 0 || rank < 0)
        return fd < 0 ? fd : -EINVAL;
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
    int rc = fd && place ? attach(nic_fd_find(fd), mine, job)
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
