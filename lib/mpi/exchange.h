/* What a call that sends and receives at once was given, and its two requests. */
#ifndef MPI_EXCHANGE_H
#define MPI_EXCHANGE_H

#include "core/request.h"

struct mpi_exchange {
    const char *call;
    struct mpi_comm *c;
    const void *sendbuf;
    void *recvbuf;
    MPI_Count sendcount, recvcount;
    const struct mpi_type *sendtype, *recvtype;
    int dest, sendtag, source, recvtag;
};

/* MPI_SUCCESS, or an error that has been raised; both find communicator and types. */
int mpi_exchange_check(struct mpi_exchange *x, MPI_Datatype sendtype, MPI_Datatype recvtype,
                       MPI_Comm comm);
int mpi_exchange_check_replace(struct mpi_exchange *x, MPI_Datatype datatype, MPI_Comm comm);

/* What is sent is a copy of what stands in recvbuf: to be freed; NULL: no memory (raised). */
void *mpi_exchange_copy(struct mpi_exchange *x, int *rc);

/* Makes both requests, or none: false, no memory.  Then starts them.  Baton held. */
bool mpi_exchange_new(const struct mpi_exchange *x, struct fw_req **recv, struct fw_req **send);
void mpi_exchange_start(const struct mpi_exchange *x, struct fw_req *recv, struct fw_req *send);

#endif
