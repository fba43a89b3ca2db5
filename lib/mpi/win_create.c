/* Windows made and freed. */
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "core/errhandler.h"
#include "core/info.h"
#include "core/topo.h"
#include "mpi/args.h"
#include "mpi/attribute.h"
#include "mpi/comm_info.h"
#include "mpi/comm_make.h"
#include "mpi/mem.h"
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"
#include "mpi/win_info.h"
#include "mpi/win_make.h"
#include "mpi/win_sync.h"
#include "nicemu/heap.h"
#include "rma/epoch.h"
#include "rma/make.h"
#include "rma/move.h"
#include "rma/transfer.h"

#define SIZE_LIMIT ((MPI_Aint)1 << 47)      /* no address space is larger: nobody need be asked */

/* A call that makes a window. */
struct making {
    struct mpi_comm_origin from;
    int flavor;
    void *base;                 /* MPI_Win_create */
    MPI_Aint size, unit;
    MPI_Info info;
    struct mpi_comm *c;         /* the program's */
    struct mpi_comm *own;
    struct mpi_win *w;          /* NULL: no memory for it */
    struct mpi_rma_card card, *cards;
};

/* What the ranks' messages say of the call, so that ranks that make windows of different kinds find
 * it out. */
static enum mpi_maker maker_of(const struct making *m)
{
    switch (m->flavor) {
    case MPI_WIN_FLAVOR_ALLOCATE:
        return MPI_MADE_WIN_ALLOCATE;
    case MPI_WIN_FLAVOR_SHARED:
        return MPI_MADE_WIN_SHARED;
    case MPI_WIN_FLAVOR_DYNAMIC:
        return MPI_MADE_WIN_DYNAMIC;
    default:
        return m->from.maker;
    }
}

/* -- arguments */

static int check(struct making *m, MPI_Comm comm, const void *baseptr, MPI_Win *win)
{
    const char *call = m->from.call;
    MPI_ENTER(call);
    int rc = mpi_check_intra(call, comm, &m->c);
    if (!rc)
        rc = mpi_check_info(call, m->c, m->info);
    if (rc)
        return rc;
    if (!win || !baseptr)
        return mpi_err(m->c, call, MPI_ERR_ARG, "the address for a result is NULL");
    if (m->size < 0 || m->size >= SIZE_LIMIT)
        return mpi_err(m->c, call, MPI_ERR_SIZE, "the size is %lld", (long long)m->size);
    if (m->unit <= 0)
        return mpi_err(m->c, call, MPI_ERR_DISP, "the displacement unit is %lld",
                       (long long)m->unit);
    if (m->flavor == MPI_WIN_FLAVOR_CREATE && m->size && !m->base)
        return mpi_err(m->c, call, MPI_ERR_BASE, "the base is NULL and the size %lld",
                       (long long)m->size);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* -- the communicator of the window */

static int make_comm(struct making *m)
{
    struct mpi_comm_ranks ranks;
    struct mpi_agreed a;
    MPI_Comm made;
    struct mpi_comm_origin call = m->from;
    call.maker = maker_of(m);
    int rc = mpi_comm_agree(m->c, &call, &a);
    if (rc)
        return rc;
    if (!mpi_comm_same_ranks(m->c, &ranks))
        return mpi_comm_make_failed(m->c, &m->from, &a);
    mpi_topo_drop(ranks.topo);
    ranks.topo = NULL;
    rc = mpi_comm_make(m->c, &m->from, &a, &ranks, &made);
    if (rc)
        return rc;
    m->own = mpi_comm_get(made);
    mpi_errhandler_set(&m->own->errhandler, MPI_ERRORS_RETURN, MPI_ERRHANDLER_OF_COMMS);
    return MPI_SUCCESS;
}

/* -- the ranks tell each other of their parts */

static int exchange(struct making *m)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, m->from.call, m->own);
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, (int)maker_of(m));
    m->cards[m->own->rank] = m->card;
    mpi_coll_allgather(&x, &(struct mpi_blocks){ .buf = m->cards, .count = 1,
                                                 .unit = sizeof m->card });
    return mpi_coll_end(&x);
}

static bool all_good(const struct making *m)
{
    for (int i = 0; i < m->own->size; i++)
        if (m->cards[i].good != MPI_RMA_GOOD)
            return false;
    return true;
}

static bool any_unshared(const struct making *m)
{
    for (int i = 0; i < m->own->size; i++)
        if (m->cards[i].good == MPI_RMA_UNSHARED)
            return true;
    return false;
}

/* -- memory */

static uint64_t before_rank(const struct making *m, int rank)
{
    uint64_t bytes = 0;
    for (int i = 0; i < rank; i++)
        bytes += m->cards[i].bytes;
    return bytes;
}

/* Side by side: all of it is in the heap of the window's first rank, and each part where those
 * before it end.  This rank's own mapping of that heap is its memory. */
static void place_shared(struct making *m)
{
    const struct nic_address block = m->cards[0].address;
    uint64_t at = 0;
    for (int i = 0; i < m->own->size; i++) {
        m->cards[i].address = block;
        m->cards[i].address.offset += at;
        at += m->cards[i].bytes;
    }
    const struct mpi_rma_card *own = &m->cards[m->own->rank];
    m->w->size = (MPI_Aint)own->bytes;
    m->w->base = nic_heap_at(mpi_nic, block.rank, own->address.offset, own->bytes);
}

/* The first exchange has told how much it is; the second where, and the third whether all ranks see
 * their memory, so that all come to the same verdict. */
static int make_side_by_side(struct making *m)
{
    if (m->own->rank == 0)
        m->card.good = mpi_rma_shared_block(m->w, before_rank(m, m->own->size),
                                            mpi_mem_align(m->info), &m->card);
    int rc = exchange(m);
    if (rc || !all_good(m))
        return rc;
    place_shared(m);
    m->card = m->cards[m->own->rank];
    m->card.good = !m->size || m->w->base ? MPI_RMA_GOOD : MPI_RMA_UNSHARED;
    return exchange(m);
}

static bool all_spread(const struct making *m)
{
    for (int i = 0; i < m->own->size; i++)
        if (!m->cards[i].spread)
            return false;
    return true;
}

/* Side by side unless all ranks have said that it need not be. */
static int make_shared(struct making *m)
{
    m->card.good = !m->w ? MPI_RMA_NO_MEMORY
                   : nic_heap_size(mpi_nic) ? MPI_RMA_GOOD : MPI_RMA_UNSHARED;
    m->card.bytes = (uint64_t)m->size;
    m->card.spread = mpi_win_hint_said(m->info, "alloc_shared_noncontig");
    int rc = exchange(m);
    if (rc || !all_good(m))
        return rc;
    if (!all_spread(m))
        return make_side_by_side(m);
    m->card.good = mpi_rma_own_memory(m->w, (size_t)m->size, mpi_mem_align(m->info), true,
                                      &m->card);
    return exchange(m);
}

static bool own_memory(struct making *m)
{
    const size_t bytes = (size_t)m->size;
    switch (m->flavor) {
    case MPI_WIN_BARE:
        return true;
    case MPI_WIN_FLAVOR_CREATE:
        return mpi_rma_memory(m->w, m->base, bytes, &m->card);
    case MPI_WIN_FLAVOR_DYNAMIC:
        return true;            /* MPI_BOTTOM, of which parts come by and by */
    default:
        return mpi_rma_own_memory(m->w, bytes, mpi_mem_align(m->info), false, &m->card);
    }
}

static int make_memory(struct making *m)
{
    if (m->flavor == MPI_WIN_FLAVOR_SHARED)
        return make_shared(m);
    m->card.good = m->w && own_memory(m);
    return exchange(m);
}

/* -- all of it */

static void undo(struct making *m)
{
    if (m->w)
        mpi_rma_delete(m->w);
    mpi_comm_release(m->own);
    free(m->cards);
}

static bool same_home(const struct making *m)
{
    for (int i = 0; i < m->own->size; i++)
        if (m->cards[i].unit != m->unit)
            return false;
    return true;
}

static int no_memory(const struct making *m, uint64_t bytes)
{
    if (m->flavor != MPI_WIN_FLAVOR_SHARED)
        return mpi_err(m->c, m->from.call, MPI_ERR_NO_MEM, "no memory at one of the ranks");
    return mpi_err(m->c, m->from.call, MPI_ERR_NO_MEM,
                   "one rank's heap, %zu bytes, has no room for %llu bytes side by side: "
                   "mpirun --heap makes it larger",
                   nic_heap_size(mpi_nic), (unsigned long long)bytes);
}

static int finish(struct making *m, MPI_Win *win)
{
    const char *call = m->from.call;
    if (m->flavor == MPI_WIN_BARE && !same_home(m)) {
        undo(m);
        return mpi_err(m->c, call, MPI_ERR_ARG, "the ranks disagree on the home");
    }
    if (!all_good(m)) {
        const bool unshared = any_unshared(m);
        const uint64_t bytes = before_rank(m, m->own->size);
        undo(m);
        return unshared ? mpi_err(m->c, call, MPI_ERR_RMA_SHARED,
                                  "the ranks have no memory that all of them see")
                        : no_memory(m, bytes);
    }
    mpi_rma_settle(m->w, m->cards);
    mpi_win_take_hints(m->w, m->info);
    free(m->cards);
    *win = m->w->handle;
    return MPI_SUCCESS;
}

static int make(struct making *m, MPI_Comm comm, const void *baseptr, MPI_Win *win)
{
    int rc = check(m, comm, baseptr, win);
    if (!rc)
        rc = make_comm(m);
    if (rc)
        return rc;
    m->w = mpi_rma_new(m->own, m->flavor, &m->card);
    m->card.unit = m->unit;
    m->card.reaches = mpi_rma_reaches();
    m->cards = calloc((size_t)m->own->size, sizeof *m->cards);
    if (!m->cards) {
        undo(m);                /* the others wait for this rank: without memory it can't go on */
        return mpi_err(m->c, m->from.call, MPI_ERR_NO_MEM, "no memory for a window");
    }
    rc = make_memory(m);
    if (!rc)
        return finish(m, win);
    undo(m);
    return mpi_err(m->c, m->from.call, rc, "the ranks disagree on the window");
}

#define ORIGIN(name) \
    { .call = "MPI_" #name, .maker = MPI_MADE_WIN, .caller = __builtin_return_address(0) }

#define WIN_CREATE(name, UNIT) \
    int PMPI_##name(void *base, MPI_Aint size, UNIT disp_unit, MPI_Info info, MPI_Comm comm, \
                    MPI_Win *win) \
    { \
        struct making m = { .from = ORIGIN(name), .flavor = MPI_WIN_FLAVOR_CREATE, .base = base, \
                            .size = size, .unit = disp_unit, .info = info }; \
        return make(&m, comm, win, win); \
    } \
    MPI_WEAK_ALIAS(name)
WIN_CREATE(Win_create, int);
WIN_CREATE(Win_create_c, MPI_Aint);

/* The memory is the window's. */
static int allocate(struct making *m, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    int rc = make(m, comm, baseptr, win);
    if (!rc)
        memcpy(baseptr, &m->w->base, sizeof m->w->base);
    return rc;
}

#define WIN_ALLOCATE(name, FLAVOR, UNIT) \
    int PMPI_##name(MPI_Aint size, UNIT disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, \
                    MPI_Win *win) \
    { \
        struct making m = { .from = ORIGIN(name), .flavor = MPI_WIN_FLAVOR_##FLAVOR, \
                            .size = size, .unit = disp_unit, .info = info }; \
        return allocate(&m, comm, baseptr, win); \
    } \
    MPI_WEAK_ALIAS(name)
WIN_ALLOCATE(Win_allocate, ALLOCATE, int);
WIN_ALLOCATE(Win_allocate_c, ALLOCATE, MPI_Aint);
WIN_ALLOCATE(Win_allocate_shared, SHARED, int);
WIN_ALLOCATE(Win_allocate_shared_c, SHARED, MPI_Aint);

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct making m = { .from = ORIGIN(Win_create_dynamic), .flavor = MPI_WIN_FLAVOR_DYNAMIC,
                        .unit = 1, .info = info };
    return make(&m, comm, win, win);
}
MPI_WEAK_ALIAS(Win_create_dynamic);

int mpi_win_make_bare(const struct mpi_comm_origin *from, MPI_Comm comm, int home,
                      struct mpi_win **w)
{
    MPI_Win win;
    struct making m = { .from = *from, .flavor = MPI_WIN_BARE, .unit = home + 1,
                        .info = MPI_INFO_NULL };
    int rc = make(&m, comm, &win, &win);
    *w = m.w;
    return rc;
}

/* -- the end */

int PMPI_Win_free(MPI_Win *win)
{
    const char *call = "MPI_Win_free";
    struct mpi_attribute_error error;
    struct mpi_win *w;
    MPI_ENTER(call);
    if (!win)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the window is NULL");
    int rc = mpi_check_win(call, *win, &w);
    if (rc)
        return rc;
    if (mpi_rma_locks(w) || w->all_locked || w->started || w->exposure)
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "an epoch of the window is open");
    if (!mpi_attributes_clear(&w->attributes, (uintptr_t)w->handle, &error))
        return mpi_win_attribute_raise(w, call, &error);
    const struct mpi_rma_flushed f = mpi_rma_flush(w, -1, call);
    rc = mpi_win_barrier(call, w);
    if (!rc)
        rc = mpi_rma_raise(call, w, f.class, f.target);
    struct mpi_comm *own = w->comm;
    mpi_rma_delete(w);
    mpi_comm_release(own);
    *win = MPI_WIN_NULL;
    return rc;
}
MPI_WEAK_ALIAS(Win_free);
