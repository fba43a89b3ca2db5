/* See wire/directory.h.  The context of both is the NIC. */
#define _GNU_SOURCE
#include "wire/directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "job/generation.h"
#include "nicemu/machines.h"

enum { NAP_NS = 200 * 1000 };

int nic_directory_job(const struct nic *n, uint64_t *job)
{
    struct stat s;
    if (fstat(n->job->fd, &s))
        return -errno;
    *job = (uint64_t)s.st_dev << 48 ^ (uint64_t)s.st_ino;
    return 0;
}

/* -- by rank */

static int put_nothing(void *context, const void *address, size_t bytes)
{
    (void)context, (void)address, (void)bytes;
    return 0;
}

static int wait_for_nobody(void *context)
{
    (void)context;
    return 0;
}

/* Of the reliable wire, and of the local one behind that. */
static int get_rank(void *context, unsigned rank, void *address, size_t room, size_t *bytes)
{
    uint64_t job = 0;
    int rc = nic_directory_job(context, &job);
    const uint32_t all[] = { rank, (uint32_t)(job ^ job >> 32), rank };
    if (!rc && room < sizeof all)
        rc = -ENOSPC;
    if (!rc)
        memcpy(address, all, *bytes = sizeof all);
    return rc;
}

const struct nic_directory nic_directory_of_ranks = { .put = put_nothing,
                                                      .fence = wait_for_nobody, .get = get_rank };

/* -- in the memory of the job */

/* All ranks are here: those that count as elsewhere have their memory in the same segment. */
static struct nic_posted_address *posted(const struct nic *n, unsigned rank)
{
    const struct nic_job_header *h = &n->job->layout;
    return &((struct nic_owned *)(n->job->base + h->owned + rank * h->owned_stride))->address;
}

static int post(void *context, const void *address, size_t bytes)
{
    const struct nic *n = context;
    struct nic_posted_address *own = posted(n, n->rank);
    if (bytes > sizeof own->data)
        return -ENOSPC;
    memcpy(own->data, address, bytes);
    atomic_store(&own->bytes, (uint32_t)bytes);     /* behind the address -> get_posted */
    return 0;
}

static int get_posted(void *context, unsigned rank, void *address, size_t room, size_t *bytes)
{
    struct nic_posted_address *p = posted(context, rank);
    *bytes = atomic_load(&p->bytes);
    if (!*bytes || *bytes > room || *bytes > sizeof p->data)
        return *bytes ? -ENOSPC : -ENOENT;
    memcpy(address, p->data, *bytes);
    return 0;
}

static int await_posted(void *context)
{
    const struct nic *n = context;
    const struct timespec nap = { .tv_nsec = NAP_NS };
    for (unsigned r = 0; r < n->ranks; r++)
        while (!atomic_load(&posted(n, r)->bytes)) {
            if (nic_job_aborted(n->job, NULL, NULL) || nic_job_has_ended(n->job, r))
                return -ECANCELED;
            nanosleep(&nap, NULL);
        }
    return 0;
}

const struct nic_directory nic_directory_in_job = { .put = post, .fence = await_posted,
                                                    .get = get_posted };
