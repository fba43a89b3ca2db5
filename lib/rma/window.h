/* Windows: memory of each rank of a communicator that all of them may read and write.
 *
 * Thread rules: a window is immutable but for its epochs, which the program orders with the calls
 * that they concern (a lock of one target does not concern other targets: these have bytes of their
 * own), and for what is marked. */
#ifndef MPI_RMA_WINDOW_H
#define MPI_RMA_WINDOW_H

#include "core/attribute.h"
#include "core/comm.h"
#include "core/err.h"
#include "core/handle.h"
#include "core/world.h"
#include "nicemu/remote.h"
#include "rma/control.h"

enum mpi_rma_lock { MPI_RMA_UNLOCKED, MPI_RMA_SHARED, MPI_RMA_EXCLUSIVE };

/* A small request without an answer so far; `number` 0: the place is free. */
struct mpi_rma_unanswered {
    uint32_t number, bytes;
    void *to;                       /* where the answer's bytes go */
    int *class;                     /* of whom waits for it; NULL: a flush tells */
};

/* What this rank has asked of a target's NIC (ask.h).  Owner: baton. */
struct mpi_rma_asked_of {
    uint32_t number, last_put;      /* of the last request with an answer, and of the last put */
    bool serves;                    /* it has said that it takes requests */
    bool open;                      /* counted in mpi_win.asking */
    bool puts;                      /* some may not be done yet */
    bool shares;                    /* it copies a share of a long transfer: share.h */
    uint8_t next;                   /* place */
    uint8_t copies;                 /* by the kernel, while the target slept in a call */
    struct mpi_rma_unanswered place[MPI_RMA_ANSWERS];
};

/* One rank's memory, as this rank sees it. */
struct mpi_rma_part {
    char *at;                       /* mapped here; NULL: the NIC or the kernel has to copy */
    struct nic_address address;     /* rank: whose NIC has it, in the job */
    uint64_t bytes;
    int64_t unit;                   /* bytes that a displacement counts */
    unsigned world;                 /* its rank in the job */
    uint64_t name;                  /* the window's handle at that rank */
    struct mpi_rma_control *control;        /* NULL: not mapped here */
    struct nic_address control_address;
    bool atomic;                    /* all ranks work on it by the processor's instructions */
    /* of this rank's epochs: */
    uint8_t lock;                   /* enum mpi_rma_lock */
    bool nocheck;                   /* the lock was only claimed */
    bool started;                   /* in the group of MPI_Win_start */
    uint32_t owed;                  /* elements accumulated one by one: bulk.c; any thread */
    unsigned under_way;             /* transfers; owner: baton */
    int failed;                     /* class of the first that no flush has told of; owner: baton */
    struct mpi_rma_asked_of asked;
};

/* Where some of a target's memory is. */
struct mpi_rma_place {
    char *at;                       /* mapped here, or NULL */
    struct nic_address address;
    bool atomic;                    /* see struct mpi_rma_part */
    /* in several pieces that were attached, of which some are atomic by themselves: the address at
     * the target; else 0 */
    uint64_t across;
};

struct mpi_rma_exposure;            /* of MPI_Win_post: epoch.c */
struct mpi_rma_nothing;             /* attached: attach.c */

/* An operation on a control word that a NIC does. */
struct mpi_rma_asked { struct mpi_rma_asked *next; struct nic_outcome outcome; uint64_t old; };

struct mpi_win {
    MPI_Win handle;
    struct mpi_comm *comm;          /* its own: no program knows it */
    MPI_Errhandler errhandler;      /* under the lock of errhandler.c */
    struct mpi_attributes attributes;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
    int flavor, model, unit_int;    /* as attributes show them */
    void *base;
    MPI_Aint size;
    bool local;                     /* memory and control words of ranks are mapped by all */
    bool fences;                    /* some rank fences for its compiler alone: bulk.h */
    uint8_t way;                    /* enum mpi_rma_way: ask.h */
    bool breaks;                    /* whoever waits for its lock looks whether others have ended */
    bool owns_memory;               /* base is from mpi_mem_new */
    bool moved;                     /* base is the program's, and in the heap meanwhile: move.h */
    bool owns_key, owns_control_key;        /* these were registered for the window: */
    struct nic_address own_address, own_control_address;
    void *own_control;              /* from mpi_mem_new */
    uint32_t attached;              /* pieces so far; under the lock of attach.c */
    struct mpi_rma_nothing *nothing;        /* pieces without bytes; under the same lock */
    void *shared_block;             /* of all ranks' shared memory, at the rank that has it */
    struct mpi_rma_asked *unanswered;       /* by ranks that have ended; owner: baton */
    /* epochs */
    bool fenced, used;              /* a fence opened one; something was started in it: epoch.h */
    bool all_locked, all_nocheck;
    int locks;                      /* targets locked one by one: epoch.h */
    int *started;                   /* ranks of MPI_Win_start; NULL: none */
    int starts;
    struct mpi_rma_exposure *exposure;      /* NULL: none */
    unsigned under_way;             /* transfers; owner: baton */
    int failed;                     /* targets of which a flush has to tell; owner: baton */
    uint32_t explained;             /* explained.h: of the operation under way; 0 if live */
    int asking;                     /* targets with small requests under way; owner: baton */
    struct mpi_rma_part part[];
};

static inline struct mpi_win *mpi_win_get(MPI_Win h)
{
    return mpi_handle_get(MPI_KIND_WIN, (uintptr_t)h);
}

static inline struct mpi_err_win mpi_win_face(const struct mpi_win *w)
{
    return (struct mpi_err_win){ w->handle, &w->errhandler, w->comm };
}

/* Raises the error on the window; the code that the call returns. */
#define mpi_win_err(w, call, class, ...) \
    mpi_err_on_win(mpi_win_face(w), call, class, __VA_ARGS__)

/* Rank in the job of a rank of the window. */
static inline unsigned mpi_win_world(const struct mpi_win *w, int rank)
{
    return (unsigned)mpi_comm_world_rank(w->comm, rank);
}

static inline struct mpi_rma_part *mpi_win_own(struct mpi_win *w)
{
    return &w->part[w->comm->rank];
}

/* This rank's own control words. */
static inline struct mpi_rma_control *mpi_win_control(const struct mpi_win *w)
{
    return w->own_control;
}

#endif
