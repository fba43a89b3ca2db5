/* What wrappers of SHMEM's functions are made of.  The library is not linked with libshmem: its
 * functions are weak, and there if the program has wrappers to call. */
#ifndef TRACE_SHMEM_CALL_H
#define TRACE_SHMEM_CALL_H

#include <shmem.h>

#include "trace/call.h"

/* A call that has nothing of its own to tell but the bytes. */
void trace_shmem_called(unsigned call, uint64_t begin, uint64_t bytes);
/* One that uses the memory of a PE. */
void trace_shmem_moved(unsigned call, uint64_t begin, shmem_ctx_t ctx, int pe, uint64_t bytes);
/* One that looks, and finds or does not. */
void trace_shmem_looked(unsigned call, uint64_t begin, bool found);
/* All PEs of a team take part; root: -1, there is none. */
void trace_shmem_together(unsigned call, uint64_t begin, shmem_team_t team, int root,
                          uint64_t bytes);

#endif
