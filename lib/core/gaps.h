/* Requests whose data have gaps: the NIC packs and unpacks them a few lines at a time, by calls
 * back into lib/type.  So nothing is copied twice, and no memory of the message's size is used.
 * Where the NIC cannot (the model clock) they travel as a packed copy. */
#ifndef MPI_GAPS_H
#define MPI_GAPS_H

#include "core/type.h"
#include "fw/fw.h"

/* A new request's data, whose type is not contiguous: sets its buffer or layout, and host.gaps.
 * False: no memory. */
bool mpi_gaps_begin(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count);
/* The same for the data from a place on, by a NIC that gathers (nic_gathers). */
bool mpi_gaps_begin_at(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count,
                       size_t first);

/* Of a receive that has ended: the runs of bytes to which its data are unpacked now; 0: none. */
uint64_t mpi_gaps_blocks(const struct fw_req *r);
/* The request has ended: what came lies in its place from here on. */
void mpi_gaps_end(struct fw_req *r);
/* It was never started. */
void mpi_gaps_drop(struct fw_req *r);

#endif
