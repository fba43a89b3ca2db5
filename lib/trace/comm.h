/* Communicators, by names that are the same in all ranks, and whose ranks are those of the job. */
#ifndef TRACE_COMM_H
#define TRACE_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct trace_comm {
    struct trace_comm *next;
    uintptr_t handle;
    uint32_t id;
    uint32_t collectives, children;     /* called and made so far */
    int size;                   /* of `ranks`; of an inter-communicator's other side */
    unsigned held;              /* by requests, which may outlive the handle */
    bool inter, freed;
    int *ranks;                 /* in the job; NULL: they are the same */
};

/* After MPI_Init. */
void trace_comms_open(void);
/* Before MPI_Finalize, which may still call functions of the program: what is known stays, and
 * nothing is added.  And after it. */
void trace_comms_end(void);
void trace_comms_close(void);

/* NULL: not known, which many a communicator of a session is not. */
struct trace_comm *trace_comm_find_slow(MPI_Comm comm);
extern struct trace_comm trace_comm_world;

static inline struct trace_comm *trace_comm_find(MPI_Comm comm)
{
    return __builtin_expect(comm == MPI_COMM_WORLD, 1) ? &trace_comm_world
           : trace_comm_find_slow(comm);
}

/* The rank in the job, -1: none. */
static inline int trace_comm_rank(const struct trace_comm *c, int rank)
{
    return !c || rank < 0 || rank >= c->size ? -1 : c->ranks ? c->ranks[rank] : rank;
}

/* All ranks of `parent` have made it together; MPI_COMM_NULL: others, and `tag` tells it from
 * others of the same ranks, and how many there were from those with the same tag.  Lock held. */
void trace_comm_made(MPI_Comm parent, MPI_Comm made, int tag);
/* A copy that is perhaps not ready yet. */
void trace_comm_copied(MPI_Comm parent, MPI_Comm made);
/* The program has freed it, or the window whose handle this is. */
void trace_comm_freed(MPI_Comm comm);
static inline void trace_comm_hold(struct trace_comm *c) { c->held++; }
void trace_comm_drop(struct trace_comm *c);
/* A window's ranks are those of this communicator. */
void trace_win_made(MPI_Win win, MPI_Comm comm);
int trace_win_rank(MPI_Win win, int rank);

#endif
