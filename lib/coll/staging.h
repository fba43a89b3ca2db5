/* Data with gaps in a collective: they travel packed, in memory of the call, and what comes for
 * them is unpacked when the collective has ended, by whoever ends it.  A persistent collective
 * keeps its staging, and packs again at each start. */
#ifndef MPI_STAGING_H
#define MPI_STAGING_H

#include "coll/blocks.h"
#include "core/op.h"
#include "core/type.h"
#include "core/world.h"

/* NULL at first, in all calls here that get the address of the pointer. */
struct mpi_staging;

/* What is done with a buffer; both: it holds what the call may read, and gets what comes. */
enum mpi_stage { MPI_STAGE_READ = 1, MPI_STAGE_WRITE = 2, MPI_STAGE_BOTH = 3 };

/* For a persistent collective; before all others. */
void mpi_staging_keep(struct mpi_staging **s);

/* The packed stand-in of `count` elements at buf.  NULL: no memory, which is noted; then and after
 * any such failure mpi_staging_end is all that is left to do. */
void *mpi_stage(struct mpi_staging **s, const struct mpi_type *t, const void *buf, size_t count,
                enum mpi_stage how);
/* The same of what is read at one place and goes to another. */
void *mpi_stage_from_to(struct mpi_staging **s, const struct mpi_type *t, const void *from,
                        void *to, size_t count);
/* The same for a buffer of blocks, of which `only` is read too (-1: none besides what `how` says);
 * afterwards b is of the packed blocks. */
void mpi_stage_blocks(struct mpi_staging **s, const struct mpi_type *t, struct mpi_blocks *b,
                      int ranks, enum mpi_stage how, int only);

/* Zeros that live as long; NULL: no memory, which is noted. */
void *mpi_stage_memory(struct mpi_staging **s, size_t bytes);

/* Operation and type are there until the end, whatever the program frees. */
void mpi_staging_hold(struct mpi_staging **s, const struct mpi_op *op, const struct mpi_type *t);

bool mpi_staging_failed(const struct mpi_staging *s);

/* Of one that is kept: a start, which reads the buffers; and the next end shall be the last.  NULL
 * is accepted. */
void mpi_staging_start(struct mpi_staging *s);
void mpi_staging_last(struct mpi_staging *s);

/* The end: unpacks what came, if it is whole, and frees all that is not kept.  NULL is accepted. */
void mpi_staging_end(void *staging, bool whole);

#endif
