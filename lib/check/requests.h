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
    bool ready;                 /* a send whose receive must have been posted before */
    bool late;                  /* a receive whose message was there before */
};

/* Before the call: reports a receive buffer that overlaps one in use; true: it does. */
bool check_request_begin(const struct check_operation *o);
/* Before a call that does both: reports buffers that overlap each other. */
void check_request_exchange(const struct check_operation *receive,
                            const struct check_operation *send);
/* Memory that takes the place of a receive's buffer until it is done; NULL: none.  And what MPI is
 * given for a buffer. */
void *check_request_shadow(const struct check_operation *o);
void *check_request_buffer(const struct check_operation *o, void *shadow);
/* It has made this request, which owns the shadow; and it is under way, unless it is
 * persistent. */
void check_request_made(const struct check_operation *o, MPI_Request request, void *shadow,
                        bool mixed);
/* A persistent one will be started, and was. */
void check_request_starts(MPI_Request request);
void check_request_start(MPI_Request request);
/* It is done: its status and error.  A request that is not known is none of these. */
void check_request_done(MPI_Request request, const MPI_Status *status, int error);
/* A call for several requests, this one among them, was refused and has left its handle: a
 * persistent one is done, with that status, if it is not active any more. */
void check_request_refused(MPI_Request request, const MPI_Status *status);
/* The program has been told that it is done, and has the request yet. */
void check_request_seen(MPI_Request request, const MPI_Status *status);
/* The program frees it: true if it must live on, until what it receives can be delivered, or what
 * it sends may be changed.  Those are looked after whenever something may have told the program
 * that they are done. */
bool check_request_keep(MPI_Request request);
void check_requests_alone(void);
/* It is freed or cancelled: from here on nothing is known. */
void check_request_lost(MPI_Request request);
void check_request_cancelled(MPI_Request request);

#endif
