/* Calls of several ranks. */
#include "trace/call.h"

static bool is_creation(unsigned call)
{
    return call == TRACE_MPI_Comm_create_group || call == TRACE_MPI_Intercomm_create;
}

void trace_together(unsigned call, uint64_t begin, int rc, MPI_Comm comm, int root,
                    MPI_Count count, MPI_Datatype type)
{
    struct trace_record r = { .kind = TRACE_COLL, .what = (uint16_t)call, .begin = begin,
                              .end = trace_now(), .peer = -1, .tag = -1 };

    if (!trace_wanted())
        return;
    struct trace_comm *c = rc ? NULL : trace_comm_find(comm);
    r.lane = trace_lane();
    trace_count(call, begin, r.end);
    if (!c || is_creation(call)) {
        r.kind = TRACE_CALL;
    } else {
        r.comm = c->id;
        r.number = ++c->collectives;
        r.peer = c->inter ? -1 : trace_comm_rank(c, root);
        r.bytes = c->inter ? 0 : trace_bytes(count, type);
        r.times = (uint32_t)c->size;
    }
    trace_add(&r);
    trace_over();
}

void trace_one_sided(unsigned call, uint64_t begin, int rc, MPI_Win win, int rank,
                     MPI_Count count, MPI_Datatype type)
{
    struct trace_record r = { .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                              .end = trace_now(), .tag = -1 };

    if (!trace_wanted())
        return;
    r.lane = trace_lane();
    r.peer = trace_win_rank(win, rank);
    r.bytes = rc ? 0 : trace_bytes(count, type);
    trace_count(call, begin, r.end);
    if (!rc && r.peer >= 0)
        trace_count_sent(r.peer, r.bytes);
    trace_add(&r);
    trace_over();
}
