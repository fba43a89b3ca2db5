/* Memory that programs get from MPI_Alloc_mem.  A block comes from the rank's heap, which peers
 * reach without the kernel; where that has no room a small one comes from the scratchpad and any
 * other from the process's own memory, so that there is none only where malloc has none. */
#ifndef MPI_MEM_H
#define MPI_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Where a block comes from, and what the info key of MPI_Alloc_mem calls it. */
#define MPI_MEM_PLACES(X) X(HEAP, "heap") X(SCRATCHPAD, "scratchpad") X(PRIVATE, "private")
#define MPI_MEM_PLACE_ENUM(name, text) MPI_MEM_##name,
enum mpi_mem_place { MPI_MEM_PLACES(MPI_MEM_PLACE_ENUM) MPI_MEM_PLACE_COUNT };

/* From its name; MPI_MEM_PLACE_COUNT: there is none of that name. */
enum mpi_mem_place mpi_mem_place_by_name(const char *name);

/* A block, from the place that is wished first (MPI_MEM_PLACE_COUNT: no wish); NULL: no memory. */
void *mpi_mem_new(size_t bytes, size_t align, enum mpi_mem_place wish);

/* False: no block begins there. */
bool mpi_mem_free(void *base);

/* At MPI_Finalize: true if a program still has a block in the job's memory, which then has to
 * stay. */
bool mpi_mem_in_job(void);

#endif
