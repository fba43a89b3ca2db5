/* Arguments of collective calls: the checks that several share.  They raise the error and return
 * its code. */
#ifndef MPI_COLL_ARGS_H
#define MPI_COLL_ARGS_H

#include "coll/coll.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/coll_forms.h"

/* What a call that does not block is given besides: the place for the request, and the info. */
int mpi_coll_check_form(const struct mpi_coll_plan *p);
int mpi_coll_check_root(const char *call, struct mpi_comm *c, int root);
/* One count per rank of so many elements of t; of NULL: there are none. */
int mpi_coll_check_counts(const char *call, struct mpi_comm *c, const struct mpi_numbers *counts,
                          int ranks, const struct mpi_type *t);
int mpi_coll_check_buffers(const char *call, struct mpi_comm *c, const void *sendbuf,
                           const void *recvbuf, MPI_Count count);
/* The data of a reduction and its operation, of which r becomes. */
int mpi_coll_check_reduction(const char *call, struct mpi_comm *c, const void *buf, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, struct mpi_reduction *r);

/* A buffer of many blocks as a call has it: `count` elements each, or counts and displacements that
 * are not NULL. */
struct mpi_coll_many {
    const void *buf;
    bool vector;
    MPI_Count count;
    struct mpi_numbers counts, displs;
    MPI_Datatype type;
};
int mpi_coll_check_many(const struct mpi_coll_plan *p, const struct mpi_coll_many *m, int ranks,
                        const struct mpi_type **t);
static inline struct mpi_blocks mpi_coll_blocks(const struct mpi_coll_many *m,
                                                const struct mpi_type *t)
{
    return (struct mpi_blocks){ .buf = m->buf, .counts = m->counts, .displs = m->displs,
                                .count = (size_t)m->count, .unit = (size_t)t->extent };
}

/* First statement of each call: its plan says of which form it is. */
static inline int mpi_coll_enter(struct mpi_coll_plan *p, MPI_Comm comm)
{
    MPI_ENTER(p->call);
    int rc = mpi_check_intra(p->call, comm, &p->c);
    return rc || !p->form ? rc : mpi_coll_check_form(p);
}

#endif
