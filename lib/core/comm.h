/* Communicators. */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/attribute.h"
#include "core/handle.h"
#include "mpi.h"

struct fw_shm_coll;
struct mpi_buffer;
struct mpi_comm;
struct mpi_inter;
struct mpi_levels;
struct mpi_topo;

/* Which call makes a communicator: also a number in the fingerprint
 * of its messages (coll/fingerprint.h). */
enum mpi_maker {
    MPI_MADE_DUP, MPI_MADE_SPLIT, MPI_MADE_CREATE, MPI_MADE_INTER, MPI_MADE_MERGE, MPI_MADE_IDUP,
    MPI_MADE_CART, MPI_MADE_SUB, MPI_MADE_GRAPH, MPI_MADE_DIST_GRAPH, MPI_MADE_GROUP,
    MPI_MADE_WIN, MPI_MADE_LOCK, MPI_MAKERS,
    /* The other calls that make windows: numbers of fingerprints only. */
    MPI_MADE_WIN_ALLOCATE = MPI_MAKERS, MPI_MADE_WIN_SHARED, MPI_MADE_WIN_DYNAMIC,
};

enum { MPI_MADE_BYTES = 64 };   /* of the text that says how a communicator was made */

/* Whether the ranks of a communicator may make others in several threads at once: known to all of
 * them once they have agreed on something, and true of the communicators made from it. */
enum mpi_threads { MPI_THREADS_UNKNOWN, MPI_THREADS_NONE, MPI_THREADS_SOME };

/* Owner: the creating process; immutable after creation but for the marked members.
 *
 * Of an intercommunicator `rank`, `size` and `world` are of the local group, this process's.  Its
 * messages go to and come from the remote group: who is named in a call (a destination, a source)
 * is one of `peers` ranks, and `peer_world` says which.  Else these two are `size` and `world`. */
struct mpi_comm {
    uint16_t context;           /* point-to-point; collectives use context + 1 */
    uint8_t threads;            /* enum mpi_threads; changed by the first agreement on a context */
    int rank, size;
    int peers;
    const int *world;           /* its rank -> rank in MPI_COMM_WORLD; NULL: the same */
    const int *peer_world;
    struct fw_shm_coll *shm;    /* for its short collectives; NULL: it has none */
    struct mpi_levels *levels;  /* on several machines, who is where; NULL: they do not matter */
    struct mpi_inter *inter;    /* NULL: an intracommunicator */
    struct mpi_comm *part_of;   /* a part of that communicator; NULL: a program's own */
    const int *shown;           /* ranks as messages name them, of such a part; NULL: the same */
    struct mpi_topo *topo;      /* held; NULL: none */
    MPI_Comm handle;
    MPI_Errhandler errhandler;  /* under the lock of errhandler.c */
    struct mpi_attributes attributes;
    uint64_t session;           /* serial of the session that it comes from; 0: MPI_Init */
    uint8_t hints;              /* what the program has promised (comm_info.c) */
    uint32_t coll_seq;          /* collectives started so far, changed by each; owner: baton */
    uint32_t coll_apart;        /* of these, by messages, since all ranks met; owner: baton */
    uint32_t persistent_seq;    /* the same of persistent ones that were made */
    int last_root;              /* of a blocking collective: see mpi_coll_note_root */
    int requests;               /* non-blocking and persistent ones that name it; owner: baton */
    struct mpi_buffer *buffer;  /* for buffered sends, NULL: none attached; owner: baton */
    _Atomic int outside;        /* more of them: counted by the host thread without the baton */
    bool freed;                 /* by the program; ends with its last request; owner: baton */
    bool failed;                /* messages may come that nobody takes; owner: baton */
    char name[MPI_MAX_OBJECT_NAME];
    char made[MPI_MADE_BYTES];  /* how, for messages */
    const void *maker;          /* return address of the call that made it; NULL: MPI_Init did */
    _Atomic unsigned children[MPI_MAKERS];      /* made from it so far */
    struct mpi_comm *undone;    /* the next of those that wait for mpi_comm_end_undone */
};

/* What else an intercommunicator has, for collectives on it and for what is made from it.
 *
 * The ranks of both groups know them in the same order: the ranks of the first group stand before
 * those of the second.  `both` has the ranks in that order, `local` those of the local group, with
 * contexts of their own: collectives among them disturb nobody.  Neither has a handle; errors on
 * them are raised on the intercommunicator, and requests should name it, not them, as it is held
 * until its last request has ended.  Messages across, as parts of a collective of the
 * intercommunicator, have its own `context | 1` and `coll_seq`, and the sender's local rank.
 * Owner: the intercommunicator. */
struct mpi_inter {
    bool second;                /* the local group is the second one */
    struct mpi_comm *local, *both;
};

/* Rank in `both` of rank 0 of the local and of the remote group. */
static inline int mpi_inter_local_first(const struct mpi_comm *c)
{
    return c->inter->second ? c->peers : 0;
}
static inline int mpi_inter_remote_first(const struct mpi_comm *c)
{
    return c->inter->second ? 0 : c->size;
}

extern struct mpi_comm mpi_comm_world, mpi_comm_self;

/* As the program knows it: what a part of a communicator stands for. */
static inline struct mpi_comm *mpi_comm_shown(struct mpi_comm *c)
{
    return c && c->part_of ? c->part_of : c;
}

/* A collective on it has failed here, or a rank of it is lost: others may still send what nobody
 * receives, so that this rank never agrees on its contexts again.  Baton held; NULL: none. */
static inline void mpi_comm_has_failed(struct mpi_comm *c)
{
    if (c)
        mpi_comm_shown(c)->failed = true;
}

/* NULL if the handle is no communicator (MPI_COMM_NULL is none). */
static inline struct mpi_comm *mpi_comm_get(MPI_Comm h)
{
    uintptr_t v = (uintptr_t)h;
    if (__builtin_expect(v == 0x101, 1))
        return &mpi_comm_world;
    return v == 0x102 ? &mpi_comm_self : mpi_handle_get(MPI_KIND_COMM, v);
}

/* The end of a communicator that no request names and that the program has freed, or that was never
 * the program's.  Baton held. */
void mpi_comm_end(struct mpi_comm *c);

/* The program has no use for it any more: its handle ends, and it does with its last request. */
void mpi_comm_release(struct mpi_comm *c);

/* A request that outlives its call names the communicator.  Baton held. */
static inline void mpi_comm_hold(struct mpi_comm *c) { c->requests++; }

/* The same without the baton, where a single host thread calls: nobody else writes `outside`. */
static inline void mpi_comm_hold_outside(struct mpi_comm *c)
{
    int before = atomic_load_explicit(&c->outside, memory_order_relaxed);
    atomic_store_explicit(&c->outside, before + 1, memory_order_relaxed);
}

static inline bool mpi_comm_in_use(const struct mpi_comm *c)
{
    return c->requests + atomic_load_explicit(&c->outside, memory_order_relaxed) > 0;
}

/* A request that named the communicator has ended.  Baton held. */
static inline void mpi_comm_drop(struct mpi_comm *c)
{
    c->requests--;
    if (__builtin_expect(c->freed, 0) && !mpi_comm_in_use(c))
        mpi_comm_end(c);
}

/* The parts of an intercommunicator whose ranks and peers are known; they have no contexts yet.
 * False: no memory. */
bool mpi_inter_new(struct mpi_comm *c, bool second);
/* With the list of its peers. */
void mpi_inter_delete(struct mpi_comm *c);

/* Memory of a communicator that has no contexts yet; its handle ends. */
void mpi_comm_delete(struct mpi_comm *c);

/* The same of a duplicate that there is to be none of, with its attributes, whose functions are
 * called; without the baton.  Where that is held, or no host thread calls, it is only noted, and is
 * done before the program learns why. */
void mpi_comm_discard(struct mpi_comm *c);
void mpi_comm_discard_later(struct mpi_comm *c);
void mpi_comm_end_undone(void);

/* All ranks that call together where the communicator is made into others. */
static inline struct mpi_comm *mpi_comm_whole(struct mpi_comm *c)
{
    return c->inter ? c->inter->both : c;
}

/* MPI_COMM_WORLD and MPI_COMM_SELF, before the first call; baton held. */
void mpi_comm_init(int rank, int size);

/* Rank in c of a rank in MPI_COMM_WORLD; -1: c does not have it. */
int mpi_comm_rank_of(const struct mpi_comm *c, int world);

static inline int mpi_comm_world_rank(const struct mpi_comm *c, int rank)
{
    return c->world ? c->world[rank] : rank;
}

/* The same of a rank that messages go to or come from. */
static inline int mpi_comm_peer(const struct mpi_comm *c, int rank)
{
    return c->peer_world ? c->peer_world[rank] : rank;
}

#endif
