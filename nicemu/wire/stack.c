/* See wire/stack.h. */
#include "wire/stack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "wire/load.h"
#include "wire/local.h"
#include "wire/reliable.h"
#include "wire/state.h"

static const char *fault_text(void)
{
    const char *text = getenv("NICEMU_FAULT");
    return text && *text ? text : NULL;
}

unsigned nic_wire_parts(unsigned ranks)
{
    const char *text = getenv("NICEMU_MACHINES");
    unsigned long parts = text ? strtoul(text, NULL, 10) : 0;
    if (parts > ranks)
        parts = ranks;
    return parts > 1 ? (unsigned)parts : fault_text() ? ranks : 0;
}

/* -- a job on one machine: ranks are addresses */

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

static int get_rank(void *context, unsigned rank, void *address, size_t room, size_t *bytes)
{
    const uint32_t both[] = { rank, rank };     /* of the reliable wire, and of the local one */
    (void)context;
    if (room < sizeof both)
        return -ENOSPC;
    memcpy(address, both, *bytes = sizeof both);
    return 0;
}

static const struct nic_directory by_rank = { .put = put_nothing, .fence = wait_for_nobody,
                                              .get = get_rank };

/* No two jobs of a machine have the same memory. */
static int job_number(const struct nic *n, uint64_t *number)
{
    struct stat s;
    if (fstat(n->job->fd, &s))
        return -errno;
    *number = (uint64_t)s.st_dev << 48 ^ (uint64_t)s.st_ino;
    return 0;
}

static int open_local(struct nic *n, uint32_t frame_bytes, char *why, size_t room)
{
    struct nic_wires *w = n->wires;
    uint64_t job = 0;
    int rc = job_number(n, &job);
    w->ops = &nic_wire_local;
    w->directory = &by_rank;
    if (!rc)
        rc = nic_local_open(job, n->rank, frame_bytes, &w->wire);
    if (rc)
        snprintf(why, room, "no socket for datagrams on this machine: %s", strerror(-rc));
    return rc;
}

/* -- several machines */

static int open_module(struct nic *n, uint32_t frame_bytes, char *why, size_t room)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_config c = { .frame_bytes = frame_bytes,
                                 .provider = getenv("NICEMU_OFI_PROVIDER") };
    if (!(w->ops = nic_wire_load(why, room)))
        return -ENOTSUP;
    return w->ops->open(&c, &w->wire, why, room) ? -ENOTSUP : 0;
}

/* -- the reliable one in front of either */

static int put_in_front(struct nic *n)
{
    struct nic_wires *w = n->wires;
    uint64_t job = 0;           /* of several machines nothing has a number that all know */
    int rc = n->job->machines > 1 ? 0 : job_number(n, &job);
    if (rc)
        return rc;
    const struct nic_reliable_config c = {
        .below = w->ops, .wire = w->wire, .frame_bytes = NIC_FRAME_BYTES,
        .job = (uint32_t)(job ^ job >> 32), .rank = n->rank, .ranks = n->ranks,
        .fault = fault_text() ? &w->fault : NULL, .give_up = w->patience_ns,
        .address_of = w->directory->get, .context = w->directory->context,
    };
    rc = nic_reliable_open(&c, &w->wire);
    if (!rc)
        w->ops = &nic_wire_reliable;
    return rc;
}

int nic_wire_stack_open(struct nic *n, char *why, size_t room)
{
    struct nic_wires *w = n->wires;
    bool far = n->job->machines > 1, loses = fault_text() || !far;
    uint32_t frame_bytes = NIC_FRAME_BYTES + (loses ? NIC_RELIABLE_HEAD : 0);
    char wrong[120];
    if (fault_text() && nic_fault_parse(&w->fault, fault_text(), wrong, sizeof wrong)) {
        snprintf(why, room, "NICEMU_FAULT: %s", wrong);
        return -EINVAL;
    }
    int rc = far ? open_module(n, frame_bytes, why, room) : open_local(n, frame_bytes, why, room);
    if (!rc && loses && (rc = put_in_front(n)))
        snprintf(why, room, "no memory for a wire that loses");
    return rc;
}

void nic_wire_stack_count(struct nic *n)
{
    uint64_t again;
    if (!n->wires->wire || n->wires->ops != &nic_wire_reliable)
        return;
    uint64_t faults = nic_fault_total(nic_reliable_faults(n->wires->wire, &again));
    NIC_COUNT(n, wire_faults, faults - n->stats.value[NIC_STAT_wire_faults]);
    NIC_COUNT(n, wire_repeats, again - n->stats.value[NIC_STAT_wire_repeats]);
}
