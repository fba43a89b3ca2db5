/* Sends, and requests for them. */
#include "trace/call.h"

#define SEND(name, base, count_t) \
    int MPI_##name(const void *buf, count_t count, MPI_Datatype type, int dest, int tag, \
                   MPI_Comm comm) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, dest, tag, comm); \
        uint64_t end = trace_now(); \
        if (!rc && trace_wanted()) { \
            trace_sent(TRACE_MPI_##base, begin, end, count, type, dest, tag, comm); \
            trace_over(); \
        } \
        return rc; \
    }
#define SENDS(name) SEND(name, name, int) SEND(name##_c, name, MPI_Count)
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)

/* A request to remember; the call's own record has been made. */
static void remember(unsigned call, bool sends, bool persistent, uint64_t begin, uint64_t bytes,
                     int peer, int tag, MPI_Comm comm, MPI_Request request)
{
    struct trace_request r = { .comm = trace_comm_find(comm), .posted = begin, .bytes = bytes,
                               .peer = peer, .tag = tag, .what = (uint16_t)call, .sends = sends,
                               .persistent = persistent };

    if (r.comm && peer != MPI_PROC_NULL)
        trace_request_made(request, &r);
}

#define ISEND(name, base, count_t) \
    int MPI_##name(const void *buf, count_t count, MPI_Datatype type, int dest, int tag, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, dest, tag, comm, request); \
        uint64_t end = trace_now(); \
        if (!rc && trace_wanted()) { \
            trace_sent(TRACE_MPI_##base, begin, end, count, type, dest, tag, comm); \
            remember(TRACE_MPI_##base, true, false, begin, trace_bytes(count, type), dest, tag, \
                     comm, *request); \
            trace_over(); \
        } \
        return rc; \
    }
#define ISENDS(name) ISEND(name, name, int) ISEND(name##_c, name, MPI_Count)
ISENDS(Isend)
ISENDS(Issend)
ISENDS(Irsend)
ISENDS(Ibsend)

#define IRECV(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int source, int tag, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, source, tag, comm, request); \
        uint64_t end = trace_now(); \
        if (!rc && trace_wanted()) { \
            trace_called(TRACE_MPI_Irecv, begin, end); \
            remember(TRACE_MPI_Irecv, false, false, begin, 0, source, tag, comm, *request); \
            trace_over(); \
        } \
        return rc; \
    }
IRECV(Irecv, int)
IRECV(Irecv_c, MPI_Count)

/* Persistent ones: nothing moves before they are started. */
#define INIT(name, base, buf_t, count_t, sends) \
    int MPI_##name(buf_t buf, count_t count, MPI_Datatype type, int peer, int tag, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        int rc = PMPI_##name(buf, count, type, peer, tag, comm, request); \
        if (!rc && trace_wanted()) { \
            remember(TRACE_MPI_Start, sends, true, 0, sends ? trace_bytes(count, type) : 0, \
                     peer, tag, comm, *request); \
            trace_over(); \
        } \
        return rc; \
    }
#define INITS(name, buf_t, sends) \
    INIT(name, name, buf_t, int, sends) INIT(name##_c, name, buf_t, MPI_Count, sends)
INITS(Send_init, const void *, true)
INITS(Ssend_init, const void *, true)
INITS(Rsend_init, const void *, true)
INITS(Bsend_init, const void *, true)
INITS(Recv_init, void *, false)

/* In front of the call itself, so that what it sends is sent within it. */
int MPI_Start(MPI_Request *request)
{
    uint64_t begin = trace_now();
    int rc = PMPI_Start(request);

    if (!rc && trace_wanted()) {
        trace_request_started(*request, begin);
        trace_called(TRACE_MPI_Start, begin, trace_now());
        trace_over();
    }
    return rc;
}

int MPI_Startall(int count, MPI_Request requests[])
{
    uint64_t begin = trace_now();
    int rc = PMPI_Startall(count, requests);

    if (!rc && trace_wanted()) {
        for (int i = 0; i < count; i++)
            trace_request_started(requests[i], begin);
        trace_called(TRACE_MPI_Startall, begin, trace_now());
        trace_over();
    }
    return rc;
}
