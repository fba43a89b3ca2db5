/* What is said of wrong use. */
#include "shmem/error.h"

#include <stdarg.h>
#include <stdio.h>

void mpi_shmem_die(const char *call, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "Fatal error in %s: %s\n  reported by PE %d\n", call, text, mpi_shmem.me);
    mpi_door.tell_call(call);
    mpi_door.die(1);
}

void mpi_shmem_check_up(const char *call)
{
    if (mpi_shmem.up)
        return;
    if (mpi_shmem.child)
        mpi_door.refuse(": %s was called in a child of PE %d", call, mpi_shmem.me);
    mpi_door.refuse(": %s was called %s", call,
                    mpi_shmem.over ? "after shmem_finalize" : "before shmem_init");
}

void mpi_shmem_check_pe(const char *call, int pe)
{
    mpi_shmem_check_up(call);
    if ((unsigned)pe >= (unsigned)mpi_shmem.n)
        mpi_shmem_die(call, "PE %d is not in 0..%d", pe, mpi_shmem.n - 1);
}

const struct mpi_shmem_region *mpi_shmem_find(const char *call, const void *address, size_t bytes,
                                              size_t *offset)
{
    mpi_shmem_check_up(call);
    for (int i = 0; i < MPI_SHMEM_REGIONS; i++) {
        const struct mpi_shmem_region *r = &mpi_shmem.region[i];
        *offset = (uintptr_t)address - r->base;
        if (*offset >= r->bytes)
            continue;
        if (bytes <= r->bytes - *offset)
            return r;
        mpi_shmem_die(call, "%zu bytes from %p on reach beyond the end of the symmetric %s", bytes,
                      address, i == MPI_SHMEM_HEAP ? "heap" : "data");
    }
    mpi_shmem_die(call, "%p is not symmetric: it is neither in memory of shmem_malloc that is in "
                  "use nor a static or global variable of the program", address);
}
