/* One side of a one-sided operation: elements of a datatype somewhere. */
#ifndef MPI_RMA_SIDE_H
#define MPI_RMA_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/type.h"
#include "nicemu/remote.h"
#include "type/pairs.h"

/* The bytes of data span [low, high), counted from `at`; both are 0 where there are none.  The
 * target's side has an `at` only once its place is known. */
struct mpi_rma_side {
    const struct mpi_type *t;
    size_t count, bytes;
    char *at;
    ptrdiff_t low, high;
};

/* False: it spans more than an address can say. */
bool mpi_rma_side(struct mpi_rma_side *s, const void *at, size_t count, const struct mpi_type *t);

/* The data lie side by side, from `at` on. */
static inline bool mpi_rma_plain(const struct mpi_rma_side *s)
{
    return s->t->contiguous || !s->bytes;
}

/* Copies the data of one side, in their order, to those of another with as many bytes.  False: no
 * memory. */
bool mpi_rma_copy(const struct mpi_rma_side *from, const struct mpi_rma_side *to);

/* Between a side and its bytes one behind the other. */
void mpi_rma_pack(const struct mpi_rma_side *s, void *packed);
void mpi_rma_unpack(const struct mpi_rma_side *s, const void *packed);

/* Calls `run` for each run of bytes in order, until it returns false. */
void mpi_rma_runs(const struct mpi_rma_side *s, bool (*run)(void *context, void *at, size_t bytes),
                  void *context);

/* The same for who changes what is there, and is alone with it: short runs may come as a copy of
 * several, which is put back. */
void mpi_rma_changes(const struct mpi_rma_side *s,
                     bool (*run)(void *context, void *at, size_t bytes), void *context);

/* Calls `pair` for each piece of bytes that follow each other on both sides, in order.  This
 * does well if they share no memory, `from` has gaps, and the runs of both are long. */
void mpi_rma_pairs(const struct mpi_rma_side *to, const struct mpi_rma_side *from,
                   mpi_pair_fn *pair, void *context);
bool mpi_rma_pairs_well(const struct mpi_rma_side *to, const struct mpi_rma_side *from);

/* The blocks of a side for the NIC, which count from at + low; *list is to be freed (NULL where
 * none is needed).  False: no memory. */
bool mpi_rma_shape(const struct mpi_rma_side *s, struct nic_shape *shape,
                   struct nic_block **list);

#endif
