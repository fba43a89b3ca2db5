/* Requests of sends and receives: their buffers, and what of them goes into the log. */
#ifndef CHECK_REQUESTS_H
#define CHECK_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/messages.h"

/* What the call was asked for. */
struct check_operation {
    const char *call;
    const void *caller;
    bool sends, persistent;
    const void *buf;
    MPI_Count count;
    MPI_Datatype type;
    int peer, tag;
    MPI_Comm comm;
};

/* Before the call: reports a receive buffer that overlaps one in use. */
void check_request_begin(const struct check_operation *o);
/* It has made this request; and it is under way, unless it is persistent. */
void check_request_made(const struct check_operation *o, MPI_Request request);
/* A persistent one is started. */
void check_request_start(MPI_Request request);
/* It is done: its status and error.  A request that is not known is none of these. */
void check_request_done(MPI_Request request, const MPI_Status *status, int error);
/* It is freed or cancelled: from here on nothing is known. */
void check_request_lost(MPI_Request request);
void check_request_cancelled(MPI_Request request);

#endif
