/* Send and receive buffers of a collective that overlap, which MPI forbids. */
#ifndef MPI_ALIAS_H
#define MPI_ALIAS_H

#include "coll/blocks.h"
#include "core/comm.h"
#include "core/type.h"
#include "core/world.h"

/* Block by block; see below. */
int mpi_alias_look_one(const char *call, struct mpi_comm *c, const void *one, size_t bytes,
                       const struct mpi_blocks *many);
int mpi_alias_look_all(const char *call, struct mpi_comm *c, const struct mpi_blocks *send,
                       const struct mpi_blocks *recv);

static inline bool mpi_alias_apart(const void *a, size_t abytes, const void *b, size_t bbytes)
{
    return (uintptr_t)a + abytes <= (uintptr_t)b || (uintptr_t)b + bbytes <= (uintptr_t)a;
}

/* Whether so many elements at one place have bytes in common with those at another: gaps have none,
 * and may hold the others' data. */
bool mpi_alias_data(const struct mpi_type *t, const void *a, size_t acount, const void *b,
                    size_t bcount);

/* MPI_SUCCESS, or MPI_ERR_BUFFER, which has been raised: a block on its own against many, and many
 * against many.  Empty blocks, and gaps between blocks, overlap nothing. */
static inline int mpi_alias_one(const char *call, struct mpi_comm *c, const void *one, size_t bytes,
                                const struct mpi_blocks *many)
{
    size_t all = (size_t)c->peers * many->count * many->unit;
    bool plain = !many->parts && !many->counts.array;
    if (likely(plain && mpi_alias_apart(one, bytes, many->buf, all)))
        return MPI_SUCCESS;
    return mpi_alias_look_one(call, c, one, bytes, many);
}

static inline int mpi_alias_all(const char *call, struct mpi_comm *c, const struct mpi_blocks *send,
                                const struct mpi_blocks *recv)
{
    size_t out = (size_t)c->peers * send->count * send->unit;
    size_t in = (size_t)c->peers * recv->count * recv->unit;
    bool plain = !send->parts && !send->counts.array && !recv->parts && !recv->counts.array;
    if (likely(plain && mpi_alias_apart(send->buf, out, recv->buf, in)))
        return MPI_SUCCESS;
    return mpi_alias_look_all(call, c, send, recv);
}

#endif
