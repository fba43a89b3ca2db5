/* Communicators. */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "mpi.h"
#include "mpi/handle.h"
#include "mpi/label.h"

struct fw_shm_coll;
struct mpi_errhandler;

/* Owner: the creating process; immutable after creation but for the marked members. */
struct mpi_comm {
    uint16_t context;           /* point-to-point; collectives use context + 1 */
    uint8_t threads;            /* enum mpi_threads; changed by the first agreement on a context */
    int rank, size;
    const int *world;           /* rank in this communicator -> rank in MPI_COMM_WORLD; NULL: the same */
    struct fw_shm_coll *shm;    /* for its short collectives; NULL: it has none */
    MPI_Comm handle;
    MPI_Errhandler errhandler;  /* changed by MPI_Comm_set_errhandler */
    uint32_t coll_seq;          /* collectives started so far, changed by each; owner: baton */
    int requests;               /* non-blocking and persistent requests that name it; owner: baton */
    _Atomic int outside;        /* the same, counted by a host thread without the baton; only one does */
    bool freed;                 /* by the program; it ends with its last request; owner: baton */
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

/* A request that outlives its call names the communicator.  Baton held; or not, where only one host thread calls. */
static inline void mpi_comm_hold(struct mpi_comm *c) { c->requests++; }
static inline void mpi_comm_hold_outside(struct mpi_comm *c)
{
    atomic_store_explicit(&c->outside, atomic_load_explicit(&c->outside, memory_order_relaxed) + 1, memory_order_relaxed);
}
/* It no longer does.  Baton held. */
void mpi_comm_end(struct mpi_comm *c);
static inline bool mpi_comm_in_use(const struct mpi_comm *c) { return c->requests + atomic_load_explicit(&c->outside, memory_order_relaxed) > 0; }
static inline void mpi_comm_drop(struct mpi_comm *c)
{
    c->requests--;
    if (__builtin_expect(c->freed, 0) && !mpi_comm_in_use(c))
        mpi_comm_end(c);
}

/* MPI_COMM_WORLD and MPI_COMM_SELF, before the first call; baton held. */
void mpi_comm_init(int rank, int size);

/* The group of a communicator's processes as an array that the caller frees; NULL: no memory. */
int *mpi_comm_world_ranks(const struct mpi_comm *c);

static inline int mpi_comm_world_rank(const struct mpi_comm *c, int rank)
{
    return c->world ? c->world[rank] : rank;
}

#endif
