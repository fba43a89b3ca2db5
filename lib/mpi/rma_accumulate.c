/* Accumulate and its family. */
#include "rma/accumulate.h"

#include <string.h>

#include "core/derived.h"
#include "core/op.h"
#include "core/type_label.h"
#include "mpi/rma_access.h"
#include "mpi/weak_alias.h"
#include "rma/bulk.h"
#include "rma/look.h"

/* A call's arguments; fetches: it has a result. */
struct combine {
    const void *origin;
    void *result;
    MPI_Count count, result_count, target_count;
    MPI_Datatype type, result_type, target_type;
    int target;
    MPI_Aint disp;
    MPI_Op op;
    MPI_Win win;
    bool passive, fetches;
    MPI_Request *request;
};

/* -- checks */

/* REPLACE and NO_OP take any type, the other predefined operations what they take in reductions. */
static int check_op(const char *call, struct mpi_win *w, MPI_Op op, MPI_Datatype basic)
{
    const struct mpi_op *o = mpi_op_get(op);
    const struct mpi_type *t = mpi_type_get(basic);
    if (!o)
        return mpi_win_err(w, call, MPI_ERR_OP, "%p is no operation", (void *)op);
    if (!mpi_op_is_predefined(o))
        return mpi_win_err(w, call, MPI_ERR_OP, "the operation is not a predefined one");
    if (op == MPI_REPLACE || op == MPI_NO_OP || !mpi_op_check(op, t))
        return MPI_SUCCESS;
    return mpi_win_err(w, call, MPI_ERR_OP, "%s is not defined on %s", o->name,
                       mpi_type_label(t));
}

/* All sides are of one predefined type, which all share, and of as many bytes. */
static int check_basic(const struct mpi_rma_access *x, const char *whose,
                       const struct mpi_rma_side *s, MPI_Datatype type, MPI_Datatype basic)
{
    if (!s->bytes && !x->remote.bytes)
        return MPI_SUCCESS;
    if (mpi_rma_basic(s->t, type) != basic)
        return mpi_win_err(x->w, x->call, MPI_ERR_TYPE,
                           "the %s's elements are not of the target's predefined type", whose);
    if (s->bytes != x->remote.bytes)
        return mpi_win_err(x->w, x->call, MPI_ERR_TYPE,
                           "the %s has %zu bytes of data, the target %zu", whose, s->bytes,
                           x->remote.bytes);
    return MPI_SUCCESS;
}

/* NO_OP ignores all of the origin's arguments. */
static bool has_origin(const struct combine *m) { return m->op != MPI_NO_OP; }

static int check_sides(struct mpi_rma_access *x, const struct combine *m,
                       struct mpi_rma_side *origin, struct mpi_rma_side *result)
{
    int rc = MPI_SUCCESS;
    if (has_origin(m))
        rc = mpi_check_side(x->call, x->w, "origin", m->origin, m->count, m->type, origin);
    if (!rc && m->fetches)
        rc = mpi_check_side(x->call, x->w, "result", m->result, m->result_count, m->result_type,
                            result);
    return rc;
}

/* A type without data may be made of none: then it is what the other sides have nothing of.
 * MPI_DATATYPE_NULL: theirs is without, too. */
static MPI_Datatype basic_of(const struct mpi_rma_access *x, const struct combine *m,
                             const struct mpi_rma_side *origin, const struct mpi_rma_side *result)
{
    MPI_Datatype basic = mpi_rma_basic(x->remote.t, m->target_type);
    if (basic == MPI_DATATYPE_NULL && !x->remote.t->size && has_origin(m))
        basic = mpi_rma_basic(origin->t, m->type);
    if (basic == MPI_DATATYPE_NULL && !x->remote.t->size && m->fetches)
        basic = mpi_rma_basic(result->t, m->result_type);
    return basic;
}

static int check_target(struct mpi_rma_access *x, const struct combine *m,
                        const struct mpi_rma_side *origin, const struct mpi_rma_side *result,
                        MPI_Datatype *basic)
{
    int rc = mpi_rma_find(x, m->disp, m->target_count, m->target_type);
    if (rc)
        return rc;
    *basic = basic_of(x, m, origin, result);
    if (*basic == MPI_DATATYPE_NULL && x->remote.t->size)
        return mpi_win_err(x->w, x->call, MPI_ERR_TYPE,
                           "the target's datatype is not made of one predefined type");
    if (m->op == MPI_NO_OP && !m->fetches)
        return mpi_win_err(x->w, x->call, MPI_ERR_OP, "MPI_NO_OP changes nothing");
    rc = *basic == MPI_DATATYPE_NULL ? MPI_SUCCESS : check_op(x->call, x->w, m->op, *basic);
    if (!rc && has_origin(m))
        rc = check_basic(x, "origin", origin, m->type, *basic);
    if (!rc && m->fetches)
        rc = check_basic(x, "result", result, m->result_type, *basic);
    return rc;
}

/* -- the short way: integers or reals side by side, in memory that all ranks have mapped */

/* The first of them; NULL: the long way. */
static inline void *elements_of(MPI_Win win, int target, MPI_Aint disp, const struct mpi_type *t,
                                MPI_Count count)
{
    struct mpi_win *w = mpi_win_get(win);
    uint64_t at;
    if (unlikely(mpi_state != MPI_STATE_INIT || !w || !t || t->derived || !t->contiguous || !t->size
                 || (unsigned)target >= (unsigned)w->comm->size || disp < 0))
        return NULL;
    const struct mpi_rma_part *p = &w->part[target];
    if (unlikely(!p->atomic || __builtin_mul_overflow((uint64_t)disp, (uint64_t)p->unit, &at)
                 || at > p->bytes || (uint64_t)count > (p->bytes - at) / t->size
                 || !mpi_rma_element_fits(p->at + at, t->size) || !mpi_rma_may(w, target)))
        return NULL;
    return p->at + at;
}

static void combine_alone(const struct combine *m, const struct mpi_op *o,
                          const struct mpi_type *t, void *at)
{
    if (m->op == MPI_REPLACE)
        memcpy(at, m->origin, (size_t)m->count * t->size);
    else
        mpi_op_apply(o, m->type, m->origin, at, (size_t)m->count);
}

/* False: by instructions. */
static bool combine_many(const struct combine *m, const struct mpi_op *o, const struct mpi_type *t,
                         void *at)
{
    struct mpi_win *w = mpi_win_get(m->win);
    const bool alone = mpi_rma_is_alone(w, m->target);
    if (!alone && !mpi_rma_bulk_begin(w, m->target, (size_t)m->count))
        return false;
    combine_alone(m, o, t, at);
    if (!alone)
        mpi_rma_bulk_end(w, m->target);
    return true;
}

/* False: the long way. */
static bool combine_quickly(const struct combine *m)
{
    const struct mpi_type *t = mpi_type_get(m->type);
    const struct mpi_op *o = mpi_op_get(m->op);
    if (m->type != m->target_type || m->count != m->target_count || m->count <= 0 || !m->origin
        || m->origin == MPI_IN_PLACE || m->op == MPI_NO_OP || m->passive || m->fetches || !o
        || !mpi_op_is_predefined(o))
        return false;
    void *at = elements_of(m->win, m->target, m->disp, t, m->count);
    if (!at || (m->op != MPI_REPLACE && mpi_op_check(m->op, t)))
        return false;
    if (m->count > 1 && combine_many(m, o, t, at))
        return true;
    const struct mpi_rma_change change = mpi_rma_change_of(m->op, t);
    return !mpi_rma_change_elements(mpi_win_get(m->win), m->target, at, (size_t)m->count, &change,
                                    m->origin, NULL);
}

/* -- the call */

static __attribute__((noinline)) int combine(const char *call, const struct combine *m)
{
    struct mpi_rma_access x = { .call = call };
    struct mpi_rma_side origin = { .bytes = 0 }, result = { .bytes = 0 };
    struct mpi_rma_accumulate a = { .op = m->op, .remote = &x.remote };
    int rc = mpi_rma_enter(&x, m->win, m->target, m->passive);
    if (!rc && m->passive && !m->request)
        rc = mpi_win_err(x.w, call, MPI_ERR_ARG, "the address for the request is NULL");
    if (!rc)
        rc = check_sides(&x, m, &origin, &result);
    if (rc)
        return rc;
    if (m->target == MPI_PROC_NULL)
        return mpi_rma_over(m->request);
    rc = check_target(&x, m, &origin, &result, &a.basic);
    if (rc)
        return rc;
    if (a.basic == MPI_DATATYPE_NULL)
        return mpi_rma_over(m->request);
    a.origin = has_origin(m) ? &origin : NULL;
    a.result = m->fetches ? &result : NULL;
    rc = mpi_rma_accumulate(x.w, x.target, &x.place, &a);
    return rc ? mpi_rma_raise(call, x.w, rc, x.target) : mpi_rma_over(m->request);
}

static inline int combine_any(const char *call, const struct combine *m)
{
    return likely(combine_quickly(m)) ? MPI_SUCCESS : combine(call, m);
}

#define ORIGIN_ARGS(COUNT) \
    const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype
#define RESULT_ARGS(COUNT) \
    void *result_addr, COUNT result_count, MPI_Datatype result_datatype
#define TARGET_ARGS(COUNT) \
    int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, \
    MPI_Op op, MPI_Win win
#define GIVEN \
    .origin = origin_addr, .count = origin_count, .type = origin_datatype, \
    .target = target_rank, .disp = target_disp, .target_count = target_count, \
    .target_type = target_datatype, .op = op, .win = win
#define GIVEN_RESULT \
    .fetches = true, .result = result_addr, .result_count = result_count, \
    .result_type = result_datatype
#define WITH_REQUEST .passive = true, .request = request

#define ACCUMULATE(name, rname, COUNT) \
    int PMPI_##name(ORIGIN_ARGS(COUNT), TARGET_ARGS(COUNT)) \
    { \
        return combine_any("MPI_" #name, &(struct combine){ GIVEN }); \
    } \
    MPI_WEAK_ALIAS(name); \
    int PMPI_##rname(ORIGIN_ARGS(COUNT), TARGET_ARGS(COUNT), MPI_Request *request) \
    { \
        return combine("MPI_" #rname, &(struct combine){ GIVEN, WITH_REQUEST }); \
    } \
    MPI_WEAK_ALIAS(rname)
ACCUMULATE(Accumulate, Raccumulate, int);
ACCUMULATE(Accumulate_c, Raccumulate_c, MPI_Count);

#define GET_ACCUMULATE(name, rname, COUNT) \
    int PMPI_##name(ORIGIN_ARGS(COUNT), RESULT_ARGS(COUNT), TARGET_ARGS(COUNT)) \
    { \
        return combine("MPI_" #name, &(struct combine){ GIVEN, GIVEN_RESULT }); \
    } \
    MPI_WEAK_ALIAS(name); \
    int PMPI_##rname(ORIGIN_ARGS(COUNT), RESULT_ARGS(COUNT), TARGET_ARGS(COUNT), \
                     MPI_Request *request) \
    { \
        return combine("MPI_" #rname, &(struct combine){ GIVEN, GIVEN_RESULT, WITH_REQUEST }); \
    } \
    MPI_WEAK_ALIAS(rname)
GET_ACCUMULATE(Get_accumulate, Rget_accumulate, int);
GET_ACCUMULATE(Get_accumulate_c, Rget_accumulate_c, MPI_Count);

/* -- one element */

/* Also what MPI_Type_create_f90_* returns, which the quick ways leave to the long ones. */
static bool is_predefined(const struct mpi_type *t)
{
    return !t->derived || mpi_type_is_predefined(t);
}

static bool is_no_buffer(const void *p) { return !p || p == MPI_IN_PLACE; }

static bool fetch_quickly(const void *origin, void *result, MPI_Datatype type, int target,
                          MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    const struct mpi_type *t = mpi_type_get(type);
    bool simple = op == MPI_SUM || op == MPI_REPLACE || op == MPI_NO_OP;
    void *at = simple ? elements_of(win, target, disp, t, 1) : NULL;
    if (!at || is_no_buffer(result) || (op != MPI_NO_OP && is_no_buffer(origin))
        || (op == MPI_SUM && mpi_op_check(op, t)))
        return false;
    const struct mpi_rma_change change = mpi_rma_change_of(op, t);
    if (unlikely(mpi_rma_change_elements(mpi_win_get(win), target, at, 1, &change,
                                         op == MPI_NO_OP ? NULL : origin, result)))
        return false;
    if (op == MPI_NO_OP)
        mpi_rma_looked(win, target, disp, result, t->size);
    return true;
}

int PMPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    const struct combine m = { .origin = origin_addr, .count = 1, .type = datatype,
                               .fetches = true, .result = result_addr, .result_count = 1,
                               .result_type = datatype,
                               .target = target_rank, .disp = target_disp, .target_count = 1,
                               .target_type = datatype, .op = op, .win = win };
    const struct mpi_type *t = mpi_type_get(datatype);
    struct mpi_win *w = mpi_win_get(win);
    if (likely(fetch_quickly(origin_addr, result_addr, datatype, target_rank, target_disp, op,
                             win)))
        return MPI_SUCCESS;
    if (w && t && !is_predefined(t))
        return mpi_win_err(w, "MPI_Fetch_and_op", MPI_ERR_TYPE, "the datatype is not predefined");
    int rc = combine("MPI_Fetch_and_op", &m);
    if (!rc && op == MPI_NO_OP && target_rank != MPI_PROC_NULL)
        mpi_rma_looked(win, target_rank, target_disp, result_addr, t->size);
    return rc;
}
MPI_WEAK_ALIAS(Fetch_and_op);

/* -- compare and swap */

static bool can_compare(const struct mpi_type *t)
{
    const unsigned families = MPI_FAMILY_C_INTEGER | MPI_FAMILY_FORTRAN_INTEGER
                              | MPI_FAMILY_LOGICAL | MPI_FAMILY_ADDRESS | MPI_FAMILY_BYTE
                              | MPI_FAMILY_CHARACTER;
    return is_predefined(t) && (t->family & families) && t->size <= 16;
}

static __attribute__((noinline))
int compare(const void *origin, const void *expected, void *result, MPI_Datatype type, int target,
            MPI_Aint disp, MPI_Win win)
{
    struct mpi_rma_access x = { .call = "MPI_Compare_and_swap" };
    int rc = mpi_rma_enter(&x, win, target, false);
    if (rc)
        return rc;
    if (is_no_buffer(origin) || is_no_buffer(expected) || is_no_buffer(result))
        return mpi_win_err(x.w, x.call, MPI_ERR_BUFFER, "a buffer is NULL or MPI_IN_PLACE");
    const struct mpi_type *t = mpi_type_get(type);
    if (!t || !can_compare(t))
        return mpi_win_err(x.w, x.call, MPI_ERR_TYPE, "%s has no integers, logicals or bytes",
                           mpi_type_label(t));
    if (target == MPI_PROC_NULL)
        return MPI_SUCCESS;
    rc = mpi_rma_find(&x, disp, 1, type);
    if (rc)
        return rc;
    rc = mpi_rma_compare(x.w, target, &x.place, &x.remote, origin, expected, result);
    if (!rc && memcmp(result, expected, t->size) != 0)
        mpi_rma_looked(win, target, disp, result, t->size);
    return mpi_rma_raise(x.call, x.w, rc, target);
}

int PMPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                          MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Win win)
{
    const struct mpi_type *t = mpi_type_get(datatype);
    void *at = elements_of(win, target_rank, target_disp, t, 1);
    if (unlikely(!at || is_no_buffer(origin_addr) || is_no_buffer(compare_addr)
                 || is_no_buffer(result_addr) || !can_compare(t)))
        return compare(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp,
                       win);
    bool done;
    if (unlikely(mpi_rma_exchange_element(mpi_win_get(win), target_rank, at, t->size, origin_addr,
                                          compare_addr, result_addr, &done)))
        return compare(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp,
                       win);
    if (!done)
        mpi_rma_looked(win, target_rank, target_disp, result_addr, t->size);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Compare_and_swap);
