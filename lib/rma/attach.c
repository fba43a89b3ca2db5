/* What is attached to dynamic windows. */
#include "rma/attach.h"

#include <pthread.h>
#include <stdlib.h>

#include "nicemu/heap.h"
#include "rma/lost.h"
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
    struct nic_address address;
    bool owned;
    struct mpi_rma_slot *s = free_slot(w, (uintptr_t)base, bytes);
    if (!s || mpi_rma_expose(base, bytes, &address, &owned))
        return MPI_ERR_RMA_ATTACH;
    publish(w, s, &(struct mpi_rma_slot){ (uintptr_t)base, bytes, address.key, address.offset });
    return MPI_SUCCESS;
}

int mpi_rma_attach(struct mpi_win *w, void *base, uint64_t bytes)
{
    if (!bytes)
        return MPI_SUCCESS;
    pthread_mutex_lock(&attaching);         /* until the end of this function */
    int rc = attach(w, base, bytes);
    pthread_mutex_unlock(&attaching);
    return rc;
}

static void take_back(struct mpi_rma_slot *s)
{
    struct nic_address address = { nic_rank(mpi_nic), (uint32_t)s->key, s->offset };
    __atomic_store_n(&s->bytes, 0, __ATOMIC_RELEASE);
    if (address.key >= NIC_KEY_FIRST)
        mpi_rma_conceal(&address);
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
    bool found = detach(w, base);
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
}

/* -- a target's list */

static void read_slot(const struct mpi_rma_slot *s, struct mpi_rma_slot *copy)
{
    copy->bytes = slot_bytes(s);
    copy->base = __atomic_load_n(&s->base, __ATOMIC_RELAXED);
    copy->key = __atomic_load_n(&s->key, __ATOMIC_RELAXED);
    copy->offset = __atomic_load_n(&s->offset, __ATOMIC_RELAXED);
}

static bool covers(const struct mpi_rma_slot *s, uint64_t begin, uint64_t end)
{
    return s->bytes && begin >= s->base && end <= s->base + s->bytes && begin <= end;
}

/* A place that changes meanwhile is none of what the program may name: others are looked at. */
static bool find_mapped(const struct mpi_win *w, const struct mpi_rma_control *c, uint64_t begin,
                        uint64_t end, struct mpi_rma_slot *found)
{
    const struct mpi_rma_slot *all = slots_of(w, c);
    const uint64_t used = __atomic_load_n(&c->slots, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < used && i < MPI_RMA_SLOTS; i++) {
        read_slot(&all[i], found);
        if (covers(found, begin, end) && slot_bytes(&all[i]) == found->bytes
            && __atomic_load_n(&all[i].base, __ATOMIC_RELAXED) == found->base)
            return true;
    }
    return false;
}

/* The target's NIC is asked for as much of the list as was ever used. */
static bool find_asking(struct mpi_win *w, int target, uint64_t begin, uint64_t end,
                        struct mpi_rma_slot *found)
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
    uint64_t i = 0;
    while (good && i < used && !covers(&all[i], begin, end))
        i++;
    good = good && i < used;
    if (good)
        *found = all[i];
    free(all);
    return good;
}

int mpi_rma_find_attached(struct mpi_win *w, int target, uint64_t begin, uint64_t end,
                          struct mpi_rma_place *place)
{
    const struct mpi_rma_control *c = w->part[target].control;
    const bool own = target == w->comm->rank && !mpi_modelled;
    struct mpi_rma_slot s;
    bool found = c || own ? find_mapped(w, own ? w->own_control : c, begin, end, &s)
                 : find_asking(w, target, begin, end, &s);
    if (!found)
        return MPI_ERR_RMA_RANGE;
    place->address = (struct nic_address){ mpi_win_world(w, target), (uint32_t)s.key,
                                           s.offset + (begin - s.base) };
    place->at = NULL;
    place->atomic = w->local && s.key == NIC_KEY_HEAP;
    if (own)
        place->at = (char *)(uintptr_t)begin;
    else if (place->atomic)
        place->at = nic_heap_at(mpi_nic, place->address.rank, place->address.offset, end - begin);
    return MPI_SUCCESS;
}
