/* Building the schedules of collectives: who sends what to whom, for lines and for whole messages alike. */
#ifndef MPI_BUILD_H
#define MPI_BUILD_H

#include "coll/coll.h"
#include "fw/schedule.h"

struct mpi_build {
    struct fw_sched *s;
    int rank, size;
    bool lines;                 /* what fits goes as lines, which the NIC handles by itself */
    bool crowded;               /* more ranks than cores: shallow trees */
};

/* How barriers and all-reductions go; chosen by MPILITE_BARRIER=pairwise, or gather:DEGREE. */
struct mpi_barrier_way { bool gather; int degree; };
struct mpi_barrier_way mpi_build_barrier_way(const struct mpi_build *b);

void mpi_build_barrier(struct mpi_build *b);
void mpi_build_bcast(struct mpi_build *b, void *data, size_t bytes, int root);
/* `result` as in mpi_coll_reduce. */
void mpi_build_reduce(struct mpi_build *b, void *result, const struct mpi_reduction *r, int root);
void mpi_build_allreduce(struct mpi_build *b, void *result, const struct mpi_reduction *r);

#endif
