/* A small request: an operation on a few bytes of a target's memory that this rank has not mapped,
 * done by the target's NIC, in a packet of one line.  The answer comes by memory, into this rank's
 * control block (struct mpi_rma_answers). */
#ifndef MPI_RMA_SMALL_H
#define MPI_RMA_SMALL_H

#include <assert.h>
#include <stdint.h>

enum mpi_rma_small_kind {
    MPI_RMA_SMALL_PUT,      /* the data are stored; answered by `handled` alone */
    MPI_RMA_SMALL_GET,
    MPI_RMA_SMALL_CHANGE,   /* accumulated; what was there is answered */
    MPI_RMA_SMALL_COMPARE   /* data: the new value, what it is compared with */
};

enum { MPI_RMA_SMALL_BYTES = 24 };      /* of data in a request */

/* The packet's match bits are the handle of the window at the target. */
struct mpi_rma_small {
    uint64_t offset;
    uint32_t key, number;
    uint16_t origin;        /* its rank in the window */
    uint8_t kind;           /* enum mpi_rma_small_kind */
    uint8_t bytes;          /* of the target's memory */
    uint8_t place;          /* of the answer */
    uint8_t op;             /* CHANGE: handle of a predefined operation */
    uint8_t elem;           /* CHANGE: enum mpi_elem */
    uint8_t pad;
};
static_assert(sizeof(struct mpi_rma_small) == 24, "wire layout: with its data one line");

#endif
