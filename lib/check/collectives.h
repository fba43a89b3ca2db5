/* Collectives whose arguments must be alike in all ranks. */
#ifndef CHECK_COLLECTIVES_H
#define CHECK_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>

struct check_log;

/* Those that are compared, with their names where they do not block.  made.awk makes the rest of
 * it. */
#define CHECK_COLLECTIVE_CALLS(X) \
    X(Bcast, Ibcast) X(Reduce, Ireduce) X(Allreduce, Iallreduce) X(Scan, Iscan) \
    X(Exscan, Iexscan) X(Reduce_scatter_block, Ireduce_scatter_block) \
    X(Reduce_scatter, Ireduce_scatter) X(Gather, Igather) X(Scatter, Iscatter) \
    X(Allgather, Iallgather) X(Alltoall, Ialltoall) X(Gatherv, Igatherv) X(Scatterv, Iscatterv) \
    X(Allgatherv, Iallgatherv)

#define CHECK_WHICH(name, started) CHECK_##name,
enum check_which { CHECK_COLLECTIVE_CALLS(CHECK_WHICH) CHECK_WHICHES };
#undef CHECK_WHICH

/* Calls of different forms do not go with each other. */
enum check_form { CHECK_BLOCKING, CHECK_STARTED, CHECK_PERSISTENT, CHECK_FORMS };

/* One count per rank; wide: of MPI_Count. */
struct check_counts { const void *array; bool wide; };
#define CHECK_COUNTS(counts) ((struct check_counts){ (counts), sizeof *(counts) > sizeof(int) })

/* What of it a call has. */
struct check_called {
    MPI_Comm comm;
    int root;                   /* -1: none */
    MPI_Op op;
    MPI_Datatype type, send_type, recv_type;
    MPI_Count count, sends, receives;
    const void *send, *recv;
    struct check_counts send_counts, receive_counts;
};

/* Around a call that went well.  One that has failed, or was left, in this rank alone perhaps, ends
 * what is known of the communicator's collectives.  NULL: they are not followed. */
struct check_log *check_collective_begins(MPI_Comm comm);
void check_collective(struct check_log *log, enum check_which which, enum check_form form,
                      const struct check_called *c);

/* Collective on MPI_COMM_WORLD, at the end: reports, for each communicator, the first call of which
 * this rank and the communicator's rank 0 do not say the same. */
void check_collectives_compare(const char *call);

#endif
