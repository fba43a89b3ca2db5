/* What is attached to dynamic windows. */
#include "rma/attach.h"

#include <pthread.h>
#include <stdlib.h>

#include "nicemu/heap.h"
#include "rma/lost.h"
#include "rma/move.h"
#include "rma/word.h"

/* -- naming memory to peers */

int mpi_rma_expose(void *base, uint64_t bytes, struct nic_address *address, bool *owned)
{
    uint64_t offset = nic_heap_offset(mpi_nic, base);
    const unsigned rank = nic_rank(mpi_nic);
    int rc = 0;
    *address = (struct nic_address){ rank, NIC_KEY_HEAP, offset };
    *owned = false;
    if (!bytes || (offset != NIC_HEAP_NONE && nic_heap_at(mpi_nic, rank, offset, bytes)))
        return 0;
    address->offset = 0;
    nic_enter(mpi_nic);
    rc = nic_register(mpi_nic, base, bytes, NIC_RIGHT_ALL, &address->key);
    nic_leave(mpi_nic);
    *owned = !rc;
    return rc;
}

void mpi_rma_conceal(const struct nic_address *address)
{
    nic_enter(mpi_nic);
    nic_deregister(mpi_nic, address->key);
    nic_leave(mpi_nic);
}

/* -- this rank's own list.  Owner: the host; peers read it */

static struct mpi_rma_slot *slots_of(const struct mpi_win *w, const void *control)
{
    return (struct mpi_rma_slot *)((uintptr_t)control + mpi_rma_slots_at(w->comm->size));
}

static uint64_t slot_bytes(const struct mpi_rma_slot *s)
{
    return __atomic_load_n(&s->bytes, __ATOMIC_ACQUIRE);    /* pairs with publish */
}

/* Peers may have written over it. */
static uint64_t used_slots(const struct mpi_win *w)
{
    uint64_t used = mpi_win_control(w)->slots;
    return used < MPI_RMA_SLOTS ? used : MPI_RMA_SLOTS;
}

/* A free place; NULL: none, or the memory is attached already, in part. */
static struct mpi_rma_slot *free_slot(struct mpi_win *w, uint64_t base, uint64_t bytes)
{
    struct mpi_rma_slot *all = slots_of(w, w->own_control), *found = NULL;
    const uint64_t used = used_slots(w);
    for (uint64_t i = 0; i < used; i++) {
        if (!all[i].bytes)
            found = found ? found : &all[i];
        else if (base < all[i].base + all[i].bytes && all[i].base < base + bytes)
            return NULL;
    }
    return found ? found : used < MPI_RMA_SLOTS ? &all[used] : NULL;
}

static bool in_heap(const struct mpi_rma_slot *s)
{
    return (uint32_t)s->key == NIC_KEY_HEAP;
}

static bool touches(const struct mpi_rma_slot *s, uint64_t *begin, uint64_t *end)
{
    const uint64_t first = s->base, last = s->base + s->bytes;
    if (!s->bytes || (last != *begin && first != *end))
        return false;
    *begin = first < *begin ? first : *begin;
    *end = last > *end ? last : *end;
    return true;
}

/* The piece and all that touches it, and what touches that: a peer may name memory that begins in
 * one and ends in another.  In the heap offsets go on from one to the next by themselves.  Looked
 * through both ways, as pieces that follow each other mostly were attached in one of these orders:
 * then once is enough. */
static void widen(const struct mpi_win *w, uint64_t *begin, uint64_t *end)
{
    const struct mpi_rma_slot *all = slots_of(w, w->own_control);
    const uint64_t used = used_slots(w);
    bool wider = true;
    while (wider) {
        wider = false;
        for (uint64_t i = 0; i < used; i++)
            wider |= touches(&all[i], begin, end);
        for (uint64_t i = used; i--;)
            wider |= touches(&all[i], begin, end);
    }
}

/* Of memory of the program's: move.h. */
static bool is_moved(const struct mpi_rma_slot *s)
{
    return in_heap(s) && nic_heap_offset(mpi_nic, (void *)(uintptr_t)s->base) == NIC_HEAP_NONE;
}

/* All that is attached in [begin, end) is in the heap, each byte as far from its address as one at
 * `base` that lies at `offset`: then what begins in one piece and ends in another is one there,
 * too. */
static bool is_one_with(const struct mpi_win *w, uint64_t begin, uint64_t end, uint64_t base,
                        uint64_t offset)
{
    const struct mpi_rma_slot *all = slots_of(w, w->own_control);
    const uint64_t used = used_slots(w);
    for (uint64_t i = 0; i < used; i++)
        if (all[i].bytes && all[i].base >= begin && all[i].base < end
            && (!in_heap(&all[i]) || all[i].offset - all[i].base != offset - base))
            return false;
    return true;
}

static bool has_registered(const struct mpi_win *w, uint64_t begin, uint64_t end)
{
    const struct mpi_rma_slot *all = slots_of(w, w->own_control);
    const uint64_t used = used_slots(w);
    for (uint64_t i = 0; i < used; i++)
        if (all[i].bytes && all[i].base >= begin && all[i].base < end && !in_heap(&all[i]))
            return true;
    return false;
}

/* Not where it touches memory that is registered: then one key has to reach over all. */
static bool move(const struct mpi_win *w, void *base, uint64_t bytes, uint64_t begin, uint64_t end,
                 uint64_t *offset)
{
    if (w->comm->size < 2 || w->own_control_address.key != NIC_KEY_HEAP
        || has_registered(w, begin, end) || !mpi_rma_move(base, bytes, offset))
        return false;
    if (is_one_with(w, begin, end, (uintptr_t)base, *offset))
        return true;
    mpi_rma_move_back(base, bytes);
    return false;
}

/* Names a piece, [begin, end) with all that it touches. */
static int name(const struct mpi_win *w, void *base, uint64_t bytes, struct mpi_rma_slot *s)
{
    struct nic_address address;
    bool owned;
    uint64_t begin = (uintptr_t)base, end = begin + bytes, offset;
    if (nic_heap_offset(mpi_nic, base) == NIC_HEAP_NONE) {
        widen(w, &begin, &end);
        if (move(w, base, bytes, begin, end, &offset)) {
            *s = (struct mpi_rma_slot){ (uintptr_t)base, bytes, NIC_KEY_HEAP, offset };
            return 0;
        }
    }
    int rc = mpi_rma_expose((void *)(uintptr_t)begin, end - begin, &address, &owned);
    *s = (struct mpi_rma_slot){ (uintptr_t)base, bytes, address.key,
                                address.offset + ((uintptr_t)base - begin) };
    return rc;
}

/* The size last, so that who sees it sees the rest. */
static void publish(struct mpi_win *w, struct mpi_rma_slot *s, const struct mpi_rma_slot *value)
{
    struct mpi_rma_control *c = mpi_win_control(w);
    uint64_t index = (uint64_t)(s - slots_of(w, c));
    __atomic_store_n(&s->base, value->base, __ATOMIC_RELAXED);
    __atomic_store_n(&s->key, value->key, __ATOMIC_RELAXED);
    __atomic_store_n(&s->offset, value->offset, __ATOMIC_RELAXED);
    __atomic_store_n(&s->bytes, value->bytes, __ATOMIC_RELEASE);
    if (index == c->slots)
        __atomic_store_n(&c->slots, index + 1, __ATOMIC_RELEASE);
}

/* Threads attach and detach at once; taken in front of the baton. */
static pthread_mutex_t attaching = PTHREAD_MUTEX_INITIALIZER;

static int attach(struct mpi_win *w, void *base, uint64_t bytes)
{
    struct mpi_rma_slot *s = free_slot(w, (uintptr_t)base, bytes), value;
    if (!s || name(w, base, bytes, &value))
        return MPI_ERR_RMA_ATTACH;
    const uint64_t order = ++w->attached;
    value.key |= order << MPI_RMA_ORDER_SHIFT;
    publish(w, s, &value);
    return MPI_SUCCESS;
}

/* A piece without bytes is none that anybody reaches: it is there to be detached. */
struct mpi_rma_nothing { struct mpi_rma_nothing *next; const void *base; };

static int attach_nothing(struct mpi_win *w, const void *base)
{
    struct mpi_rma_nothing *made = malloc(sizeof *made);
    if (!made)
        return MPI_ERR_RMA_ATTACH;
    *made = (struct mpi_rma_nothing){ w->nothing, base };
    w->nothing = made;
    return MPI_SUCCESS;
}

static bool detach_nothing(struct mpi_win *w, const void *base)
{
    struct mpi_rma_nothing **link = &w->nothing, *found;
    while ((found = *link) && found->base != base)
        link = &found->next;
    if (!found)
        return false;
    *link = found->next;
    free(found);
    return true;
}

int mpi_rma_attach(struct mpi_win *w, void *base, uint64_t bytes)
{
    pthread_mutex_lock(&attaching);         /* until the end of this function */
    int rc = bytes ? attach(w, base, bytes) : attach_nothing(w, base);
    pthread_mutex_unlock(&attaching);
    return rc;
}

static void take_back(struct mpi_rma_slot *s)
{
    const struct mpi_rma_slot was = *s;
    struct nic_address address = { nic_rank(mpi_nic), (uint32_t)s->key, s->offset };
    __atomic_store_n(&s->bytes, 0, __ATOMIC_RELEASE);
    if (address.key >= NIC_KEY_FIRST)
        mpi_rma_conceal(&address);
    else if (is_moved(&was))
        mpi_rma_move_back((void *)(uintptr_t)was.base, was.bytes);
}

static bool detach(struct mpi_win *w, const void *base)
{
    struct mpi_rma_slot *all = slots_of(w, w->own_control);
    const uint64_t used = used_slots(w);
    for (uint64_t i = 0; i < used; i++)
        if (all[i].bytes && all[i].base == (uintptr_t)base) {
            take_back(&all[i]);
            return true;
        }
    return false;
}

bool mpi_rma_detach(struct mpi_win *w, const void *base)
{
    pthread_mutex_lock(&attaching);         /* until the end of this function */
    bool found = detach(w, base) || detach_nothing(w, base);
    pthread_mutex_unlock(&attaching);
    return found;
}

void mpi_rma_detach_all(struct mpi_win *w)
{
    struct mpi_rma_slot *all = slots_of(w, w->own_control);
    const uint64_t used = used_slots(w);
    for (uint64_t i = 0; i < used; i++)
        if (all[i].bytes)
            take_back(&all[i]);
    while (w->nothing)
        detach_nothing(w, w->nothing->base);
}

/* -- a target's list */

/* A place that changes meanwhile is none of what the program may name: it counts as free. */
static bool read_slot(const struct mpi_rma_slot *s, struct mpi_rma_slot *copy)
{
    copy->bytes = slot_bytes(s);
    copy->base = __atomic_load_n(&s->base, __ATOMIC_RELAXED);
    copy->key = __atomic_load_n(&s->key, __ATOMIC_RELAXED);
    copy->offset = __atomic_load_n(&s->offset, __ATOMIC_RELAXED);
    return copy->bytes && slot_bytes(s) == copy->bytes
           && __atomic_load_n(&s->base, __ATOMIC_RELAXED) == copy->base;
}

static bool find_one(const struct mpi_rma_slot *all, uint64_t used, uint64_t begin, uint64_t end,
                     struct mpi_rma_slot *found)
{
    for (uint64_t i = 0; i < used; i++)
        if (read_slot(&all[i], found) && begin >= found->base
            && end <= found->base + found->bytes && begin <= end)
            return true;
    return false;
}

static bool is_later(const struct mpi_rma_slot *a, const struct mpi_rma_slot *b)
{
    return (int32_t)((a->key >> MPI_RMA_ORDER_SHIFT) - (b->key >> MPI_RMA_ORDER_SHIFT)) > 0;
}

/* Of two pieces of a row the one that names it: the latest that is registered, whose key reaches
 * over all; or where all are in the heap any, as they are one there.  False: they are not. */
static bool names_row(const struct mpi_rma_slot *next, struct mpi_rma_slot *found, bool *mixed)
{
    *mixed |= in_heap(next) != in_heap(found);
    if (in_heap(next) && in_heap(found))
        return next->offset - next->base == found->offset - found->base;
    if (!in_heap(next) && (in_heap(found) || is_later(next, found)))
        *found = *next;
    return true;
}

/* Pieces that follow each other without a gap. */
static bool find_row(const struct mpi_rma_slot *all, uint64_t used, uint64_t begin, uint64_t end,
                     struct mpi_rma_slot *found, bool *mixed)
{
    struct mpi_rma_slot next;
    if (begin >= end || !find_one(all, used, begin, begin + 1, found))
        return false;
    uint64_t at = found->base + found->bytes;
    for (; at < end; at = next.base + next.bytes)
        if (!find_one(all, used, at, at + 1, &next) || !names_row(&next, found, mixed))
            return false;
    return true;
}

static bool find_in(const struct mpi_rma_slot *all, uint64_t used, uint64_t begin, uint64_t end,
                    struct mpi_rma_slot *found, bool *mixed)
{
    *mixed = false;
    return find_one(all, used, begin, end, found) || find_row(all, used, begin, end, found, mixed);
}

static bool find_mapped(const struct mpi_win *w, const struct mpi_rma_control *c, uint64_t begin,
                        uint64_t end, struct mpi_rma_slot *found, bool *mixed)
{
    const uint64_t used = __atomic_load_n(&c->slots, __ATOMIC_ACQUIRE);
    return find_in(slots_of(w, c), used < MPI_RMA_SLOTS ? used : MPI_RMA_SLOTS, begin, end, found,
                   mixed);
}

/* The target's NIC is asked for as much of the list as was ever used. */
static bool find_asking(struct mpi_win *w, int target, uint64_t begin, uint64_t end,
                        struct mpi_rma_slot *found, bool *mixed)
{
    struct nic_address list = w->part[target].control_address;
    uint64_t used;
    if (mpi_rma_word_read(w, target, offsetof(struct mpi_rma_control, slots), &used)
        || !used || used > MPI_RMA_SLOTS)
        return false;
    struct mpi_rma_slot *all = calloc(used, sizeof *all);
    struct nic_outcome outcome = { .done = NULL };
    list.offset += mpi_rma_slots_at(w->comm->size);
    struct nic_transfer t = nic_transfer_of(all, list, used * sizeof *all);
    bool good = all != NULL;
    nic_enter(mpi_nic);
    good = good && !nic_get(mpi_nic, &t, &outcome) && !mpi_rma_outcome_wait(w, &outcome);
    nic_leave(mpi_nic);
    good = good && find_in(all, used, begin, end, found, mixed);
    free(all);
    return good;
}

int mpi_rma_find_attached(struct mpi_win *w, int target, uint64_t begin, uint64_t end,
                          struct mpi_rma_place *place)
{
    const struct mpi_rma_control *c = w->part[target].control;
    const bool own = target == w->comm->rank && !mpi_modelled;
    struct mpi_rma_slot s;
    bool mixed = false;
    bool found = c || own ? find_mapped(w, own ? w->own_control : c, begin, end, &s, &mixed)
                 : find_asking(w, target, begin, end, &s, &mixed);
    if (!found)
        return MPI_ERR_RMA_RANGE;
    place->address = (struct nic_address){ mpi_win_world(w, target), (uint32_t)s.key,
                                           s.offset + (begin - s.base) };
    place->at = NULL;
    place->atomic = w->local && in_heap(&s);
    place->across = mixed ? begin : 0;
    if (own)
        place->at = (char *)(uintptr_t)begin;
    else if (place->atomic)
        place->at = nic_heap_at(mpi_nic, place->address.rank, place->address.offset, end - begin);
    return MPI_SUCCESS;
}
