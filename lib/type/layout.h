/* Layouts: which bytes of a buffer the elements of a datatype take, in the order of the type map.
 *
 * A layout is a tree of few kinds.  It is merged while it is built: what adjoins becomes one run,
 * equal runs at equal distances become a repetition, short lists of lists become one list.  So a
 * type made in a roundabout way has the same layout as one made the short way, and walking it is a
 * loop of a known shape.
 *
 * Layouts are immutable and shared by counting; making one consumes nothing, and NULL (no memory)
 * is accepted wherever a layout goes in, and comes out again. */
#ifndef MPI_LAYOUT_H
#define MPI_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mpi_layout_kind {
    MPI_LAYOUT_EMPTY,
    MPI_LAYOUT_RUN,         /* `bytes` bytes at 0 */
    MPI_LAYOUT_REPEAT,      /* `count` times `child`, from 0 on every `stride` bytes */
    MPI_LAYOUT_LIST,        /* `count` blocks */
    MPI_LAYOUT_PARTS,       /* `count` placed layouts */
};

/* before: bytes of data in the blocks in front of it. */
struct mpi_block { ptrdiff_t at; size_t bytes, before; };

struct mpi_layout;
/* A layout that begins at a byte: `at` may be negative. */
struct mpi_placed { const struct mpi_layout *layout; ptrdiff_t at; };
struct mpi_part { struct mpi_placed placed; size_t before; };

struct mpi_layout {
    _Atomic unsigned users;
    enum mpi_layout_kind kind;
    size_t bytes;           /* of data in all of it */
    size_t runs;            /* runs of adjoining bytes */
    size_t count;
    ptrdiff_t stride;
    ptrdiff_t begin, end;   /* from the first byte of data to behind the last; 0: there is none */
    bool ascends;           /* each byte lies behind the one before it: none is there twice */
    const struct mpi_layout *child;
    union {
        struct mpi_block block[1];      /* count of them */
        struct mpi_part part[1];
    } u;
};

/* Another user of it, and one less. */
const struct mpi_layout *mpi_layout_hold(const struct mpi_layout *l);
void mpi_layout_drop(const struct mpi_layout *l);

/* -- making; each result has one user.  A count of 0 and a size of 0 make an empty layout. */

struct mpi_placed mpi_layout_run(ptrdiff_t at, size_t bytes);
/* count times `p`, every `stride` bytes. */
struct mpi_placed mpi_layout_repeat(struct mpi_placed p, size_t count, ptrdiff_t stride);
/* Runs of bytes, none of them empty, in order.  The array is not as it was afterwards. */
struct mpi_placed mpi_layout_runs(struct mpi_block *run, size_t count);
/* All of them, in order. */
struct mpi_placed mpi_layout_join(const struct mpi_placed *p, size_t count);

/* -- what it covers */

/* From the first byte of data to behind the last; both 0 if there is none. */
void mpi_layout_span(struct mpi_placed p, ptrdiff_t *begin, ptrdiff_t *end);

#endif
