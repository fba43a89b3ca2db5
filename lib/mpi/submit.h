/* A request for the NIC's thread, which has the baton at the moment: left in the command ring, so
 * that the host goes on at once. */
#ifndef MPI_SUBMIT_H
#define MPI_SUBMIT_H

#include "core/request.h"

/* A request to be filled in and submitted, for data without gaps; NULL: not possible now, take the
 * baton. */
static inline struct fw_req *mpi_submit_new(enum fw_kind kind, struct mpi_comm *c, void *buf,
                                            size_t bytes)
{
    struct fw_req *r = mpi_threaded ? NULL : mpi_fw_req_spare(mpi_fw);
    if (!r)
        return NULL;
    mpi_req_begin(r, kind, c);
    r->buffer = buf;
    r->bytes = bytes;
    return r;
}

static inline MPI_Request mpi_submit(struct fw_req *r)
{
    MPI_Request h = mpi_req_handle(r);      /* before it is the NIC's */
    r->host.held = true;
    mpi_comm_hold_outside(r->host.comm);
    nic_submit(mpi_nic, &(struct nic_command){ .op = FW_COMMAND_START, .object = r });
    return h;
}

#endif
