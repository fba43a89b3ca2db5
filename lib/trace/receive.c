/* Receives that are no requests, and probes. */
#include "trace/call.h"

#define RECV(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int source, int tag, \
                   MPI_Comm comm, MPI_Status *status) \
    { \
        bool any = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG; \
        MPI_Status own, *s = any && status == MPI_STATUS_IGNORE ? &own : status; \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, source, tag, comm, s); \
        uint64_t end = trace_now_received(); \
        if (!rc && trace_wanted()) { \
            trace_count(TRACE_MPI_Recv, begin, end); \
            trace_received(TRACE_MPI_Recv, TRACE_RECV, begin, end, source, tag, comm, s); \
            trace_over(); \
        } \
        return rc; \
    }
RECV(Recv, int)
RECV(Recv_c, MPI_Count)

/* Both: the call is that of the send. */
static void sent_and_received(unsigned call, uint64_t begin, uint64_t end, MPI_Count count,
                              MPI_Datatype type, int dest, int out_tag, int source, int in_tag,
                              MPI_Comm comm, const MPI_Status *status)
{
    trace_sent(call, begin, end, count, type, dest, out_tag, comm);
    if (source != MPI_PROC_NULL)
        trace_received(call, TRACE_CAME, begin, end, source, in_tag, comm, status);
}

#define SENDRECV(name, count_t) \
    int MPI_##name(const void *out, count_t outs, MPI_Datatype out_type, int dest, int out_tag, \
                   void *in, count_t ins, MPI_Datatype in_type, int source, int in_tag, \
                   MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(out, outs, out_type, dest, out_tag, in, ins, in_type, source, \
                             in_tag, comm, s); \
        uint64_t end = trace_now_received(); \
        if (!rc && trace_wanted()) { \
            sent_and_received(TRACE_MPI_Sendrecv, begin, end, outs, out_type, dest, out_tag, \
                              source, in_tag, comm, s); \
            trace_over(); \
        } \
        return rc; \
    }
SENDRECV(Sendrecv, int)
SENDRECV(Sendrecv_c, MPI_Count)

#define REPLACE(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int dest, int out_tag, \
                   int source, int in_tag, MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, dest, out_tag, source, in_tag, comm, s); \
        uint64_t end = trace_now_received(); \
        if (!rc && trace_wanted()) { \
            sent_and_received(TRACE_MPI_Sendrecv_replace, begin, end, count, type, dest, \
                              out_tag, source, in_tag, comm, s); \
            trace_over(); \
        } \
        return rc; \
    }
REPLACE(Sendrecv_replace, int)
REPLACE(Sendrecv_replace_c, MPI_Count)

/* The send leaves at once; the receive is a request, whose status says where it came from. */
static void isendrecv(uint64_t begin, uint64_t end, MPI_Count count, MPI_Datatype type, int dest,
                      int out_tag, int source, int in_tag, MPI_Comm comm, MPI_Request request)
{
    struct trace_request r = { .comm = trace_comm_find(comm), .posted = begin, .peer = source,
                               .tag = in_tag, .what = TRACE_MPI_Isendrecv };

    trace_sent(TRACE_MPI_Isendrecv, begin, end, count, type, dest, out_tag, comm);
    if (r.comm && source != MPI_PROC_NULL)
        trace_request_made(request, &r);
}

#define ISENDRECV(name, count_t) \
    int MPI_##name(const void *out, count_t outs, MPI_Datatype out_type, int dest, int out_tag, \
                   void *in, count_t ins, MPI_Datatype in_type, int source, int in_tag, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(out, outs, out_type, dest, out_tag, in, ins, in_type, source, \
                             in_tag, comm, request); \
        uint64_t end = trace_now(); \
        if (!rc && trace_wanted()) { \
            isendrecv(begin, end, outs, out_type, dest, out_tag, source, in_tag, comm, \
                      *request); \
            trace_over(); \
        } \
        return rc; \
    }
ISENDRECV(Isendrecv, int)
ISENDRECV(Isendrecv_c, MPI_Count)

#define IREPLACE(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int dest, int out_tag, \
                   int source, int in_tag, MPI_Comm comm, MPI_Request *request) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, dest, out_tag, source, in_tag, comm, request); \
        uint64_t end = trace_now(); \
        if (!rc && trace_wanted()) { \
            isendrecv(begin, end, count, type, dest, out_tag, source, in_tag, comm, *request); \
            trace_over(); \
        } \
        return rc; \
    }
IREPLACE(Isendrecv_replace, int)
IREPLACE(Isendrecv_replace_c, MPI_Count)

/* -- probes: what is taken out of the queue has been received */

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    uint64_t begin = trace_now();
    int rc = PMPI_Probe(source, tag, comm, status);

    trace_plain(TRACE_MPI_Probe, begin);
    return rc;
}

/* One that has found nothing is one of many. */
static void looked(unsigned call, uint64_t begin, uint64_t end, bool found)
{
    struct trace_record r = { .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                              .end = end, .peer = -1 };

    if (!trace_wanted())
        return;
    r.lane = trace_lane();
    trace_count(call, begin, r.end);
    if (found)
        trace_add(&r);
    else
        trace_add_idle(&r);
    trace_over();
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    uint64_t begin = trace_now();
    int rc = PMPI_Iprobe(source, tag, comm, flag, status);

    looked(TRACE_MPI_Iprobe, begin, trace_now(), rc || *flag);
    return rc;
}

/* The message is there when the call ends, no later: its arrow ends in the call's slice. */
static void taken(unsigned call, uint64_t begin, uint64_t end, MPI_Comm comm,
                  const MPI_Status *status)
{
    if (!trace_wanted())
        return;
    if (status->MPI_SOURCE >= 0)
        trace_received(call, TRACE_CAME, begin, end, status->MPI_SOURCE, status->MPI_TAG, comm,
                       status);
    trace_over();
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t begin = trace_now();
    int rc = PMPI_Mprobe(source, tag, comm, message, s);
    uint64_t end = trace_now_received();

    trace_ended(TRACE_MPI_Mprobe, begin, end);
    if (!rc)
        taken(TRACE_MPI_Mprobe, begin, end, comm, s);
    return rc;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t begin = trace_now();
    int rc = PMPI_Improbe(source, tag, comm, flag, message, s);
    uint64_t end = trace_now_received();

    looked(TRACE_MPI_Improbe, begin, end, rc || *flag);
    if (!rc && *flag)
        taken(TRACE_MPI_Improbe, begin, end, comm, s);
    return rc;
}

#define MRECV(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, MPI_Message *message, \
                   MPI_Status *status) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, message, status); \
        trace_plain(TRACE_MPI_Mrecv, begin); \
        return rc; \
    }
MRECV(Mrecv, int)
MRECV(Mrecv_c, MPI_Count)

#define IMRECV(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, MPI_Message *message, \
                   MPI_Request *request) \
    { \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(buf, count, type, message, request); \
        trace_plain(TRACE_MPI_Imrecv, begin); \
        return rc; \
    }
IMRECV(Imrecv, int)
IMRECV(Imrecv_c, MPI_Count)
