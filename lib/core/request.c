/* Requests: from MPI's arguments to the firmware's, and their end. */
#include "core/request.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/err.h"
#include "core/gaps.h"
#include "core/lost.h"
#include "core/request_notice.h"
#include "core/status.h"
#include "core/type_data.h"
#include "nicemu/threads.h"

const struct mpi_request_class *mpi_request_classes[FW_KINDS];

/* The first request of the slab is the one behind MPI_REQ_SENT. */
static struct fw_req *sent;

void mpi_req_init(void)
{
    sent = mpi_req_done(&mpi_comm_self, MPI_REQ_EMPTY);
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

/* -- persistent ones */

bool mpi_persistent_begin(struct mpi_persistent *p, const struct mpi_persistent_class *class,
                          struct mpi_comm *c)
{
    *p = (struct mpi_persistent){ .class = class, .comm = c };
    p->handle = (MPI_Request)mpi_handle_new(MPI_KIND_PERSISTENT, p);
    if (p->handle)
        mpi_comm_hold(c);
    return p->handle;
}

/* -- the beginning */

static struct fw_req *request_new(struct mpi_comm *c, enum fw_kind kind)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (likely(r != NULL))
        mpi_req_begin(r, kind, c);
    return r;
}

static struct fw_req *without_memory(struct fw_req *r)
{
    mpi_fw_req_free(mpi_fw, r);
    return NULL;
}

/* A send that is not started.  `now`: it will be at once, and the host packs.  NULL: no memory. */
static inline __attribute__((always_inline))
struct fw_req *send_new(struct mpi_comm *c, const void *buf, size_t count,
                        const struct mpi_type *t, int dest, int tag, unsigned how, bool now)
{
    struct fw_req *r = request_new(c, FW_SEND);
    if (unlikely(!r))
        return NULL;
    r->buffer = (void *)(uintptr_t)buf;
    if (unlikely(!t->contiguous)) {
        if (!mpi_gaps_begin(r, t, r->buffer, count))
            return without_memory(r);
        if (now)
            mpi_type_charge(t, count * t->size);
    }
    r->bytes = count * t->size;
    r->peer = (uint32_t)mpi_comm_peer(c, dest);
    r->match = mpi_match_send(c, tag);
    r->sync = how & MPI_SEND_SYNC;
    r->firm = how & MPI_SEND_FIRM;
    return r;
}

struct fw_req *mpi_req_send(struct mpi_comm *c, const void *buf, size_t count,
                            const struct mpi_type *t, int dest, int tag, unsigned how)
{
    struct fw_req *r = send_new(c, buf, count, t, dest, tag, how, true);
    if (likely(r != NULL))
        mpi_fw_start(mpi_fw, r);
    return r;
}

struct fw_req *mpi_req_new_send(struct mpi_comm *c, const void *buf, size_t count,
                                const struct mpi_type *t, int dest, int tag, unsigned how)
{
    return send_new(c, buf, count, t, dest, tag, how, false);
}

/* A receive that is not started.  NULL: no memory. */
static inline __attribute__((always_inline))
struct fw_req *receive_new(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t)
{
    struct fw_req *r = request_new(c, FW_RECV);
    if (unlikely(!r))
        return NULL;
    r->buffer = buf;
    if (unlikely(!t->contiguous) && !mpi_gaps_begin(r, t, buf, count))
        return without_memory(r);
    r->bytes = count * t->size;
    return r;
}

struct fw_req *mpi_req_new_recv_part(struct mpi_comm *c, void *buf, size_t count,
                                     const struct mpi_type *t, size_t first, size_t bytes)
{
    struct fw_req *r = request_new(c, FW_RECV);
    if (!r)
        return NULL;
    r->buffer = first ? (char *)buf + first : buf;
    if (!t->contiguous && !mpi_gaps_begin_at(r, t, buf, count, first))
        return without_memory(r);
    r->bytes = bytes;
    return r;
}

struct fw_req *mpi_req_recv(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t,
                            int source, int tag)
{
    struct fw_req *r = receive_new(c, buf, count, t);
    if (unlikely(!r))
        return NULL;
    mpi_match_recv(c, source, tag, &r->match, &r->mask);
    mpi_fw_start_receive(mpi_fw, r);
    return r;
}

struct fw_req *mpi_req_new_recv(struct mpi_comm *c, void *buf, size_t count,
                                const struct mpi_type *t, int source, int tag)
{
    struct fw_req *r = receive_new(c, buf, count, t);
    if (r)
        mpi_match_recv(c, source, tag, &r->match, &r->mask);
    return r;
}

/* What mpi_fw_start would have cleared. */
static void clear_end(struct fw_req *r)
{
    r->error = FW_OK;
    r->cancelled = r->detached = r->inside = false;
    r->count = 0;
}

struct fw_req *mpi_req_recv_message(struct mpi_comm *c, void *buf, size_t count,
                                    const struct mpi_type *t, struct fw_unexpected *message)
{
    struct fw_req *r = receive_new(c, buf, count, t);
    if (!r)
        return NULL;
    clear_end(r);
    mpi_fw_receive_message(mpi_fw, message, r);
    return r;
}

struct fw_req *mpi_req_done(struct mpi_comm *c, enum mpi_done as)
{
    struct fw_req *r = request_new(c, FW_RECV);
    if (!r)
        return NULL;
    clear_end(r);
    r->host.proc_null = as == MPI_REQ_PROC_NULL;
    r->host.empty = as != MPI_REQ_PROC_NULL;
    r->host.alone = as == MPI_REQ_ALONE;
    atomic_store_explicit(&r->done, 1, memory_order_relaxed);
    return r;
}

struct fw_req *mpi_req_new_own(struct mpi_comm *c, struct mpi_own *o)
{
    struct fw_req *r = request_new(c, FW_HOST);
    if (!r)
        return NULL;
    clear_end(r);
    r->host.extra = FW_EXTRA_OWN;
    r->host.own = o;
    o->req = r;
    return r;
}

/* -- the end */

void mpi_own_done(struct mpi_own *o)
{
    mpi_fw_done(mpi_fw, o->req);
    nic_moved(mpi_nic);
}

/* All but MPI_ERROR, which calls for one request leave as it was. */
static void clear_status(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    int error = status->MPI_ERROR;
    mpi_status_set_empty(status);
    status->MPI_ERROR = error;
}

void mpi_req_status(const struct fw_req *r, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    if (unlikely(r->host.proc_null)) {
        mpi_status_set_proc_null(status);
    } else if (r->object.kind == FW_SEND || r->cancelled || r->host.empty) {
        clear_status(status);
        mpi_status_set_cancelled(status, r->cancelled);
    } else {
        mpi_status_set(status, fw_match_source(r->match), fw_match_tag(r->match),
                       (int64_t)r->count);
    }
}

static int truncated(const struct fw_req *r, struct mpi_why *why)
{
    snprintf(why->text, sizeof why->text,
             "the message from rank %d with tag %d has %zu bytes, the receive buffer only %zu",
             fw_match_source(r->match), fw_match_tag(r->match), r->full, r->count);
    return MPI_ERR_TRUNCATE;
}

/* Of a collective: others may still send what this rank takes no more. */
static bool ended_apart(const struct fw_req *r)
{
    bool stopped = r->error == FW_MISMATCH && r->host.extra == FW_EXTRA_MISMATCH;
    return r->error == FW_TRUNCATED
           || (r->error == FW_MISMATCH && !(stopped && r->host.mismatch->together));
}

int mpi_req_error(const struct fw_req *r, struct mpi_why *why)
{
    const struct mpi_request_class *class = mpi_request_class(r);
    why->comm = r->host.comm;
    if (class && ended_apart(r))
        mpi_comm_has_failed(r->host.comm);
    switch (r->error) {
    case FW_OK:
        return MPI_SUCCESS;
    case FW_TRUNCATED:
        return class ? class->mismatch(r, why->text, sizeof why->text) : truncated(r, why);
    case FW_MISMATCH:
        return class->mismatch(r, why->text, sizeof why->text);
    case FW_LOST:
        return mpi_lost_why(r, why->text, sizeof why->text);
    case FW_NO_MEMORY:
        snprintf(why->text, sizeof why->text, "no memory for the request");
        return MPI_ERR_NO_MEM;
    default:
        snprintf(why->text, sizeof why->text,
                 "copying %zu bytes between the ranks failed" MPI_REQ_NOT_COPIED, r->bytes);
        return MPI_ERR_BUFFER;
    }
}

static void extra_end(struct fw_req *r)
{
    switch ((enum fw_extra)r->host.extra) {
    case FW_EXTRA_SHM: free(r->host.shm); break;
    case FW_EXTRA_MISMATCH: free(r->host.mismatch); break;
    case FW_EXTRA_NONE: case FW_EXTRA_EXPECTED: case FW_EXTRA_OWN: case FW_EXTRA_PORTION: break;
    }
    r->host.extra = FW_EXTRA_NONE;
}

void mpi_req_give_up(struct fw_req *r)
{
    if (!r)
        return;
    if (r->host.gaps)
        mpi_gaps_drop(r);
    mpi_fw_req_free(mpi_fw, r);
}

/* Frees it; its communicator stays until an error has been raised. */
static void retire(struct fw_req *r, int class, struct mpi_why *why)
{
    if (unlikely(class)) {
        why->comm = r->host.comm;
        why->held = r->host.held;
    } else {
        mpi_req_retired(r);
    }
    mpi_fw_req_free(mpi_fw, r);
}

void mpi_why_drop(const struct mpi_why *why)
{
    if (why->held)
        mpi_comm_drop(why->comm);
}

int mpi_why_raise(const struct mpi_why *why, const char *call, int class)
{
    mpi_comm_end_undone();      /* the error handler may not return */
    int code = mpi_err(why->comm, call, class, "%s", why->text);
    nic_enter(mpi_nic);
    mpi_why_drop(why);
    nic_leave(mpi_nic);
    return code;
}

int mpi_own_end(struct fw_req *r, enum mpi_own_end how, MPI_Status *status, struct mpi_why *why)
{
    clear_status(status);
    int class = r->host.own->class->end(r->host.own, how, status, why);
    retire(r, class, why);
    return class;
}

int mpi_req_finish(struct mpi_pending *p, MPI_Request *handle, MPI_Status *status,
                   struct mpi_why *why)
{
    struct fw_req *r = p->req;
    mpi_req_notice(r);
    if (r == sent) {
        mpi_req_status(r, status);
        *handle = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    if (p->persistent)
        p->persistent->active = NULL;
    else if (handle)
        *handle = MPI_REQUEST_NULL;
    if (r->object.kind == FW_HOST)
        return mpi_own_end(r, MPI_OWN_COMPLETED, status, why);
    int class = unlikely(r->error) ? mpi_req_error(r, why) : MPI_SUCCESS;
    mpi_req_status(r, status);
    if (unlikely(r->host.gaps))
        mpi_gaps_end(r);
    if (unlikely(r->host.extra))
        extra_end(r);
    retire(r, class, why);
    return class;
}

int mpi_req_look(struct fw_req *r, MPI_Status *status, struct mpi_why *why)
{
    why->comm = r->host.comm;
    why->held = false;
    if (r->object.kind != FW_HOST) {
        mpi_req_status(r, status);
        return MPI_SUCCESS;
    }
    clear_status(status);
    const struct mpi_own_class *class = r->host.own->class;
    return class->look ? class->look(r->host.own, status, why) : MPI_SUCCESS;
}
