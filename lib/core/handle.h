/* Handles of the MPI ABI are opaque pointers.  Predefined ones are small constants (below 0x1000);
 * the library's own are not addresses at all but
 *
 *     63..32 generation | 31..28 kind | 27..0 index + 1
 *
 * so that a stale, foreign or corrupted handle is recognised and reported as an MPI error in place
 * of being followed.
 *
 * Thread rules: creating and freeing take the table's lock; looking up is wait-free (slots never
 * move once published). */
#ifndef MPI_HANDLE_H
#define MPI_HANDLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum mpi_kind {
    MPI_KIND_COMM = 1, MPI_KIND_GROUP, MPI_KIND_TYPE, MPI_KIND_OP, MPI_KIND_ERRHANDLER,
    MPI_KIND_REQUEST, MPI_KIND_MESSAGE, MPI_KIND_INFO, MPI_KIND_PERSISTENT, MPI_KIND_KEY,
    MPI_KIND_SESSION, MPI_KIND_TOOL, MPI_KIND_WIN, MPI_KIND_LOCK, MPI_KINDS
};

#define MPI_HANDLE_PREDEFINED 0x1000u

/* The one request of every send, and of every one-sided operation, that was complete before its
 * call returned: always done, never freed. */
#define MPI_REQ_SENT ((MPI_Request)((uintptr_t)MPI_KIND_REQUEST << 28 | 1))

struct mpi_slot { _Atomic(void *) obj; _Atomic uint32_t generation; uint32_t next_free; };

#define MPI_SLOTS_PER_CHUNK 256u
#define MPI_SLOT_CHUNKS 4096u
extern struct mpi_slot *_Atomic mpi_slots[MPI_KINDS][MPI_SLOT_CHUNKS];

/* Registers obj and returns its handle, or 0 when out of memory or slots. */
uintptr_t mpi_handle_new(enum mpi_kind kind, void *obj);

/* Ends the handle's life; any later look-up of it gives NULL. */
void mpi_handle_free(uintptr_t handle);

/* A handle as a positive integer and back.  Predefined handles keep their value; others become
 *
 *     30..27 kind | 26..20 lowest bits of the generation | 19..0 index
 *
 * The first gives 0 for a handle that is not alive, the second for an integer that is none of
 * this kind. */
int mpi_handle_toint(enum mpi_kind kind, uintptr_t handle);
uintptr_t mpi_handle_fromint(enum mpi_kind kind, int value);

/* The object behind a handle of this kind, NULL for anything else. */
static inline void *mpi_handle_get(enum mpi_kind kind, uintptr_t h)
{
    uint32_t index = (uint32_t)(h & 0x0fffffffu) - 1;
    if ((h >> 28 & 15u) != (uintptr_t)kind || index >= MPI_SLOTS_PER_CHUNK * MPI_SLOT_CHUNKS)
        return NULL;
    struct mpi_slot *_Atomic *place = &mpi_slots[kind][index / MPI_SLOTS_PER_CHUNK];
    /* acquire: pairs with the release in mpi_handle_new that publishes the chunk */
    struct mpi_slot *chunk = atomic_load_explicit(place, memory_order_acquire);
    if (!chunk)
        return NULL;
    /* acquire: pairs with the release in mpi_handle_new that publishes the object.  The
     * generation was raised before that, so whoever sees an object sees at least its generation,
     * and an older handle finds them different. */
    struct mpi_slot *s = &chunk[index % MPI_SLOTS_PER_CHUNK];
    void *obj = atomic_load_explicit(&s->obj, memory_order_acquire);
    uint32_t generation = atomic_load_explicit(&s->generation, memory_order_relaxed);
    return generation == (uint32_t)(h >> 32) ? obj : NULL;
}

#endif
