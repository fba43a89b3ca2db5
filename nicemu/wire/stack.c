/* See wire/stack.h. */
#include "wire/stack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/directory.h"
#include "wire/load.h"
#include "wire/local.h"
#include "wire/pieces.h"
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

/* -- the wire itself */

/* One machine that is to count as several, and no provider is named: the kernel's datagrams. */
static bool goes_locally(const struct nic *n)
{
    const char *provider = getenv("NICEMU_OFI_PROVIDER");
    return n->job->machines == 1 && !(provider && *provider);
}

static void use_directory(struct nic *n, const struct nic_directory *directory)
{
    struct nic_wires *w = n->wires;
    w->own_directory = *directory;
    w->own_directory.context = n;
    w->directory = &w->own_directory;
}

static int open_local(struct nic *n, uint32_t frame_bytes, char *why, size_t room)
{
    struct nic_wires *w = n->wires;
    uint64_t job = 0;
    int rc = nic_directory_job(n, &job);
    w->ops = &nic_wire_local;
    use_directory(n, &nic_directory_of_ranks);
    if (!rc)
        rc = nic_local_open(job, n->rank, frame_bytes, &w->wire);
    if (rc)
        snprintf(why, room, "no socket for datagrams on this machine: %s", strerror(-rc));
    return rc;
}

static int open_module(struct nic *n, uint32_t frame_bytes, char *why, size_t room)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_config c = { .frame_bytes = frame_bytes,
                                 .provider = getenv("NICEMU_OFI_PROVIDER"),
                                 .stream_bytes = fault_text() ? 0 : NIC_FRAME_BYTES_LONG };
    if (n->job->machines == 1)
        use_directory(n, &nic_directory_in_job);
    if (!(w->ops = nic_wire_load(why, room)))
        return -ENOTSUP;
    return w->ops->open(&c, &w->wire, why, room) ? -ENOTSUP : 0;
}

/* -- what stands in front of it */

/* What no other job's rank of an earlier time has had at the same address. */
static int token(const struct nic *n, uint32_t *token)
{
    uint64_t number = n->probe_token;
    int rc = goes_locally(n) ? nic_directory_job(n, &number) : 0;
    *token = (uint32_t)(number ^ number >> 32);
    return rc;
}

/* What gets lost is sent again. */
static int put_reliable(struct nic *n, uint32_t frame_bytes)
{
    struct nic_wires *w = n->wires;
    struct nic_reliable_config c = {
        .below = w->ops, .wire = w->wire, .frame_bytes = frame_bytes,
        .rank = n->rank, .ranks = n->ranks,
        .fault = fault_text() ? &w->fault : NULL,
        /* where no thread answers for a host that computes, silence means nothing (patrol.c) */
        .give_up = n->progress == NIC_PROGRESS_HOST ? UINT64_MAX : w->patience_ns,
        .address_of = w->directory->get, .context = w->directory->context,
    };
    int rc = token(n, &c.token);
    if (!rc)
        rc = nic_reliable_open(&c, &w->wire);
    if (!rc) {
        w->ops = &nic_wire_reliable;
        w->reliable = w->wire;
    }
    return rc;
}

/* Frames that are too long for it are cut into pieces. */
static int put_pieces(struct nic *n)
{
    struct nic_wires *w = n->wires;
    const struct nic_pieces_config c = { .below = w->ops, .wire = w->wire,
                                         .frame_bytes = NIC_FRAME_BYTES,
                                         .rank = n->rank, .ranks = n->ranks };
    int rc = nic_pieces_open(&c, &w->wire);
    if (!rc) {
        w->ops = &nic_wire_pieces;
        w->pieces = w->wire;
    }
    return rc;
}

static int put_in_front(struct nic *n, const struct nic_wire_limits *below)
{
    uint32_t frame_bytes = below->frame_bytes - NIC_RELIABLE_HEAD;
    int rc = put_reliable(n, frame_bytes < NIC_FRAME_BYTES ? frame_bytes : NIC_FRAME_BYTES);
    return !rc && frame_bytes < NIC_FRAME_BYTES ? put_pieces(n) : rc;
}

/* On TCP a frame is a call of the kernel, which takes as long as copying 16 KiB and more; other
 * providers ask for long frames first. */
static void set_lengths(struct nic_wires *w, uint32_t frame_bytes)
{
    bool stream = frame_bytes > NIC_FRAME_BYTES;
    w->packet_bytes = frame_bytes - NIC_FRAME_HEADS;
    w->gather_bytes = stream ? frame_bytes : NIC_FRAME_GATHER;
    w->full_bytes = stream ? NIC_WIRE_STREAM_FULL : NIC_WIRE_LONG;
}

int nic_wire_stack_open(struct nic *n, char *why, size_t room)
{
    struct nic_wires *w = n->wires;
    bool local = goes_locally(n);
    uint32_t frame_bytes = NIC_FRAME_BYTES + (local || fault_text() ? NIC_RELIABLE_HEAD : 0);
    char wrong[120];
    if (fault_text() && nic_fault_parse(&w->fault, fault_text(), wrong, sizeof wrong)) {
        snprintf(why, room, "NICEMU_FAULT: %s", wrong);
        return -EINVAL;
    }
    int rc = (local ? open_local : open_module)(n, frame_bytes, why, room);
    struct nic_wire_limits limits = { 0 };
    if (!rc)
        limits = w->ops->limits(w->wire);
    if (!rc && (fault_text() || limits.loses) && (rc = put_in_front(n, &limits)))
        snprintf(why, room, "no memory for a wire that loses");
    if (!rc)
        set_lengths(w, w->ops->limits(w->wire).frame_bytes);
    return rc;
}

uint32_t nic_far_bytes_max(const struct nic *n)
{
    uint32_t heads = NIC_LENGTH_MAX - NIC_MESSAGE_BYTES_MAX;
    return n->wires ? n->wires->packet_bytes - heads : NIC_MESSAGE_BYTES_MAX;
}

void nic_wire_stack_count(struct nic *n)
{
    const struct nic_wires *w = n->wires;
    const uint64_t *before = n->stats.value;
    uint64_t again;
    if (!w->reliable)
        return;
    uint64_t faults = nic_fault_total(nic_reliable_faults(w->reliable, &again));
    NIC_COUNT(n, wire_faults, faults - before[NIC_STAT_wire_faults]);
    NIC_COUNT(n, wire_repeats, again - before[NIC_STAT_wire_repeats]);
    if (w->pieces)
        NIC_COUNT(n, wire_pieces, nic_pieces_sent(w->pieces) - before[NIC_STAT_wire_pieces]);
}
