/* Arguments of collective calls: the checks that several share.  They raise the error and return
 * its code. */
#ifndef MPI_COLL_ARGS_H
#define MPI_COLL_ARGS_H

#include "coll/coll.h"
#include "core/world.h"
#include "mpi/alias.h"
#include "mpi/args.h"
#include "mpi/coll_forms.h"

/* What a call that does not block is given besides: the place for the request, and the info. */
int mpi_coll_check_form(const struct mpi_coll_plan *p);
/* The root, which the plan gets as the number that schedules have for it; below 0: this rank is
 * beside a root that gives MPI_ROOT.  And what it is else: the root itself, or one that has a part
 * of its own. */
int mpi_coll_look_at_root(struct mpi_coll_plan *p, int root);
static inline int mpi_coll_check_root(struct mpi_coll_plan *p, int root)
{
    p->root = root;
    if (likely((unsigned)root < (unsigned)p->c->size && !p->c->inter))
        return MPI_SUCCESS;
    return mpi_coll_look_at_root(p, root);
}
static inline bool mpi_coll_is_root(const struct mpi_coll_plan *p, int root)
{
    return unlikely(p->c->inter != NULL) ? root == MPI_ROOT : p->c->rank == root;
}
static inline bool mpi_coll_takes_part(const struct mpi_coll_plan *p, int root)
{
    return likely(!p->c->inter) || root >= 0;
}
/* What most calls give is seen to be right here, and all else by mpi_check_data. */
static inline int mpi_coll_check_data(const struct mpi_coll_plan *p, const void *buf,
                                      MPI_Count count, MPI_Datatype type,
                                      const struct mpi_type **t)
{
    *t = mpi_type_get(type);
    if (likely(*t && !(*t)->derived && (size_t)count <= INT_MAX && buf && buf != MPI_IN_PLACE))
        return MPI_SUCCESS;
    return mpi_check_data(p->call, p->c, buf, count, type, t);
}
/* On an intercommunicator nothing is in place. */
int mpi_coll_not_in_place(const struct mpi_coll_plan *p);
static inline int mpi_coll_check_in_place(const struct mpi_coll_plan *p, const void *buf)
{
    return likely(buf != MPI_IN_PLACE || !p->c->inter) ? MPI_SUCCESS : mpi_coll_not_in_place(p);
}
/* One count per rank, of elements of t; of NULL: there are none. */
int mpi_coll_check_counts(const char *call, struct mpi_comm *c, const struct mpi_numbers *counts,
                          int ranks, const struct mpi_type *t);
/* A block that has data, but no place for them: an error. */
int mpi_coll_no_buffer(const struct mpi_coll_plan *p, int rank, MPI_Count count);
/* A buffer for all blocks that MPI_IN_PLACE stands for: an error. */
int mpi_coll_misplaced(const struct mpi_coll_plan *p);
/* The data of a reduction and its operation, of which r becomes. */
int mpi_coll_check_reduction(const struct mpi_coll_plan *p, const void *buf, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, struct mpi_reduction *r);
/* Both buffers of it, where both count: of r->count elements, and of `count` that come. */
int mpi_coll_look_at_buffers(const struct mpi_coll_plan *p, const struct mpi_reduction *r,
                             const void *sendbuf, const void *recvbuf, size_t count);
static inline int mpi_coll_check_buffers(const struct mpi_coll_plan *p,
                                         const struct mpi_reduction *r, const void *sendbuf,
                                         const void *recvbuf, size_t count)
{
    bool apart = mpi_alias_apart(sendbuf, r->unit * r->count, recvbuf, r->unit * count);
    if (likely(sendbuf && apart && r->loop && recvbuf != MPI_IN_PLACE))     /* without gaps */
        return MPI_SUCCESS;
    return mpi_coll_look_at_buffers(p, r, sendbuf, recvbuf, count);
}

/* A buffer of many blocks as a call has it: `count` elements each, or counts and displacements that
 * are not NULL. */
struct mpi_coll_many {
    const void *buf;
    bool vector;
    MPI_Count count;
    struct mpi_numbers counts, displs;
    MPI_Datatype type;
};
int mpi_coll_check_vector(const struct mpi_coll_plan *p, const struct mpi_coll_many *m, int ranks,
                          const struct mpi_type **t);
int mpi_coll_check_sum(const struct mpi_coll_plan *p, MPI_Count count, int ranks,
                       const struct mpi_type *t);
enum { MPI_COLL_SURE_BITS = 32 };       /* so many bytes from each rank are never too many */

static inline int mpi_coll_check_many(const struct mpi_coll_plan *p, const struct mpi_coll_many *m,
                                      int ranks, const struct mpi_type **t)
{
    if (unlikely(m->buf == MPI_IN_PLACE))
        return mpi_coll_misplaced(p);
    if (m->vector)
        return mpi_coll_check_vector(p, m, ranks, t);
    int rc = mpi_coll_check_data(p, m->buf, m->count, m->type, t);
    if (unlikely(rc) || likely(!((size_t)m->count * (*t)->size >> MPI_COLL_SURE_BITS)))
        return rc;
    return mpi_coll_check_sum(p, m->count, ranks, *t);
}
static inline struct mpi_blocks mpi_coll_blocks(const struct mpi_coll_many *m,
                                                const struct mpi_type *t)
{
    return (struct mpi_blocks){ .buf = m->buf, .counts = m->counts, .displs = m->displs,
                                .count = (size_t)m->count, .unit = (size_t)t->extent };
}

/* A rank's own block, of which it knows both lengths. */
int mpi_coll_own_differs(const struct mpi_coll_plan *p, size_t gives, size_t expects);
static inline int mpi_coll_check_own(const struct mpi_coll_plan *p, size_t gives, size_t expects)
{
    return likely(gives == expects || p->c->inter) ? MPI_SUCCESS
                                                   : mpi_coll_own_differs(p, gives, expects);
}
/* Before its data are staged. */
static inline size_t mpi_coll_own_bytes(const struct mpi_coll_plan *p, const struct mpi_blocks *b,
                                        const struct mpi_type *t)
{
    return likely(!p->c->inter) ? mpi_block_elements(b, p->c->rank) * t->size : 0;
}

/* First statement of each call: its plan says of which form it is. */
static inline int mpi_coll_enter(struct mpi_coll_plan *p, MPI_Comm comm)
{
    MPI_ENTER(p->call);
    p->c = mpi_comm_get(comm);
    if (unlikely(!p->c))
        return mpi_check_comm(p->call, comm, &p->c);
    return p->form ? mpi_coll_check_form(p) : MPI_SUCCESS;
}

#endif
