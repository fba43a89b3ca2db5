/* Put and Get, with and without requests. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/rma_access.h"
#include "mpi/weak_alias.h"
#include "rma/ask.h"
#include "rma/transfer.h"

/* A call's arguments, the origin's address apart. */
struct move {
    void *origin;               /* only read by a put */
    MPI_Count count, target_count;
    MPI_Datatype type, target_type;
    int target;
    MPI_Aint disp;
    MPI_Win win;
    bool put, passive;
    MPI_Request *request;       /* of a call that has one; else NULL */
};

/* -- requests of what the NIC goes on with */

struct moving { struct mpi_rma_end end; struct mpi_own own; int class; };

static void ended(struct mpi_rma_end *end, int class)
{
    struct moving *m = (struct moving *)end;
    m->class = class;
    mpi_own_done(&m->own);
}

static int own_end(struct mpi_own *o, enum mpi_own_end how, MPI_Status *status,
                   struct mpi_why *why)
{
    struct moving *m = (struct moving *)((char *)o - offsetof(struct moving, own));
    int class = m->class;
    (void)how, (void)status;
    if (class)
        snprintf(why->text, sizeof why->text, "a transfer with a window failed");
    free(m);
    return class;
}

static void describe(const struct mpi_own *o, const char *of, char *text, size_t size)
{
    (void)o;
    snprintf(text, size, "one-sided transfer(%s)", of);
}

static const struct mpi_own_class class = { .end = own_end, .describe = describe };

/* NULL: no memory. */
static struct moving *moving_new(struct mpi_comm *c, MPI_Request *request)
{
    struct moving *m = calloc(1, sizeof *m);
    struct fw_req *r = NULL;
    if (!m)
        return NULL;
    m->end.ended = ended;
    m->own.class = &class;
    nic_enter(mpi_nic);
    r = mpi_req_new_own(c, &m->own);
    if (r)
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    if (!r)
        free(m);
    return r ? m : NULL;
}

/* -- the long way */

static int start(struct mpi_rma_access *x, const struct move *m, const struct mpi_rma_side *origin)
{
    struct moving *moving = NULL;
    if (m->request && !x->place.at && origin->bytes) {
        moving = moving_new(x->w->comm, m->request);
        if (!moving)
            return mpi_rma_raise(x->call, x->w, MPI_ERR_NO_MEM, x->target);
    }
    int rc = mpi_rma_start(x->w, x->target, &x->place, m->put, origin, &x->remote,
                           moving ? &moving->end : NULL);
    if (rc && moving) {
        nic_enter(mpi_nic);
        ended(&moving->end, rc);
        nic_leave(mpi_nic);
    }
    if (!moving && !rc)
        mpi_rma_over(m->request);
    return moving ? MPI_SUCCESS : mpi_rma_raise(x->call, x->w, rc, x->target);
}

static __attribute__((noinline)) int move(const char *call, const struct move *m)
{
    struct mpi_rma_access x = { .call = call };
    struct mpi_rma_side origin;
    int rc = mpi_rma_enter(&x, m->win, m->target, m->passive);
    if (!rc && m->passive && !m->request)
        rc = mpi_win_err(x.w, call, MPI_ERR_ARG, "the address for the request is NULL");
    if (!rc)
        rc = mpi_check_side(call, x.w, "origin", m->origin, m->count, m->type, &origin);
    if (rc)
        return rc;
    if (m->target == MPI_PROC_NULL)
        return mpi_rma_over(m->request);
    rc = mpi_rma_find(&x, m->disp, m->target_count, m->target_type);
    if (!rc && origin.bytes != x.remote.bytes)
        rc = mpi_win_err(x.w, call, MPI_ERR_TYPE,
                         "the origin has %zu bytes of data, the target %zu", origin.bytes,
                         x.remote.bytes);
    if (rc)
        return rc;
    x.place.at = origin.bytes ? x.place.at : NULL;
    return start(&x, m, &origin);
}

/* -- the short way: data without gaps, of the same type on both sides, and memory that is mapped
 * here, or a target that waits */

/* A number is stored at once. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    if (likely(bytes == 8 && !(((uintptr_t)to | (uintptr_t)from) & 7))) {
        uint64_t word = __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
        __atomic_store_n((uint64_t *)to, word, __ATOMIC_RELAXED);
    } else if (bytes == 4 && !(((uintptr_t)to | (uintptr_t)from) & 3)) {
        uint32_t word = __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED);
        __atomic_store_n((uint32_t *)to, word, __ATOMIC_RELAXED);
    } else {
        memmove(to, from, bytes);
    }
}

/* The target's NIC is asked.  False: the long way. */
static __attribute__((noinline)) bool ask(const struct move *m, struct mpi_win *w, uint64_t at,
                                          uint64_t bytes)
{
    const struct mpi_rma_part *p = &w->part[m->target];
    struct mpi_rma_place place = { .address = p->address };
    if (unlikely(w->flavor == MPI_WIN_FLAVOR_DYNAMIC || !bytes || at > p->bytes
                 || bytes > p->bytes - at || !mpi_rma_may(w, m->target)))
        return false;
    place.address.offset += at;
    if (!mpi_rma_asks(w, m->target, &place, m->put))
        return false;
    return m->put ? mpi_rma_ask_put(w, m->target, &place, m->origin, bytes)
           : mpi_rma_ask_get(w, m->target, &place, m->origin, bytes);
}

static inline __attribute__((always_inline)) bool quick(const struct move *m)
{
    struct mpi_win *w = mpi_win_get(m->win);
    const struct mpi_type *t = mpi_type_get(m->type);
    uint64_t at;
    if (unlikely(mpi_state != MPI_STATE_INIT || !w || !t || !t->contiguous
                 || m->type != m->target_type || m->count != m->target_count
                 || (size_t)m->count > INT32_MAX || !m->origin || m->origin == MPI_IN_PLACE
                 || (unsigned)m->target >= (unsigned)w->comm->size || m->disp < 0))
        return false;
    const struct mpi_rma_part *p = &w->part[m->target];
    uint64_t bytes;
    if (unlikely(__builtin_mul_overflow((uint64_t)m->count, t->size, &bytes)
                 || __builtin_mul_overflow((uint64_t)m->disp, (uint64_t)p->unit, &at)))
        return false;
    if (unlikely(!p->at))
        return bytes <= MPI_RMA_ANSWER_BYTES && ask(m, w, at, bytes);
    if (unlikely(at > p->bytes || bytes > p->bytes - at || !mpi_rma_may(w, m->target)))
        return false;
    if (m->put)
        copy(p->at + at, m->origin, bytes);
    else
        copy(m->origin, p->at + at, bytes);
    return true;
}

#define MOVE(name, ORIGIN, PUT, COUNT) \
    int PMPI_##name(ORIGIN origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, \
                    int target_rank, MPI_Aint target_disp, COUNT target_count, \
                    MPI_Datatype target_datatype, MPI_Win win) \
    { \
        const struct move m = { .origin = (void *)(uintptr_t)origin_addr, .count = origin_count, \
                                .type = origin_datatype, .target = target_rank, \
                                .disp = target_disp, .target_count = target_count, \
                                .target_type = target_datatype, .win = win, .put = PUT }; \
        return likely(quick(&m)) ? MPI_SUCCESS : move("MPI_" #name, &m); \
    } \
    MPI_WEAK_ALIAS(name)
MOVE(Put, const void *, true, int);
MOVE(Put_c, const void *, true, MPI_Count);
MOVE(Get, void *, false, int);
MOVE(Get_c, void *, false, MPI_Count);

#define RMOVE(name, ORIGIN, PUT, COUNT) \
    int PMPI_##name(ORIGIN origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, \
                    int target_rank, MPI_Aint target_disp, COUNT target_count, \
                    MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) \
    { \
        const struct move m = { .origin = (void *)(uintptr_t)origin_addr, .count = origin_count, \
                                .type = origin_datatype, .target = target_rank, \
                                .disp = target_disp, .target_count = target_count, \
                                .target_type = target_datatype, .win = win, .put = PUT, \
                                .passive = true, .request = request }; \
        return move("MPI_" #name, &m); \
    } \
    MPI_WEAK_ALIAS(name)
RMOVE(Rput, const void *, true, int);
RMOVE(Rput_c, const void *, true, MPI_Count);
RMOVE(Rget, void *, false, int);
RMOVE(Rget_c, void *, false, MPI_Count);
