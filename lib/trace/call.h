/* What every wrapper is made of. */
#ifndef TRACE_CALL_H
#define TRACE_CALL_H

#include "trace/messages.h"

/* True, and the lock is held: this call is to be recorded, until trace_over. */
static inline bool trace_wanted(void)
{
    if (__builtin_expect(!trace_store.region, 0))
        return false;
    trace_lock();
    return true;
}

static inline void trace_over(void) { trace_unlock(); }

static inline void trace_ended(unsigned call, uint64_t begin, uint64_t end)
{
    if (trace_wanted()) {
        trace_called(call, begin, end);
        trace_over();
    }
}

/* A call that has nothing of its own to tell. */
static inline void trace_plain(unsigned call, uint64_t begin)
{
    trace_ended(call, begin, trace_now());
}

/* All ranks of a communicator take part; root: its rank there, or -1; `type` counts only if the
 * call has succeeded and `count` is above 0. */
void trace_together(unsigned call, uint64_t begin, int rc, MPI_Comm comm, int root,
                    MPI_Count count, MPI_Datatype type);
/* An operation on a window's memory in that rank of it. */
void trace_one_sided(unsigned call, uint64_t begin, int rc, MPI_Win win, int rank,
                     MPI_Count count, MPI_Datatype type);

#endif
