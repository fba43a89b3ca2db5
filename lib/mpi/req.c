/* Requests: from MPI's arguments to the firmware's, waiting, statuses, the end. */
#include "mpi/req.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "coll/coll.h"
#include "mpi/note.h"
#include "mpi/status.h"
#include "mpi/twin.h"

/* The first request of the slab is the one behind MPI_REQ_SENT. */
static struct fw_req *sent;

void mpi_req_init(void)
{
    sent = mpi_req_done(&mpi_comm_self, MPI_REQ_EMPTY);
}

void mpi_req_retired(struct fw_req *r)
{
    if (r->host_flags & MPI_REQ_HELD)
        mpi_comm_drop(r->host);
}

enum mpi_found mpi_req_find(MPI_Request handle, struct mpi_pending *found)
{
    uintptr_t h = (uintptr_t)handle;
    *found = (struct mpi_pending){ 0 };
    if (handle == MPI_REQUEST_NULL)
        return MPI_REQ_INACTIVE;
    if ((h >> 28 & 15) == MPI_KIND_REQUEST) {
        found->req = mpi_req_active(handle);
        return found->req ? MPI_REQ_ACTIVE : MPI_REQ_INVALID;
    }
    found->persistent = mpi_handle_get(MPI_KIND_PERSISTENT, h);
    if (!found->persistent)
        return MPI_REQ_INVALID;
    found->req = found->persistent->active;
    return found->req ? MPI_REQ_ACTIVE : MPI_REQ_INACTIVE;
}

static struct fw_req *request_new(struct mpi_comm *c, enum fw_kind kind)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (unlikely(!r))
        return NULL;
    r->object.kind = (uint8_t)kind;
    r->host = c;
    r->stage = NULL;
    r->host_flags = 0;
    return r;
}

static struct mpi_stage *stage_new(const struct mpi_type *t, void *buf, size_t count)
{
    struct mpi_stage *s = malloc(sizeof *s + count * t->size);
    if (s)
        *s = (struct mpi_stage){ .type = t, .user = buf, .count = count, .packed = s + 1 };
    return s;
}

int mpi_req_stage_recv(struct fw_req *r, void *buf, size_t count, const struct mpi_type *t)
{
    struct mpi_stage *s = stage_new(t, buf, count);
    if (!s)
        return MPI_ERR_NO_MEM;
    r->stage = s;
    r->buffer = s->packed;
    return MPI_SUCCESS;
}

static struct fw_req *without_memory(struct fw_req *r)
{
    mpi_fw_req_free(mpi_fw, r);
    return NULL;
}

struct fw_req *mpi_req_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t, int dest, int tag,
                            unsigned how)
{
    struct fw_req *r = request_new(c, FW_SEND);
    if (unlikely(!r))
        return NULL;
    r->buffer = (void *)(uintptr_t)buf;
    if (unlikely(!t->contiguous)) {
        struct mpi_stage *s = stage_new(t, NULL, count);
        if (!s)
            return without_memory(r);
        mpi_type_pack(t, buf, count, s->packed);
        r->stage = s;
        r->buffer = s->packed;
    }
    r->bytes = count * t->size;
    r->peer = (uint32_t)mpi_comm_world_rank(c, dest);
    r->match = mpi_match_send(c, tag);
    r->sync = how & MPI_SEND_SYNC;
    r->firm = how & MPI_SEND_FIRM;
    mpi_fw_start(mpi_fw, r);
    return r;
}

struct fw_req *mpi_req_recv(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t, int source, int tag)
{
    struct fw_req *r = request_new(c, FW_RECV);
    if (unlikely(!r))
        return NULL;
    r->buffer = buf;
    if (unlikely(!t->contiguous) && mpi_req_stage_recv(r, buf, count, t))
        return without_memory(r);
    r->bytes = count * t->size;
    mpi_match_recv(c, source, tag, &r->match, &r->mask);
    mpi_fw_start(mpi_fw, r);
    return r;
}

struct fw_req *mpi_req_done(struct mpi_comm *c, uint8_t flags)
{
    struct fw_req *r = request_new(c, FW_RECV);
    if (!r)
        return NULL;
    r->error = FW_OK;
    r->cancelled = r->detached = false;
    r->host_flags = flags;
    r->count = 0;
    atomic_store_explicit(&r->done, 1, memory_order_relaxed);
    return r;
}

static void wait_done(struct fw_req *r, struct nic_wait *w)
{
    while (!fw_req_done(r)) {
        nic_wait_turn(mpi_nic, w);
        if (unlikely(mpi_coll_is_open(r)) && mpi_coll_suspects(w))
            mpi_coll_stop(r);
    }
}

void mpi_req_wait(struct fw_req *r, const char *call)
{
    struct mpi_note_call note = { call, r };
    wait_done(r, &(struct nic_wait){ .note = mpi_note_call, .argument = &note });
}

void mpi_req_wait_in(struct fw_req *r, const char *call, const MPI_Request *requests, int count)
{
    struct mpi_note_list note = { .call = call, .requests = requests, .count = count };
    wait_done(r, &(struct nic_wait){ .note = mpi_note_list, .argument = &note });
}

void mpi_poll_pause(void)
{
    if (nic_oversubscribed(mpi_nic))
        sched_yield();
}

void mpi_req_status(const struct fw_req *r, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    if (unlikely(r->host_flags & MPI_REQ_PROC_NULL)) {
        mpi_status_set_proc_null(status);
    } else if (r->object.kind == FW_SEND || r->cancelled || (r->host_flags & MPI_REQ_EMPTY)) {
        int error = status->MPI_ERROR;
        mpi_status_set_empty(status);
        status->MPI_ERROR = error;
        mpi_status_set_cancelled(status, r->cancelled);
    } else {
        mpi_status_set(status, fw_match_source(r->match), fw_match_tag(r->match), (int64_t)r->count);
    }
}

/* "eager", "rendezvous put", and "collective put" where a collective is made of messages by the host. */
static void describe_way(const struct fw_req *r, char *text, size_t size)
{
    const struct nic_profile *profile = nic_profile_of(mpi_nic);
    const char *protocol = mpi_fw_protocol_of(r), *eager = profile->protocol.eager == NIC_EAGER_RING ? "eager ring" : "eager";
    if (r->object.kind == FW_COLL)
        snprintf(text, size, "collective");
    else if (fw_match_context(r->match) & 1)
        snprintf(text, size, "collective %s", protocol ? protocol : eager);
    else
        snprintf(text, size, "%s%s", protocol ? "rendezvous " : eager, protocol ? protocol : "");
}

/* A receive that was cancelled, or had no message to wait for, is no message. */
void mpi_req_notice_slow(struct fw_req *r)
{
    const struct mpi_comm *c = r->host;
    char how[32];
    struct nic_arrival a = { .collective = r->object.kind == FW_COLL, .bytes = r->count, .how = how };
    bool message = r->object.kind == FW_RECV && !r->cancelled && !(r->host_flags & (MPI_REQ_PROC_NULL | MPI_REQ_EMPTY));
    if (message) {
        a.source = (uint32_t)mpi_comm_world_rank(c, fw_match_source(r->match));
        a.tag = fw_match_context(r->match) & 1 ? (int)(r->match & MPI_FINGERPRINT_NUMBER) : fw_match_tag(r->match);
    }
    describe_way(r, how, sizeof how);
    nic_way_end(mpi_nic, &r->way, message || a.collective ? &a : NULL);
}

static int error_class(const struct fw_req *r, struct mpi_why *why)
{
    why->comm = r->host;
    switch (r->error) {
    case FW_OK:
        return MPI_SUCCESS;
    case FW_MISMATCH:
        if (!(r->host_flags & MPI_REQ_MISMATCH))
            return mpi_coll_mismatch(r->stage, why->text, sizeof why->text);
        snprintf(why->text, sizeof why->text, "%s", ((struct mpi_mismatch *)r->stage)->text);
        return ((struct mpi_mismatch *)r->stage)->class;
    case FW_TRUNCATED:
        if (r->object.kind == FW_COLL) {
            snprintf(why->text, sizeof why->text, "a rank sent more or less than this one expects: do counts and types agree?");
            return MPI_ERR_COUNT;
        }
        snprintf(why->text, sizeof why->text, "the message from rank %d with tag %d has %zu bytes, the receive buffer only %zu",
                 fw_match_source(r->match), fw_match_tag(r->match), r->full, r->count);
        return MPI_ERR_TRUNCATE;
    case FW_NO_MEMORY:
        snprintf(why->text, sizeof why->text, "no memory for the request");
        return MPI_ERR_NO_MEM;
    default:
        snprintf(why->text, sizeof why->text, "copying %zu bytes between the ranks failed: is all of the buffer valid memory?", r->bytes);
        return MPI_ERR_BUFFER;
    }
}

static void unstage(struct fw_req *r)
{
    struct mpi_stage *s = r->stage;
    if (r->object.kind == FW_COLL) {
        free(s);
        return;
    }
    if (r->object.kind == FW_RECV && !r->cancelled && s->type->size)
        mpi_type_unpack(s->type, s->packed, r->count / s->type->size, s->user);
    free(s);
    r->stage = NULL;
}

int mpi_req_finish(struct mpi_pending *p, MPI_Request *handle, MPI_Status *status, struct mpi_why *why)
{
    struct fw_req *r = p->req;
    mpi_req_notice(r);
    if (r == sent) {
        mpi_req_status(r, status);
        *handle = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    int class = unlikely(r->error) ? error_class(r, why) : MPI_SUCCESS;
    mpi_req_status(r, status);
    if (unlikely(r->stage != NULL))
        unstage(r);
    mpi_req_retired(r);
    mpi_fw_req_free(mpi_fw, r);
    if (p->persistent)
        p->persistent->active = NULL;
    else if (handle)
        *handle = MPI_REQUEST_NULL;
    return class;
}

/* -- as integers: kind 4 | generation 7 | index 20, as the handle table does for the other kinds */

enum { INT_INDEX_BITS = 20, INT_GENERATION = 127, INT_KIND_SHIFT = 27 };

int PMPI_Request_toint(MPI_Request request)
{
    uintptr_t h = (uintptr_t)request;
    if (h < MPI_HANDLE_PREDEFINED)
        return (int)h;
    if ((h >> 28 & 15) == MPI_KIND_PERSISTENT)
        return mpi_handle_toint(MPI_KIND_PERSISTENT, h);
    uint32_t index = (uint32_t)(h & 0x0fffffff) - 1;
    if ((h >> 28 & 15) != MPI_KIND_REQUEST || index >> INT_INDEX_BITS)
        return (int)(uintptr_t)MPI_REQUEST_NULL;
    return (int)((uint32_t)MPI_KIND_REQUEST << INT_KIND_SHIFT | (uint32_t)(h >> 32 & INT_GENERATION) << INT_INDEX_BITS | index);
}
TWIN(Request_toint);

static MPI_Request request_from_index(uint32_t bits)
{
    struct fw_req *r = mpi_fw ? mpi_fw_req_at(mpi_fw, bits & ((1u << INT_INDEX_BITS) - 1)) : NULL;
    bool same = r && (r->generation & INT_GENERATION) == (bits >> INT_INDEX_BITS & INT_GENERATION);
    return same ? mpi_req_handle(r) : MPI_REQUEST_NULL;
}

MPI_Request PMPI_Request_fromint(int request)
{
    if (request >> INT_KIND_SHIFT == MPI_KIND_REQUEST)
        return request_from_index((uint32_t)request);
    uintptr_t h = mpi_handle_fromint(MPI_KIND_PERSISTENT, request);
    return h ? (MPI_Request)h : MPI_REQUEST_NULL;
}
TWIN(Request_fromint);
