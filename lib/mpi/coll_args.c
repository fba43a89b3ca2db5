/* Arguments of collective calls. */
#include "mpi/coll_args.h"

#include "core/err.h"
#include "core/info.h"
#include "core/type_label.h"

int mpi_coll_check_form(const struct mpi_coll_plan *p)
{
    if (!p->request)
        return mpi_err(p->c, p->call, MPI_ERR_ARG, "the address for the request is NULL");
    if (p->form == MPI_COLL_PERSISTENT && !mpi_info_valid(p->info))
        return mpi_err(p->c, p->call, MPI_ERR_INFO, "%p is no info object", (void *)p->info);
    return MPI_SUCCESS;
}

static int check_remote_root(struct mpi_coll_plan *p, int root)
{
    struct mpi_comm *c = p->c;
    if (root >= 0 && root < c->peers)
        p->root = mpi_inter_remote_first(c) + root;
    else if (root == MPI_ROOT)
        p->root = mpi_inter_local_first(c) + c->rank;
    else if (root == MPI_PROC_NULL)
        p->root = -1;
    else
        return mpi_err(c, p->call, MPI_ERR_ROOT,
                       "root %d is not in 0..%d, MPI_ROOT or MPI_PROC_NULL", root, c->peers - 1);
    return MPI_SUCCESS;
}

int mpi_coll_look_at_root(struct mpi_coll_plan *p, int root)
{
    if (p->c->inter)
        return check_remote_root(p, root);
    return mpi_err(p->c, p->call, MPI_ERR_ROOT, "root %d is not in 0..%d", root, p->c->size - 1);
}

int mpi_coll_not_in_place(const struct mpi_coll_plan *p)
{
    return mpi_err(p->c, p->call, MPI_ERR_BUFFER,
                   "MPI_IN_PLACE is not for intercommunicators");
}

static int too_many(const char *call, struct mpi_comm *c)
{
    return mpi_err(c, call, MPI_ERR_COUNT, "the counts are more than memory can have");
}

int mpi_coll_check_counts(const char *call, struct mpi_comm *c, const struct mpi_numbers *counts,
                          int ranks, const struct mpi_type *t)
{
    int64_t all = 0, bytes;
    for (int i = 0; counts->array && i < ranks; i++) {
        int64_t count = mpi_number(counts, i);
        if (unlikely(count < 0))
            return mpi_err(c, call, MPI_ERR_COUNT, "the count for rank %d is %lld", i,
                           (long long)count);
        if (unlikely(__builtin_add_overflow(all, count, &all)))
            return too_many(call, c);
    }
    if (unlikely(__builtin_mul_overflow(all, (int64_t)t->size, &bytes)))
        return too_many(call, c);
    return MPI_SUCCESS;
}

/* Blocks may lie on both sides of a buffer, so it is they that are looked at. */
static int check_null(const struct mpi_coll_plan *p, const struct mpi_coll_many *m, int ranks,
                      const struct mpi_type *t)
{
    struct mpi_blocks b = mpi_coll_blocks(m, t);
    for (int i = 0; t->size && i < ranks; i++)
        if (mpi_block_elements(&b, i) && mpi_is_nowhere(mpi_block_at(&b, i), t))
            return mpi_coll_no_buffer(p, i, (MPI_Count)mpi_block_elements(&b, i));
    return MPI_SUCCESS;
}

int mpi_coll_no_buffer(const struct mpi_coll_plan *p, int rank, MPI_Count count)
{
    return mpi_err(p->c, p->call, MPI_ERR_BUFFER,
                   "the buffer is NULL and the count for rank %d is %lld", rank, (long long)count);
}

int mpi_coll_check_vector(const struct mpi_coll_plan *p, const struct mpi_coll_many *m, int ranks,
                          const struct mpi_type **t)
{
    if (!m->counts.array || !m->displs.array)
        return mpi_err(p->c, p->call, MPI_ERR_ARG, "the counts or the displacements are NULL");
    int rc = mpi_coll_check_data(p, m, 0, m->type, t);
    if (!rc)
        rc = mpi_coll_check_counts(p->call, p->c, &m->counts, ranks, *t);
    return rc || m->buf ? rc : check_null(p, m, ranks, *t);
}

int mpi_coll_check_sum(const struct mpi_coll_plan *p, MPI_Count count, int ranks,
                       const struct mpi_type *t)
{
    int64_t all, bytes;
    if (!__builtin_mul_overflow((int64_t)count, (int64_t)ranks, &all)
        && !__builtin_mul_overflow(all, (int64_t)t->size, &bytes))
        return MPI_SUCCESS;
    return too_many(p->call, p->c);
}

int mpi_coll_misplaced(const struct mpi_coll_plan *p)
{
    return mpi_err(p->c, p->call, MPI_ERR_BUFFER,
                   "MPI_IN_PLACE stands for a rank's own block, not for all of them");
}

/* The count of one rank is mistaken for that of all of them, more often than not. */
int mpi_coll_own_differs(const struct mpi_coll_plan *p, size_t gives, size_t expects)
{
    const char *why = "";
    int rank = mpi_coll_shown(p->c, p->c->rank);
    if (gives * (size_t)p->c->size == expects && gives)
        why = ": the receive count is that of one rank, not of all";
    else if (expects * (size_t)p->c->size == gives && expects)
        why = ": the send count is that of one rank, not of all";
    return mpi_err(p->c, p->call, gives > expects ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                   "the counts disagree: rank %d sent %zu byte%s, rank %d expects %zu%s",
                   rank, gives, gives == 1 ? "" : "s", rank, expects, why);
}

int mpi_coll_look_at_buffers(const struct mpi_coll_plan *p, const struct mpi_reduction *r,
                             const void *sendbuf, const void *recvbuf, size_t count)
{
    if (recvbuf == MPI_IN_PLACE)
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the receive buffer");
    if (sendbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    const struct mpi_type *t = mpi_type_get(r->type);
    if (mpi_alias_data(t, sendbuf, r->count, recvbuf, count))
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "send and receive buffer %s",
                       sendbuf == recvbuf ? "are the same: use MPI_IN_PLACE" : "overlap");
    if (!sendbuf && r->count && r->unit && mpi_is_nowhere(sendbuf, t))
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "the send buffer is NULL");
    return MPI_SUCCESS;
}

static int no_op(const char *call, struct mpi_comm *c, MPI_Op op)
{
    return mpi_err(c, call, MPI_ERR_OP,
                   op == MPI_OP_NULL ? "the operation is MPI_OP_NULL" : "%p is no operation",
                   (void *)op);
}

int mpi_coll_check_reduction(const struct mpi_coll_plan *p, const void *buf, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, struct mpi_reduction *r)
{
    const struct mpi_type *t;
    const struct mpi_op *o = mpi_op_get(op);
    int rc = mpi_coll_check_data(p, buf, count, type, &t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!o))
        return no_op(p->call, p->c, op);
    if (unlikely(!mpi_op_takes(o, t)))
        return mpi_err(p->c, p->call, MPI_ERR_OP, "%s is not defined on %s", o->name,
                       mpi_type_label(t));
    *r = (struct mpi_reduction){ .op = o, .type = type, .unit = mpi_coll_unit(t),
                                 .count = (size_t)count, .commutative = o->commutative,
                                 .loop = mpi_op_is_predefined(o) ? mpi_op_loop_get(op, t->elem)
                                                         : NULL };
    return MPI_SUCCESS;
}
