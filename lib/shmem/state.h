/* What this process knows of a SHMEM job: symmetric memory, and where the other PEs have theirs.
 *
 * Thread rules: written by shmem_init and shmem_finalize, which the program orders with its other
 * calls, and by collective calls on memory (`bytes` of the heap). */
#ifndef MPI_SHMEM_STATE_H
#define MPI_SHMEM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/door.h"
#include "shmem.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A part of memory that all PEs have, with the same offsets in it. */
struct mpi_shmem_region {
    uintptr_t base;             /* here */
    size_t bytes;               /* 0: there is none */
    char **at;                  /* of each PE: where it is mapped here; NULL: the NIC must copy */
    struct nic_address *address;    /* of each PE: its name */
};

enum { MPI_SHMEM_HEAP, MPI_SHMEM_DATA, MPI_SHMEM_REGIONS };

struct mpi_shmem {
    bool up, over;              /* between shmem_init and shmem_finalize; behind that */
    bool child;                 /* of a PE, forked in between */
    bool modelled;
    bool local;                 /* all PEs' memory is mapped here, and mine there */
    int me, n;
    struct nic *nic;
    struct mpi_shmem_region region[MPI_SHMEM_REGIONS];
    const uint32_t **attention; /* of each PE: nic_attention */
    uint32_t **waits;           /* of each PE: threads in mpi_shmem_wait; NULL: not mapped here */
    int threads;                /* SHMEM_THREAD_* */
};

extern struct mpi_shmem mpi_shmem;

/* Where [address, address + bytes) of a PE is mapped here; NULL: it is not, or is no such memory,
 * and the long way finds out which. */
static inline char *mpi_shmem_reach(const void *address, size_t bytes, int pe)
{
    if (unlikely((unsigned)pe >= (unsigned)mpi_shmem.n))
        return NULL;
    for (int i = 0; i < MPI_SHMEM_REGIONS; i++) {
        const struct mpi_shmem_region *r = &mpi_shmem.region[i];
        const size_t offset = (uintptr_t)address - r->base;
        if (offset < r->bytes && bytes <= r->bytes - offset)
            return r->at[pe] ? r->at[pe] + offset : NULL;
    }
    return NULL;
}

/* Wakes a PE that sleeps, if it is for what is stored there. */
void mpi_shmem_ring(int pe);

/* Behind each store into the memory of a PE, which may sleep until it sees that.  The sleeper's
 * fence (nicemu, doorbell.c) stands for one in between. */
static inline void mpi_shmem_wake(int pe)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(__atomic_load_n(mpi_shmem.attention[pe], __ATOMIC_RELAXED) & NIC_ASLEEP))
        mpi_shmem_ring(pe);
}

/* The function behind is a weak name of the one in front, which tools call. */
#define SHMEM_ALIAS(name) \
    extern __typeof__(pshmem_##name) shmem_##name __attribute__((weak, alias("pshmem_" #name)))

#endif
