/* The life of a window at one rank. */
#include "rma/make.h"

#include <stdlib.h>
#include <string.h>

#include "core/errhandler.h"
#include "core/info.h"
#include "core/mem.h"
#include "nicemu/heap.h"
#include "nicemu/threads.h"
#include "rma/ask.h"
#include "rma/attach.h"
#include "rma/move.h"
#include "rma/serve.h"

/* -- making */

static size_t control_bytes(int ranks, bool dynamic)
{
    return mpi_rma_slots_at(ranks)
           + (dynamic ? MPI_RMA_SLOTS * sizeof(struct mpi_rma_slot) : 0);
}

/* Only the words at the front and the nodes have to begin as zeros: of the rest of a large heap
 * block, which nobody has touched, no page is taken. */
static bool control_new(struct mpi_win *w, struct mpi_rma_card *card)
{
    const size_t bytes = control_bytes(w->comm->size, w->flavor == MPI_WIN_FLAVOR_DYNAMIC);
    w->own_control = mpi_mem_new(bytes, sizeof(struct mpi_rma_node), MPI_MEM_HEAP);
    if (!w->own_control)
        return false;
    memset(w->own_control, 0, mpi_rma_answers_at(w->comm->size, 0));
    mpi_win_control(w)->lightly = !mpi_threaded && nic_fences_lightly(mpi_nic);
    bool exposed = !mpi_rma_expose(w->own_control, bytes, &card->control, &w->owns_control_key);
    w->own_control_address = card->control;
    return exposed;
}

struct mpi_win *mpi_rma_new(struct mpi_comm *c, int flavor, struct mpi_rma_card *card)
{
    struct mpi_win *w = calloc(1, sizeof *w + (size_t)c->size * sizeof w->part[0]);
    if (!w)
        return NULL;
    mpi_fw_host_sends(mpi_fw);      /* before all agree on the window */
    w->comm = c;
    w->flavor = flavor;
    w->model = MPI_WIN_UNIFIED;
    w->errhandler = MPI_ERRORS_ARE_FATAL;
    w->info = mpi_info_new();
    w->handle = (MPI_Win)mpi_handle_new(MPI_KIND_WIN, w);
    w->way = (uint8_t)mpi_rma_way_wished();
    card->name = (uintptr_t)w->handle;
    if (w->handle && w->info != MPI_INFO_NULL && control_new(w, card))
        return w;
    mpi_rma_delete(w);
    return NULL;
}

/* Memory of the program's that all ranks of the window will reach, if it can be moved. */
static bool move(struct mpi_win *w, void *base, size_t bytes, struct mpi_rma_card *card)
{
    uint64_t offset;
    w->moved = !w->owns_memory && w->comm->size > 1 && card->control.key == NIC_KEY_HEAP
               && nic_heap_offset(mpi_nic, base) == NIC_HEAP_NONE
               && mpi_rma_move(base, bytes, &offset);
    if (w->moved)
        card->address = (struct nic_address){ nic_rank(mpi_nic), NIC_KEY_HEAP, offset };
    return w->moved;
}

bool mpi_rma_memory(struct mpi_win *w, void *base, size_t bytes, struct mpi_rma_card *card)
{
    w->base = base;
    w->size = (MPI_Aint)bytes;
    card->bytes = bytes;
    bool exposed = move(w, base, bytes, card)
                   || !mpi_rma_expose(base, bytes, &card->address, &w->owns_key);
    w->own_address = card->address;
    return exposed;
}

static bool in_heap(const void *at) { return nic_heap_offset(mpi_nic, at) != NIC_HEAP_NONE; }

/* Of the heap alone; NULL: there is no room.  The alignment is given up first. */
static void *heap_new(size_t bytes, size_t align)
{
    void *base = mpi_mem_new(bytes, align, MPI_MEM_HEAP);
    if (!base || in_heap(base))
        return base;
    mpi_mem_free(base);
    return align > NIC_HEAP_ALIGN ? heap_new(bytes, NIC_HEAP_ALIGN) : NULL;
}

bool mpi_rma_own_memory(struct mpi_win *w, size_t bytes, size_t align, bool shared,
                        struct mpi_rma_card *card)
{
    void *base = shared && bytes ? heap_new(bytes, align) : mpi_mem_new(bytes, align, MPI_MEM_HEAP);
    w->owns_memory = base != NULL;
    return base && mpi_rma_memory(w, base, bytes, card);
}

bool mpi_rma_shared_block(struct mpi_win *w, size_t bytes, size_t align,
                          struct mpi_rma_card *card)
{
    bool owned;
    w->shared_block = heap_new(bytes, align);
    return w->shared_block
           && !mpi_rma_expose(w->shared_block, bytes, &card->address, &owned);
}

/* -- its parts, once all ranks' cards are known */

static void part_settle(struct mpi_win *w, int rank, const struct mpi_rma_card *card)
{
    struct mpi_rma_part *p = &w->part[rank];
    const unsigned world = mpi_win_world(w, rank);
    *p = (struct mpi_rma_part){ .address = card->address, .bytes = card->bytes,
                                .unit = card->unit, .name = card->name, .world = world,
                                .control_address = card->control };
    if (w->local) {
        p->control = nic_heap_at(mpi_nic, world, card->control.offset, sizeof *p->control);
        w->fences |= p->control->lightly;
    }
    if (w->local && card->address.key == NIC_KEY_HEAP && card->bytes) {
        p->at = nic_heap_at(mpi_nic, card->address.rank, card->address.offset, card->bytes);
        p->atomic = p->at != NULL;
    }
}

/* Whether that rank's words are mapped here, and it says the same of others.  Of the ranks of one
 * machine all see all; if there is another machine's, each of them sees one that it has not. */
static bool is_local(const struct mpi_win *w, int rank, const struct mpi_rma_card *card)
{
    return card->reaches && card->control.key == NIC_KEY_HEAP
           && nic_heap_at(mpi_nic, mpi_win_world(w, rank), card->control.offset,
                          sizeof(struct mpi_rma_control));
}

void mpi_rma_settle(struct mpi_win *w, const struct mpi_rma_card *cards)
{
    const struct mpi_comm *c = w->comm;
    w->local = true;
    for (int i = 0; i < c->size; i++)
        w->local &= is_local(w, i, &cards[i]);
    for (int i = 0; i < c->size; i++)
        part_settle(w, i, &cards[i]);
    if (!mpi_modelled && w->flavor != MPI_WIN_FLAVOR_DYNAMIC && w->size
        && (!mpi_win_own(w)->at || w->moved))
        mpi_win_own(w)->at = w->base;
    w->unit_int = (int)mpi_win_own(w)->unit;
    if (w->local)
        mpi_rma_serve_begin(w);
}

/* -- the end */

static void memory_end(struct mpi_win *w)
{
    if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC && w->own_control)
        mpi_rma_detach_all(w);
    if (w->owns_key)
        mpi_rma_conceal(&w->own_address);
    if (w->moved)
        mpi_rma_move_back(w->base, (size_t)w->size);
    if (w->owns_memory)
        mpi_mem_free(w->base);
    if (w->shared_block)
        mpi_mem_free(w->shared_block);
    if (w->owns_control_key)
        mpi_rma_conceal(&w->own_control_address);
    if (w->own_control)
        mpi_mem_free(w->own_control);
}

void mpi_rma_delete(struct mpi_win *w)
{
    memory_end(w);
    mpi_errhandler_drop(w->errhandler);
    if (w->info != MPI_INFO_NULL)
        mpi_info_free(w->info);
    mpi_handle_free((uintptr_t)w->handle);
    while (w->unanswered) {
        struct mpi_rma_asked *q = w->unanswered;
        w->unanswered = q->next;
        free(q);
    }
    free(w->started);
    free(w);
}
