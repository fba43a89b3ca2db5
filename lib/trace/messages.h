/* Messages: which is which at both ends, and requests for them.  Lock held, region there. */
#ifndef TRACE_MESSAGES_H
#define TRACE_MESSAGES_H

#include "trace/comm.h"
#include "trace/store.h"

/* Bytes of so many elements; after the call that was given them has succeeded. */
uint64_t trace_bytes(MPI_Count count, MPI_Datatype type);

/* The next one of those that this rank sends there, or of those that it has posted receives for. */
uint32_t trace_number_sent(uint32_t comm, int peer, int tag);
uint32_t trace_number_posted(uint32_t comm, int peer, int tag);

struct trace_request {
    struct trace_request *next;
    uintptr_t handle;
    struct trace_comm *comm;
    uint64_t posted, bytes;
    int peer, tag;              /* as the call was given them */
    uint32_t number;            /* 0: is known when it is done */
    uint16_t what;
    bool sends, persistent, active;
    bool cancelled;             /* so the program has asked; it may then meet nothing */
};

/* It has made this request.  Copied, and started unless it is persistent. */
void trace_request_made(MPI_Request handle, const struct trace_request *request);
void trace_request_started(MPI_Request handle, uint64_t now);
/* It is done, in a call from begin to end. */
void trace_request_done(MPI_Request handle, const MPI_Status *status, uint64_t begin,
                        uint64_t end);
void trace_request_cancelled(MPI_Request handle);
void trace_request_forget(MPI_Request handle);

/* Records of calls. */
void trace_sent(unsigned call, uint64_t begin, uint64_t end, MPI_Count count, MPI_Datatype type,
                int dest, int tag, MPI_Comm comm);
/* status: of a receive from any source, or with any tag. */
void trace_received(unsigned call, enum trace_kind kind, uint64_t begin, uint64_t end, int source,
                    int tag, MPI_Comm comm, const MPI_Status *status);
void trace_called(unsigned call, uint64_t begin, uint64_t end);

#endif
