/* Communicators. */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/handle.h"
#include "mpi.h"

struct fw_shm_coll;
struct mpi_buffer;

/* Which call makes a communicator: also a number in the fingerprint
 * of its messages (coll/fingerprint.h). */
enum mpi_maker { MPI_MADE_DUP, MPI_MADE_SPLIT, MPI_MADE_CREATE, MPI_MAKERS };

enum { MPI_MADE_BYTES = 64 };   /* of the text that says how a communicator was made */

/* Whether the ranks of a communicator may make others in several threads at once: known to all of
 * them once they have agreed on something, and true of the communicators made from it. */
enum mpi_threads { MPI_THREADS_UNKNOWN, MPI_THREADS_NONE, MPI_THREADS_SOME };

/* Owner: the creating process; immutable after creation but for the marked members. */
struct mpi_comm {
    uint16_t context;           /* point-to-point; collectives use context + 1 */
    uint8_t threads;            /* enum mpi_threads; changed by the first agreement on a context */
    int rank, size;
    const int *world;           /* its rank -> rank in MPI_COMM_WORLD; NULL: the same */
    struct fw_shm_coll *shm;    /* for its short collectives; NULL: it has none */
    MPI_Comm handle;
    MPI_Errhandler errhandler;  /* under the lock of errhandler.c */
    uint32_t coll_seq;          /* collectives started so far, changed by each; owner: baton */
    uint32_t persistent_seq;    /* the same of persistent ones that were made */
    int requests;               /* non-blocking and persistent ones that name it; owner: baton */
    struct mpi_buffer *buffer;  /* for buffered sends, NULL: none attached; owner: baton */
    _Atomic int outside;        /* more of them: counted by the host thread without the baton */
    bool freed;                 /* by the program; ends with its last request; owner: baton */
    char name[MPI_MAX_OBJECT_NAME];
    char made[MPI_MADE_BYTES];  /* how, for messages */
    const void *maker;          /* return address of the call that made it; NULL: MPI_Init did */
    _Atomic unsigned children[MPI_MAKERS];      /* made from it so far */
};

extern struct mpi_comm mpi_comm_world, mpi_comm_self;

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

/* MPI_COMM_WORLD and MPI_COMM_SELF, before the first call; baton held. */
void mpi_comm_init(int rank, int size);

/* The ranks in MPI_COMM_WORLD of a communicator's ranks, to be freed by the caller; NULL: no
 * memory. */
int *mpi_comm_world_ranks(const struct mpi_comm *c);

/* Rank in c of a rank in MPI_COMM_WORLD; -1: c does not have it. */
int mpi_comm_rank_of(const struct mpi_comm *c, int world);

static inline int mpi_comm_world_rank(const struct mpi_comm *c, int rank)
{
    return c->world ? c->world[rank] : rank;
}

#endif
