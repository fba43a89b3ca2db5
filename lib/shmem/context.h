/* Contexts: transfers and atomic operations that are waited for together, and whose PEs may be
 * those of a team. */
#ifndef MPI_SHMEM_CONTEXT_H
#define MPI_SHMEM_CONTEXT_H

#include "shmem/state.h"

struct shmem_team;

struct shmem_context {
    uint64_t alive;             /* MPI_SHMEM_ALIVE, or it is none */
    struct shmem_team *team;    /* NULL: all PEs */
    const int *pes;             /* the team's */
    int n;
    long options;
    unsigned under_way;         /* what the NIC goes on with; owner: baton */
    struct shmem_context *next; /* under the lock of context.c */
};
#define MPI_SHMEM_ALIVE UINT64_C(0x7368636f6e746578)

extern struct shmem_context mpi_shmem_default;

/* A new one, of `what` its team and options say.  0, or -1: no memory, and *ctx is
 * SHMEM_CTX_INVALID. */
int mpi_shmem_context_new(const struct shmem_context *what, shmem_ctx_t *ctx);

/* The context, and the PE in the job; wrong ones end the job. */
struct shmem_context *mpi_shmem_context_of(const char *call, shmem_ctx_t ctx, int *pe);

static inline struct shmem_context *mpi_shmem_context(const char *call, shmem_ctx_t ctx, int *pe)
{
    if (likely(ctx == SHMEM_CTX_DEFAULT))
        return &mpi_shmem_default;
    return mpi_shmem_context_of(call, ctx, pe);
}

/* Waits until nothing is under way; of all contexts. */
void mpi_shmem_quiet(struct shmem_context *c, const char *call);
void mpi_shmem_quiet_all(const char *call);

/* All that is left of a team's contexts, or (team NULL) of all. */
void mpi_shmem_contexts_end(struct shmem_team *team, const char *call);

#endif
