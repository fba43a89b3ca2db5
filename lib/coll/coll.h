/* A collective call: what it is to do, and the four ways in which that is done.  Short ones go by
 * stores into scratchpads where the communicator has some (shm.c), longer ones there by copies
 * through windows (window.c); all others are schedules, which the NIC executes or the host does
 * within the call (host.c). */
#ifndef MPI_COLL_H
#define MPI_COLL_H

#include <string.h>

#include "coll/blocks.h"
#include "coll/fingerprint.h"
#include "coll/staging.h"
#include "fw/shm_coll.h"
#include "core/comm.h"
#include "core/label.h"
#include "core/op.h"
#include "core/request.h"
#include "core/type.h"
#include "core/world.h"

/* Bytes from one element to the next as they travel inside a collective.  Gaps of pair types travel
 * along in reductions; elsewhere, and of derived types, data with gaps are staged (staging.h). */
static inline size_t mpi_coll_unit(const struct mpi_type *t)
{
    return t->contiguous || t->derived ? t->size : (size_t)t->extent;
}

struct fw_sched;
struct mpi_topo;
struct mpi_coll_vector;

struct mpi_reduction {
    const struct mpi_op *op;
    MPI_Datatype type;          /* as the user's function gets it */
    size_t unit, count;
    bool commutative;
    mpi_op_loop *loop;          /* of a predefined operation; NULL: the long way, mpi_op_apply */
    char *copies;               /* room for two unpacked copies, for the user's operation; NULL:
                                 * it takes the data as they travel */
    size_t copy_bytes;
    ptrdiff_t copy_first;       /* where a copy begins, from its first element's address on */
};

/* What a call is to do; the schedule is built from it, so what it points to need not outlive the
 * call, but for the data. */
struct mpi_coll_plan {
    const char *call;
    struct mpi_comm *c;
    enum mpi_coll_kind kind;
    int root;                   /* or the number of the call, see MPI_COLL_OTHERS */
    size_t bytes;               /* on which all ranks must agree */
    void *data;                 /* contribution, then result */
    const void *from;           /* the contribution, where it is not in `data` */
    size_t own_bytes;           /* gather: of `from`; scatter: of `data` */
    const struct mpi_blocks *send, *recv;
    const struct mpi_topo *topo;    /* of a neighbourhood collective, which its blocks are of */
    const struct mpi_coll_vector *vector;   /* whose long blocks this is, or NULL */
    const struct mpi_reduction *r;
    struct mpi_staging *staging;    /* of data with gaps: goes over to the call; or NULL */
    enum mpi_coll_form form;
    bool root_moves;            /* see mpi_coll_note_root */
    bool meeting;               /* a part of one that goes through windows (window.h) */
    MPI_Info info;              /* of a persistent call */
    MPI_Request *request;       /* of one that does not block */
    struct { void *to; const void *from; size_t bytes; } first; /* copied at each start, if any */
};

/* All of a call; its error is raised, and its code returned.  Of one form, or of any. */
int mpi_coll_do(const struct mpi_coll_plan *p);
int mpi_coll_start(const struct mpi_coll_plan *p);
int mpi_coll_keep(const struct mpi_coll_plan *p);
int mpi_coll_do_any(struct mpi_coll_plan *p);

/* Where the call's staging goes, which a persistent one keeps. */
static inline struct mpi_staging **mpi_coll_staging(struct mpi_coll_plan *p)
{
    if (p->form == MPI_COLL_PERSISTENT)
        mpi_staging_keep(&p->staging);
    return &p->staging;
}

/* A plan that nothing comes of. */
void mpi_coll_forget(const struct mpi_coll_plan *p);
int mpi_coll_no_memory(const struct mpi_coll_plan *p);

/* What a rank contributes goes where the collective works on it, at most once in a plan. */
static inline void mpi_coll_bring_in(struct mpi_coll_plan *p, void *to, const void *from,
                                     size_t bytes)
{
    if (unlikely(p->form == MPI_COLL_PERSISTENT)) {
        p->first.to = to;
        p->first.from = from;
        p->first.bytes = bytes;
    } else if (bytes && to != from) {
        memcpy(to, from, bytes);
    }
}

/* Of a reduction of r->count elements on data with gaps: room for the copies. */
void mpi_coll_stage_reduction(struct mpi_coll_plan *p, struct mpi_reduction *r);

/* -- a blocking call under way, of which several plans may be part.  The baton is held from
 * beginning to end (waits give it up while they sleep or yield). */

struct mpi_coll {
    const char *call;
    struct mpi_comm *c;
    uint64_t match;             /* context, fingerprint and number; a message's source comes in */
    int rank, size;
    size_t bytes;               /* once it has a fingerprint: what is called, for messages */
    int root;
    int class;                  /* first error, MPI_SUCCESS so far */
    bool abandoned;             /* a send goes on that nobody waits for any more */
    bool lost;                  /* a rank is: the others give up, too */
    struct mpi_coll_vector *vector;     /* whose short blocks go by slots, or NULL */
    struct mpi_why why;
};

/* One of the vector variants whose short blocks go by slots (vector.c), and its long ones by
 * messages; with what those below need of it. */
struct mpi_coll_vector {
    struct fw_shm_vector shm;
    struct mpi_coll *x;
    const struct mpi_coll_plan *p;
    struct fw_shm_op *op;       /* once it is begun */
    uint32_t room;              /* for a block in a row, behind the word */
    bool messages;              /* a block goes, or comes, by a message, */
    bool before;                /* which is all there is to be done, and leaves at once */
    /* To the root: whether a rank's block comes by a message. */
    bool (*comes)(const struct mpi_coll_vector *v, int rank);
    /* All of what goes by messages, if anything does. */
    void (*move_long)(struct mpi_coll_vector *v);
    /* Of who waits for such a message: whether it will not come, as the other's block is in a row,
     * or as that rank called something else; the error is noted. */
    bool (*disagrees)(struct mpi_coll_vector *v);
};

/* Takes the baton. */
static inline void mpi_coll_begin(struct mpi_coll *x, const char *call, struct mpi_comm *c)
{
    x->call = call;         /* one by one: to clear the text of an error costs more than the rest */
    x->c = c;
    x->rank = c->rank;
    x->size = c->size;
    x->class = MPI_SUCCESS;
    x->abandoned = x->lost = false;
    x->vector = NULL;
    nic_enter(mpi_nic);
    nic_work(mpi_nic, NIC_WORK_COLLECTIVE);
    x->match = fw_match_bits(c->context | 1, 0, c->coll_seq++ & MPI_FINGERPRINT_NUMBER);
}
/* Its error, which there was. */
int mpi_coll_raise(struct mpi_coll *x) __attribute__((cold));
/* Gives the baton back; raises the error if there was one. */
static inline int mpi_coll_end(struct mpi_coll *x)
{
    nic_leave(mpi_nic);
    return likely(!x->class) ? MPI_SUCCESS : mpi_coll_raise(x);
}
/* Does the plan, of whose call and communicator those of x count. */
void mpi_coll_run(struct mpi_coll *x, const struct mpi_coll_plan *p);

/* Before the first message: what is called.  Where one collective is made of others, the outermost
 * counts. */
static inline void mpi_coll_set_fingerprint(struct mpi_coll *x, enum mpi_coll_kind kind,
                                            size_t bytes, int root)
{
    if (mpi_fingerprint_kind(x->match))
        return;
    x->match |= mpi_fingerprint(kind, bytes, root);
    x->bytes = bytes;
    x->root = root;
}

void mpi_coll_barrier(struct mpi_coll *x);
/* result: r->count elements, this rank's contribution at first. */
void mpi_coll_allreduce(struct mpi_coll *x, void *result, const struct mpi_reduction *r);
/* To rank 0. */
void mpi_coll_gather(struct mpi_coll *x, const void *own, size_t bytes,
                     const struct mpi_blocks *blocks);
/* Each rank's own block is in place. */
void mpi_coll_allgather(struct mpi_coll *x, const struct mpi_blocks *blocks);

/* -- what these are made of */

/* A rank, as messages name it. */
static inline int mpi_coll_shown(const struct mpi_comm *c, int rank)
{
    return unlikely(c->shown != NULL) ? c->shown[rank] : rank;
}
/* Notes an error, if it is the first. */
void mpi_coll_fail(struct mpi_coll *x, int class, const char *text);
/* Of what goes from one rank to another, which expects another length. */
void mpi_coll_fail_length(struct mpi_coll *x, int from, size_t sent, int to, size_t expects);
/* NULL: it went out at once, or failed. */
struct fw_req *mpi_coll_isend(struct mpi_coll *x, int peer, const void *buf, size_t bytes);
/* The same, of a message that asks first, however short it is. */
struct fw_req *mpi_coll_offer(struct mpi_coll *x, int peer, const void *buf, size_t bytes);
/* The short way to receive, which waits a microsecond or two for the next message.  False: that is
 * another one, or has not come. */
bool mpi_coll_take(struct mpi_coll *x, int peer, void *buf, size_t bytes);
/* NULL: no memory, which is noted. */
struct fw_req *mpi_coll_irecv(struct mpi_coll *x, int peer, void *buf, size_t bytes);
/* r NULL: nothing to do. */
void mpi_coll_wait(struct mpi_coll *x, struct fw_req *r);
/* Memory from malloc; NULL: none, which is noted. */
void *mpi_coll_memory(struct mpi_coll *x, size_t bytes);
/* inout = in op inout; context: the struct mpi_reduction.  An fw_combine. */
void mpi_coll_combine(const void *context, const void *in, void *inout, size_t bytes);
/* The same on the model clock, where arithmetic takes time. */
void mpi_coll_combine_modelled(const void *context, const void *in, void *inout, size_t bytes);

/* Kinds that may go by step packets; of one rank they have nothing to do. */
static inline bool mpi_coll_has_short_way(enum mpi_coll_kind kind)
{
    return kind <= MPI_COLL_BCAST;
}
/* This call, where it goes by messages, does go by step packets. */
bool mpi_coll_goes_by_packets(const struct mpi_coll_plan *p);
/* The NIC executes the schedule of this blocking call. */
bool mpi_coll_goes_by_nic(const struct mpi_coll_plan *p);
/* This rank's call returns as soon as its NIC has the contribution. */
bool mpi_coll_returns_early(const struct mpi_coll_plan *p);
/* Schedules work on a contribution where the result shall be: brings it there.  Returns `settled`,
 * or the plan itself where it is. */
const struct mpi_coll_plan *mpi_coll_settle(const struct mpi_coll_plan *p,
                                            struct mpi_coll_plan *settled);

/* Ways of a call that the NIC executes. */
enum mpi_coll_way { MPI_COLL_BY_MESSAGES, MPI_COLL_BY_SHM, MPI_COLL_BY_WINDOWS };
/* The schedule of a plan, for a call with these match bits.  It outlives the call.  NULL: no
 * memory, and nothing has happened. */
struct fw_sched *mpi_coll_schedule(const struct mpi_coll_plan *p, uint64_t match,
                                   enum mpi_coll_way way);

/* Executes a schedule here and now, with the messages of x. */
void mpi_coll_host_run(struct mpi_coll *x, struct fw_sched *s);

/* Builds the schedule of a plan and does it here, as a part of x; of one in two levels all of it or
 * what the leaders do. */
void mpi_coll_run_schedule(struct mpi_coll *x, const struct mpi_coll_plan *p, bool leaders);

/* By stores into scratchpads, which is for short ones only: all ranks find the same.  Of the kinds
 * up to broadcast a rank gives or takes one block: nothing has parts.  A communicator of one rank
 * has no slots, nor has an intercommunicator. */
bool mpi_coll_parts_go_by_shm(const struct mpi_coll_plan *p);
static inline bool mpi_coll_is_plain(const struct mpi_coll_plan *p)
{
    return p->kind <= MPI_COLL_BCAST;
}
static inline bool mpi_coll_goes_by_shm(const struct mpi_coll_plan *p)
{
    if (likely(mpi_coll_is_plain(p) && p->bytes <= FW_SHM_BYTES))
        return p->c->shm;
    return p->c->shm && mpi_coll_parts_go_by_shm(p);
}
void mpi_coll_shm_run(struct mpi_coll *x, const struct mpi_coll_plan *p);
/* A vector variant.  False: all ranks find that it goes another way, and nothing has
 * happened. */
bool mpi_coll_vector_run(struct mpi_coll *x, const struct mpi_coll_plan *p);
void mpi_coll_shm_run_vector(struct mpi_coll *x, struct mpi_coll_vector *v);
/* All of a call that blocks and goes so. */
int mpi_coll_shm_do(const struct mpi_coll_plan *p);
/* Of a blocking call that has a root, and is too long for a slot or a gatherv: whether the last one
 * had another.  All ranks find the same. */
void mpi_coll_note_root(struct mpi_coll_plan *p);
/* All of any call, by the shortest way. */
static inline int mpi_coll_go(struct mpi_coll_plan *p)
{
    if (unlikely(!mpi_coll_is_plain(p) || p->bytes > FW_SHM_BYTES))
        mpi_coll_note_root(p);
    if (unlikely(p->form || p->staging))
        return mpi_coll_do_any(p);
    return mpi_coll_goes_by_shm(p) ? mpi_coll_shm_do(p) : mpi_coll_do(p);
}
/* One that nobody waits for here.  match: of the call; context: of mpi_coll_combine. */
void mpi_coll_shm_begin(struct fw_shm_op *op, const struct mpi_coll_plan *p, uint64_t match,
                        const void *context);

/* Through windows (window.h): all ranks find the same.  False: there is no room for one somewhere,
 * and nothing has happened. */
bool mpi_coll_goes_by_windows(struct mpi_coll *x, const struct mpi_coll_plan *p);
bool mpi_coll_fits_windows(const struct mpi_coll_plan *p);
bool mpi_coll_windows_run(struct mpi_coll *x, const struct mpi_coll_plan *p);
/* The same as steps of the schedule of a call that does not block; where there is no room in the
 * end, `otherwise` appends others.  s->failed: no memory.  Then the schedule begins, before it is
 * started. */
typedef void mpi_coll_steps(struct fw_sched *s, const struct mpi_coll_plan *p);
void mpi_coll_windows_build(struct fw_sched *s, const struct mpi_coll_plan *p,
                            mpi_coll_steps *otherwise);
void mpi_coll_windows_begin(struct fw_sched *s);
void mpi_windows_delete(void);

/* -- reports */

/* For wait reasons, what a collective waits in: "MPI_Bcast(8 bytes, root 1, MPI_COMM_WORLD)".
 * of: the communicator's label (label.h). */
const char *mpi_coll_note(const struct mpi_coll *x, char *text, size_t size);
const char *mpi_coll_note_of(const struct mpi_coll_call *called, const char *of, char *text,
                             size_t size);
/* Behind it: which collective of the communicator that is (base/note_mark.h).  match: its bits. */
void mpi_coll_note_mark(const struct mpi_coll_call *called, const struct mpi_comm *c,
                        uint64_t match, char *text, size_t size);

/* Requests of non-blocking collectives, for MPI_Init to put into mpi_request_classes. */
extern const struct mpi_request_class mpi_coll_request_class;

#endif
