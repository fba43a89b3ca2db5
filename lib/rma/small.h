/* A small request: an operation on some bytes of a target's memory that this rank has not mapped,
 * done by the target's NIC, in a packet of one line or several.  The answer comes by memory, into
 * this rank's control block (struct mpi_rma_answers). */
#ifndef MPI_RMA_SMALL_H
#define MPI_RMA_SMALL_H

#include <assert.h>
#include <stdint.h>

enum mpi_rma_small_kind {
    MPI_RMA_SMALL_PUT,      /* the data are stored; answered by `handled` alone */
    MPI_RMA_SMALL_GET,
    MPI_RMA_SMALL_CHANGE,   /* accumulated; what was there is answered */
    MPI_RMA_SMALL_COMPARE,  /* data: the new value, what it is compared with */
    MPI_RMA_BODY_GET,       /* answered by a packet of the next kind, or refused */
    MPI_RMA_BODY,           /* what was asked for: place and number are the request's */
    MPI_RMA_HELP_PUT,       /* copies a share of a long transfer; data: struct mpi_rma_help */
    MPI_RMA_HELP_GET,
    MPI_RMA_SMALL_KINDS
};

/* Of data in a request that is one line; and in a packet whose lines behind the first go to where
 * they belong as they come.  Longer puts and gets are several of these, up to so many bytes. */
enum {
    MPI_RMA_SMALL_BYTES = 24, MPI_RMA_BODY_BYTES = 8192,
    MPI_RMA_PUT_MOST = 256 * 1024, MPI_RMA_GET_MOST = 64 * 1024
};

/* The packet's match bits are the handle of the window at the target. */
struct mpi_rma_small {
    uint64_t offset;
    uint32_t key, number;
    uint16_t origin;        /* its rank in the window */
    uint16_t bytes;         /* of the target's memory; of a long transfer 0 */
    uint8_t kind;           /* enum mpi_rma_small_kind */
    uint8_t place;          /* of the answer */
    uint8_t op;             /* CHANGE: handle of a predefined operation */
    uint8_t elem;           /* CHANGE: enum mpi_elem */
};
static_assert(sizeof(struct mpi_rma_small) == 24, "wire layout: with short data one line");

#endif
