/* The table of handles: per kind an array of slots that grows by chunks, and a
 * list of free slots.  A slot that is freed raises its generation, so that a
 * copy of the old handle no longer fits. */
#include <pthread.h>
#include <stdlib.h>
#include "core/handle.h"

enum { SLOTS = MPI_SLOTS_PER_CHUNK * MPI_SLOT_CHUNKS, NO_SLOT = 0 };

/* Handles as integers. */
enum {
    INT_INDEX_BITS = 20, INT_GENERATION_BITS = 7,
    INT_KIND_SHIFT = INT_INDEX_BITS + INT_GENERATION_BITS,
};
_Static_assert(sizeof(uintptr_t) == 8, "a generation and an index fit into a handle");
_Static_assert(SLOTS <= 1 << INT_INDEX_BITS, "every index has its integer");
_Static_assert((uint64_t)MPI_KINDS << INT_KIND_SHIFT <= INT32_MAX, "every kind has its integer");

struct mpi_slot *_Atomic mpi_slots[MPI_KINDS][MPI_SLOT_CHUNKS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t used[MPI_KINDS];        /* slots ever handed out; under lock */
static uint32_t first_free[MPI_KINDS];  /* index + 1 or NO_SLOT; under lock, as is `next_free` */

static struct mpi_slot *slot_at(enum mpi_kind kind, uint32_t index)
{
    struct mpi_slot *_Atomic *place = &mpi_slots[kind][index / MPI_SLOTS_PER_CHUNK];
    /* acquire: the chunk's zeroes, which slot_fresh wrote before it released the pointer */
    struct mpi_slot *chunk = atomic_load_explicit(place, memory_order_acquire);
    return chunk ? &chunk[index % MPI_SLOTS_PER_CHUNK] : NULL;
}

/* A slot that was never used, or NULL.  Under lock. */
static struct mpi_slot *slot_fresh(enum mpi_kind kind, uint32_t *index)
{
    struct mpi_slot *chunk;

    if (used[kind] == SLOTS)
        return NULL;
    *index = used[kind];
    if (!slot_at(kind, *index)) {
        chunk = calloc(MPI_SLOTS_PER_CHUNK, sizeof *chunk);
        if (!chunk)
            return NULL;
        struct mpi_slot *_Atomic *place = &mpi_slots[kind][*index / MPI_SLOTS_PER_CHUNK];
        /* release: the zeroes are visible to whoever finds the chunk (mpi_handle_get) */
        atomic_store_explicit(place, chunk, memory_order_release);
    }
    used[kind]++;
    return slot_at(kind, *index);
}

static struct mpi_slot *slot_take(enum mpi_kind kind, uint32_t *index)
{
    struct mpi_slot *s;

    if (first_free[kind] == NO_SLOT)
        return slot_fresh(kind, index);
    *index = first_free[kind] - 1;
    s = slot_at(kind, *index);
    first_free[kind] = s->next_free;
    return s;
}

static uintptr_t handle_of(enum mpi_kind kind, const struct mpi_slot *s, uint32_t index)
{
    uint32_t generation = atomic_load_explicit(&s->generation, memory_order_relaxed);

    return (uintptr_t)generation << 32 | (uintptr_t)kind << 28 | (index + 1);
}

uintptr_t mpi_handle_new(enum mpi_kind kind, void *obj)
{
    uintptr_t handle = 0;
    struct mpi_slot *s;
    uint32_t index;

    pthread_mutex_lock(&lock);
    s = slot_take(kind, &index);
    if (s) {
        handle = handle_of(kind, s, index);
        /* release: the object's contents and the slot's generation are visible to whoever finds
         * the object */
        atomic_store_explicit(&s->obj, obj, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

void mpi_handle_free(uintptr_t handle)
{
    enum mpi_kind kind = handle >> 28 & 15u;
    uint32_t index = (uint32_t)(handle & 0x0fffffffu) - 1;
    struct mpi_slot *s;

    pthread_mutex_lock(&lock);
    if (kind < MPI_KINDS && mpi_handle_get(kind, handle)) {
        s = slot_at(kind, index);
        atomic_store_explicit(&s->obj, NULL, memory_order_relaxed);
        atomic_fetch_add_explicit(&s->generation, 1, memory_order_relaxed);
        s->next_free = first_free[kind];
        first_free[kind] = index + 1;
    }
    pthread_mutex_unlock(&lock);
}

int mpi_handle_toint(enum mpi_kind kind, uintptr_t handle)
{
    uint32_t generation = (uint32_t)(handle >> 32) & ((1u << INT_GENERATION_BITS) - 1);

    if (handle < MPI_HANDLE_PREDEFINED)
        return (int)handle;
    if (!mpi_handle_get(kind, handle))
        return 0;
    return (int)((uint32_t)kind << INT_KIND_SHIFT | generation << INT_INDEX_BITS |
                 ((uint32_t)(handle & 0x0fffffffu) - 1));
}

uintptr_t mpi_handle_fromint(enum mpi_kind kind, int value)
{
    uint32_t bits = (uint32_t)value, index = bits & ((1u << INT_INDEX_BITS) - 1);
    struct mpi_slot *s;
    uintptr_t handle;

    if (bits < MPI_HANDLE_PREDEFINED)
        return bits;
    if (bits >> INT_KIND_SHIFT != (uint32_t)kind)
        return 0;
    s = slot_at(kind, index);
    if (!s)
        return 0;
    handle = handle_of(kind, s, index);
    return mpi_handle_get(kind, handle) && mpi_handle_toint(kind, handle) == value ? handle : 0;
}
