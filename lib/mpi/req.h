/* Requests as MPI sees them.  A handle of the kind REQUEST names a firmware request by index and generation; one of the kind PERSISTENT
 * names a struct mpi_persistent, which has a firmware request only while it is active.
 *
 * Everything here needs the NIC's baton unless it says otherwise. */
#ifndef MPI_REQ_H
#define MPI_REQ_H

#include "mpi/comm.h"
#include "mpi/init.h"
#include "mpi/type.h"
#include "mpi/world.h"

/* fw_req.host_flags */
enum { MPI_REQ_PROC_NULL = 1, MPI_REQ_EMPTY = 2 /* done from the start, empty status (Ibsend) */, MPI_REQ_HELD = 4 /* counted in its communicator */,
       MPI_REQ_MISMATCH = 8 /* a collective that was stopped: `stage` is a struct mpi_mismatch */ };

/* A buffer with gaps travels packed. */
struct mpi_stage { const struct mpi_type *type; void *user; size_t count; void *packed; };

/* Why a collective was stopped. */
struct mpi_mismatch { int class; char text[160]; };

struct mpi_persistent {
    struct fw_req *active;          /* NULL: inactive */
    MPI_Request handle;
    bool send, buffered, sync;
    void *buf;
    int count, peer, tag;
    MPI_Datatype datatype;
    struct mpi_comm *comm;
};

/* What stands behind a handle. */
struct mpi_pending { struct fw_req *req; struct mpi_persistent *persistent; };
enum mpi_found { MPI_REQ_ACTIVE, MPI_REQ_INACTIVE /* null, or persistent and not started */, MPI_REQ_INVALID };
enum mpi_found mpi_req_find(MPI_Request handle, struct mpi_pending *found);

static inline MPI_Request mpi_req_handle(const struct fw_req *r)
{
    return (MPI_Request)((uintptr_t)r->generation << 32 | (uintptr_t)MPI_KIND_REQUEST << 28 | (r->index + 1));
}
/* The same for a request that outlives its call: its communicator is held until it ends. */
static inline MPI_Request mpi_req_keep(struct fw_req *r)
{
    r->host_flags |= MPI_REQ_HELD;
    mpi_comm_hold(r->host);
    return mpi_req_handle(r);
}
/* A request that the program freed has ended. */
void mpi_req_retired(struct fw_req *r);

/* The active request of a handle that is not persistent; NULL: anything else. */
static inline struct fw_req *mpi_req_active(MPI_Request handle)
{
    uintptr_t h = (uintptr_t)handle;
    if ((h >> 28 & 15) != MPI_KIND_REQUEST)
        return NULL;
    struct fw_req *r = mpi_fw_req_at(mpi_fw, (uint32_t)(h & 0x0fffffff) - 1);
    return likely(r && r->generation == (uint32_t)(h >> 32) && !r->detached) ? r : NULL;
}

/* Nothing but freeing is left to do. */
static inline bool mpi_req_is_plain(const struct fw_req *r) { return !r->error && !r->stage; }

/* Filled in and started.  NULL: no memory.  `how`: MPI_SEND_*; firm is a send that the program has no request for, to cancel it. */
enum { MPI_SEND_SYNC = 1, MPI_SEND_FIRM = 2 };
struct fw_req *mpi_req_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t, int dest, int tag,
                            unsigned how);
struct fw_req *mpi_req_recv(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t, int source, int tag);
/* Done already; flags say as what. */
struct fw_req *mpi_req_done(struct mpi_comm *c, uint8_t flags);

/* Prepares a receive for data with gaps: MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mpi_req_stage_recv(struct fw_req *r, void *buf, size_t count, const struct mpi_type *t);

/* Waits until it is done.  For the note: a request that is the call itself ("MPI_Recv"), or one of those that the call waits for (see note.h). */
void mpi_req_wait(struct fw_req *r, const char *call);
void mpi_req_wait_in(struct fw_req *r, const char *call, const MPI_Request *requests, int count);

/* Ends a done request: fills the status (MPI_ERROR aside), frees it and clears the handle.  Returns its error class; a text for the
 * error, if there is one, goes to why. */
struct mpi_why { char text[160]; struct mpi_comm *comm; };
int mpi_req_finish(struct mpi_pending *p, MPI_Request *handle, MPI_Status *status, struct mpi_why *why);

/* Between two looks that found nothing: a polling program whose ranks outnumber the cores must let the others run.  Without the baton. */
void mpi_poll_pause(void);

/* The host sees that it is done, and the model clock explains how that came.  Costs time there. */
void mpi_req_notice_slow(struct fw_req *r);
static inline void mpi_req_notice(struct fw_req *r)
{
    if (unlikely(((struct nic_front *)mpi_nic)->careful & NIC_CAREFUL_MODEL))
        mpi_req_notice_slow(r);
}

/* The same, and the work of a wait for it. */
static inline void mpi_req_waited(struct fw_req *r)
{
    if (likely(!(((struct nic_front *)mpi_nic)->careful & NIC_CAREFUL_MODEL)))
        return;
    mpi_req_notice_slow(r);
    nic_work_slow(mpi_nic, NIC_WORK_WAIT);
}

/* Status of a done request that stays. */
void mpi_req_status(const struct fw_req *r, MPI_Status *status);

/* buffer.c: a buffered send; MPI_SUCCESS, MPI_ERR_BUFFER when the attached buffer has no room. */
int mpi_buffer_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t, int dest, int tag);
/* Waits until every buffered message is out; `call` for the note, with what it waits for ("MPI_Finalize: buffered send"). */
void mpi_buffer_flush(const char *call);

/* args.c: argument checks; on failure the error is raised and its code returned, with *c etc. undefined. */
int mpi_check_send(const char *call, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t);
int mpi_check_recv(const char *call, const void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t);
/* All of the common checks at once; false: go through the ones above, which say what is wrong (if anything is). */
static inline bool mpi_plain(const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, struct mpi_comm **c, size_t *bytes)
{
    const struct mpi_type *t = mpi_type_get(type);
    *c = mpi_comm_get(comm);
    if (unlikely(!t || !*c || !t->contiguous || count < 0 || (!buf && count) || (unsigned)peer >= (unsigned)(*c)->size || tag < 0))
        return false;
    *bytes = (size_t)count * t->size;
    return true;
}

/* The handle of every send that was complete before its call returned: always done, never freed. */
#define MPI_REQ_SENT ((MPI_Request)((uintptr_t)MPI_KIND_REQUEST << 28 | 1))
void mpi_req_init(void);

enum { MPI_TAG_UB_VALUE = 0x7fffffff };

static inline uint64_t mpi_match_send(const struct mpi_comm *c, int tag) { return fw_match_bits(c->context, (uint32_t)c->rank, (uint32_t)tag); }

static inline void mpi_match_recv(const struct mpi_comm *c, int source, int tag, uint64_t *match, uint64_t *mask)
{
    *mask = (source == MPI_ANY_SOURCE ? FW_ANY_SOURCE : 0) | (tag == MPI_ANY_TAG ? FW_ANY_TAG : 0);
    *match = fw_match_bits(c->context, source == MPI_ANY_SOURCE ? 0 : (uint32_t)source, tag == MPI_ANY_TAG ? 0 : (uint32_t)tag);
}

#endif
