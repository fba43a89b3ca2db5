/* Variables of SHMEM, for the library and the launcher. */
#ifndef MPI_SHMEM_SIZE_H
#define MPI_SHMEM_SIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A number of bytes, which may have a fraction, and k, m, g or t behind it. */
#define MPI_SHMEM_SIZE_VARIABLE "SHMEM_SYMMETRIC_SIZE"
#define MPI_SHMEM_OLD_SIZE_VARIABLE "SMA_SYMMETRIC_SIZE"
#define MPI_SHMEM_SIZE_DEFAULT (UINT64_C(64) << 20)
#define MPI_SHMEM_SIZE_LEAST (UINT64_C(64) << 10)
#define MPI_SHMEM_SIZE_MOST (UINT64_C(1) << 46)

/* The text of SHMEM_X, or where that is not set of SMA_X, its deprecated name. */
static inline const char *mpi_shmem_variable(const char *name)
{
    char old[32] = "SMA_";
    const char *text = getenv(name);
    if (text)
        return text;
    strncat(old, name + strlen("SHMEM_"), sizeof old - sizeof "SMA_");
    return getenv(old);
}

/* Of that variable's text, or (NULL or empty) the default.  False: it is no such number, or out of
 * range. */
static inline bool mpi_shmem_size_parse(const char *text, uint64_t *bytes)
{
    static const char units[] = "kmgt";
    *bytes = MPI_SHMEM_SIZE_DEFAULT;
    if (!text || !*text)
        return true;
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    if (end == text || !(value >= 0) || (*end && (!unit || end[1])))
        return false;
    for (int i = 0; unit && i <= unit - units; i++)
        value *= 1024;
    if (value > (double)MPI_SHMEM_SIZE_MOST)
        return false;
    *bytes = value < (double)MPI_SHMEM_SIZE_LEAST ? MPI_SHMEM_SIZE_LEAST : (uint64_t)value;
    return true;
}

#endif
