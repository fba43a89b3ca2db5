/* Memory that programs get from MPI_Alloc_mem. */
#ifndef MPI_MEM_H
#define MPI_MEM_H

#include <stdbool.h>

/* At MPI_Finalize: true if a program still has a block in the job's memory, which then has to stay. */
bool mpi_mem_in_job(void);

#endif
