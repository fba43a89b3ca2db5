/* Requests as MPI sees them.  A handle of the kind REQUEST names a firmware request by index and
 * generation; one of the kind PERSISTENT names a struct mpi_persistent, which has a firmware
 * request only while it is active.
 *
 * Everything here needs the NIC's baton unless it says otherwise. */
#ifndef MPI_REQUEST_H
#define MPI_REQUEST_H

#include "core/comm.h"
#include "core/match.h"
#include "core/type.h"
#include "core/world.h"

/* -- what a request may carry (enum fw_extra) */

/* Why a call fails: the text of its error, on which communicator.  held: the request that failed
 * was perhaps the last to name it, so its hold passes to the error. */
enum { MPI_WHY_BYTES = 320 };   /* calls of two ranks, see mpi_coll_describe_mismatch, and more */
struct mpi_why { char text[MPI_WHY_BYTES]; struct mpi_comm *comm; bool held; };

/* Raises the error and gives up the hold (without the baton), or gives it up only (baton held). */
int mpi_why_raise(const struct mpi_why *why, const char *call, int class) __attribute__((cold));
void mpi_why_drop(const struct mpi_why *why);

/* Why a collective was stopped.  together: by all its ranks at the same place, so that no message
 * of it is left to come. */
struct mpi_mismatch { int class; bool together; char text[MPI_WHY_BYTES]; };

/* -- classes: what is particular to the requests of a kind (enum fw_kind), filled in by the room
 * that makes these requests.  Messages have no class. */
struct mpi_request_class {
    /* Neither done nor stopped: its ranks may still turn out to disagree. */
    bool (*is_open)(const struct fw_req *r);
    /* If the ranks disagree, stops the request, which then ends with that error. */
    void (*stop_if_hopeless)(struct fw_req *r);
    /* Of one that ended with FW_MISMATCH or FW_TRUNCATED: an error class, and why. */
    int (*mismatch)(const struct fw_req *r, char *text, size_t size);
    /* For wait reasons: "MPI_Ibcast(8 bytes, root 1, MPI_COMM_WORLD)"; of: the communicator's
     * label. */
    const char *(*describe)(const struct fw_req *r, const char *of, char *text, size_t size);
    /* Behind a note, what base/note_mark.h says; or NULL. */
    void (*mark)(const struct fw_req *r, char *text, size_t size);
};
extern const struct mpi_request_class *mpi_request_classes[FW_KINDS];

static inline const struct mpi_request_class *mpi_request_class(const struct fw_req *r)
{
    return mpi_request_classes[r->object.kind];
}

/* -- the host's own (FW_HOST): done when their object says so */

enum mpi_own_end {
    MPI_OWN_COMPLETED,      /* by a wait or a test, which the status is for */
    MPI_OWN_FREED,          /* it was done, and the program freed it */
    MPI_OWN_FORGOTTEN,      /* the program had freed it before; perhaps on the NIC's thread */
};

/* What is particular to a kind of them.  All but the last with the baton held, which the first two
 * may give up in between, but not of a request that was forgotten. */
struct mpi_own_class {
    /* Ends the object; status may be MPI_STATUS_IGNORE, and is the empty one before.  An error
     * class, and why. */
    int (*end)(struct mpi_own *o, enum mpi_own_end how, MPI_Status *status, struct mpi_why *why);
    /* Of one that is done and stays: its status.  NULL: the empty one. */
    int (*look)(struct mpi_own *o, MPI_Status *status, struct mpi_why *why);
    /* MPI_Cancel, without the baton; NULL: goes on as if nothing had been said. */
    int (*cancel)(struct mpi_own *o, bool done);
    /* For wait reasons; of: the communicator's label. */
    void (*describe)(const struct mpi_own *o, const char *of, char *text, size_t size);
};

struct mpi_own { const struct mpi_own_class *class; struct fw_req *req; };

/* Its request, not done yet.  NULL: no memory. */
struct fw_req *mpi_req_new_own(struct mpi_comm *c, struct mpi_own *o);
/* It is done.  Who sleeps for it is woken when the baton is given back. */
void mpi_own_done(struct mpi_own *o);

/* -- handles */

struct mpi_persistent;

/* What is particular to a kind of persistent request, which has the struct mpi_persistent as its
 * first member. */
struct mpi_persistent_class {
    /* Makes an inactive one active.  MPI_SUCCESS, or an error that has been raised.  Without the
     * baton. */
    int (*start)(const char *call, struct mpi_persistent *p);
    /* Frees it, and all that it has but its request: what that still needs, where it is not done,
     * has to stay until then.  Baton held. */
    void (*end)(struct mpi_persistent *p);
};

/* Owner: the program, through its handle; `active` is under the baton, the rest immutable. */
struct mpi_persistent {
    const struct mpi_persistent_class *class;
    struct fw_req *active;          /* NULL: inactive */
    MPI_Request handle;
    struct mpi_comm *comm;          /* held */
};

/* Gives it a handle, and holds its communicator; false: no memory for that.  Baton held. */
bool mpi_persistent_begin(struct mpi_persistent *p, const struct mpi_persistent_class *class,
                          struct mpi_comm *c);

/* What stands behind a handle. */
struct mpi_pending { struct fw_req *req; struct mpi_persistent *persistent; };

/* INACTIVE: null, or persistent and not started. */
enum mpi_found { MPI_REQ_ACTIVE, MPI_REQ_INACTIVE, MPI_REQ_INVALID };
enum mpi_found mpi_req_find(MPI_Request handle, struct mpi_pending *found);

/* Makes what MPI_REQ_SENT (handle.h) names. */
void mpi_req_init(void);

static inline MPI_Request mpi_req_handle(const struct fw_req *r)
{
    uintptr_t kind = (uintptr_t)MPI_KIND_REQUEST << 28;
    return (MPI_Request)((uintptr_t)r->generation << 32 | kind | (r->index + 1));
}

/* Of a collective, which the program may neither free nor cancel. */
static inline bool mpi_req_is_collective(const struct fw_req *r)
{
    return r->object.kind == FW_COLL || r->host.alone;
}

/* The same for a request that outlives its call: its communicator is held until it ends. */
static inline MPI_Request mpi_req_keep(struct fw_req *r)
{
    r->host.held = true;
    mpi_comm_hold(r->host.comm);
    return mpi_req_handle(r);
}

/* The active request of a handle that is not persistent; NULL: anything else. */
static inline struct fw_req *mpi_req_active(MPI_Request handle)
{
    uintptr_t h = (uintptr_t)handle;
    if ((h >> 28 & 15) != MPI_KIND_REQUEST)
        return NULL;
    struct fw_req *r = fw_req_at(mpi_fw, (uint32_t)(h & 0x0fffffff) - 1);
    return likely(r && r->generation == (uint32_t)(h >> 32) && !r->detached) ? r : NULL;
}

/* -- the beginning.  NULL: no memory. */

/* Fills in the host's part of a new request. */
static inline void mpi_req_begin(struct fw_req *r, enum fw_kind kind, struct mpi_comm *c)
{
    r->host = (struct fw_host){ .comm = c };
    /* last, without the baton: the patrol may meet a request that is not started yet (fw/lost.c) */
    __atomic_store_n(&r->object.kind, (uint8_t)kind, __ATOMIC_RELEASE);
}

/* A started send or receive.  `how`: MPI_SEND_*; a firm send is one that the program has no request
 * for, to cancel it. */
enum { MPI_SEND_SYNC = 1, MPI_SEND_FIRM = 2 };
struct fw_req *mpi_req_send(struct mpi_comm *c, const void *buf, size_t count,
                            const struct mpi_type *t, int dest, int tag, unsigned how);
struct fw_req *mpi_req_recv(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t,
                            int source, int tag);
/* The same of data without gaps. */
static inline struct fw_req *mpi_req_recv_bytes(struct mpi_comm *c, void *buf, size_t bytes,
                                                int source, int tag)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (unlikely(!r))
        return NULL;
    mpi_req_begin(r, FW_RECV, c);
    r->buffer = buf;
    r->bytes = bytes;
    mpi_match_recv(c, source, tag, &r->match, &r->mask);
    if (!fw_recv_at_once(mpi_fw, mpi_nic, r))
        mpi_fw_start_receive(mpi_fw, r);
    return r;
}

/* The same in two steps, where several are started or none: made, and then started or given up.
 * What a host pays for packing is charged by who starts them. */
struct fw_req *mpi_req_new_send(struct mpi_comm *c, const void *buf, size_t count,
                                const struct mpi_type *t, int dest, int tag, unsigned how);
struct fw_req *mpi_req_new_recv(struct mpi_comm *c, void *buf, size_t count,
                                const struct mpi_type *t, int source, int tag);
/* Of `bytes` bytes of the data, from the `first` on, for whichever message its caller names; gaps
 * only where the NIC gathers. */
struct fw_req *mpi_req_new_recv_part(struct mpi_comm *c, void *buf, size_t count,
                                     const struct mpi_type *t, size_t first, size_t bytes);
void mpi_req_give_up(struct fw_req *r);

/* Done already; as: what its status will be, which is the empty one of a collective, too. */
enum mpi_done { MPI_REQ_EMPTY, MPI_REQ_PROC_NULL, MPI_REQ_ALONE };
struct fw_req *mpi_req_done(struct mpi_comm *c, enum mpi_done as);

/* A started receive of a message that a matched probe took. */
struct fw_req *mpi_req_recv_message(struct mpi_comm *c, void *buf, size_t count,
                                    const struct mpi_type *t, struct fw_unexpected *message);

/* -- the end */

/* Nothing but freeing is left to do. */
static inline bool mpi_req_is_simple(const struct fw_req *r)
{
    return !r->error && !r->host.extra && !r->host.gaps;
}

/* Behind what was not copied between ranks: the program's memory, or the kernel, is why. */
#define MPI_REQ_NOT_COPIED ": is all of the buffer valid memory? What the kernel does not copy " \
                           "goes with NICEMU_RDMA=staged"

/* Its error as a class, and why; the end of one of the host's own. */
int mpi_req_error(const struct fw_req *r, struct mpi_why *why);
int mpi_own_end(struct fw_req *r, enum mpi_own_end how, MPI_Status *status, struct mpi_why *why);

/* Of a done request that stays: its status; an error class, and why. */
int mpi_req_look(struct fw_req *r, MPI_Status *status, struct mpi_why *why);

/* A request has ended, and is about to be freed. */
static inline void mpi_req_retired(struct fw_req *r)
{
    if (r->host.held)
        mpi_comm_drop(r->host.comm);
}

/* Status of a done request that stays. */
void mpi_req_status(const struct fw_req *r, MPI_Status *status);

/* Ends a done request: fills the status (MPI_ERROR aside), frees it and clears the handle.
 * Returns its error class; if it is one, why has the text and is to be raised or dropped. */
int mpi_req_finish(struct mpi_pending *p, MPI_Request *handle, MPI_Status *status,
                   struct mpi_why *why);

#endif
