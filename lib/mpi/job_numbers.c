/* The predefined attributes, which all communicators have. */
#include "mpi/job_numbers.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/err_user.h"
#include "core/world.h"
#include "mpi.h"
#include "nicemu/machines.h"
#include "pmi/join.h"

/* Programs get the addresses; the job tells the last three. */
static const int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE;
static int wtime_is_global, universe_size, appnum;
static _Atomic int last_used_code;

void mpi_job_numbers_init(void)
{
    const char *program = getenv("MPILITE_PROGRAM");    /* its number in the launcher's command */
    /* the live clock is that of a machine, which begins when it is booted; the model has one */
    wtime_is_global = mpi_modelled || !nic_has_far_ranks(mpi_nic);
    universe_size = (int)nic_ranks(mpi_nic);
    appnum = program ? atoi(program) : mpi_join_appnum();
}

const int *mpi_job_number(int key)
{
    switch (key) {
    case MPI_TAG_UB: return &tag_ub;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_WTIME_IS_GLOBAL: return &wtime_is_global;
    case MPI_LASTUSEDCODE:      /* the program may have added some since the last time */
        atomic_store_explicit(&last_used_code, mpi_err_last_used(), memory_order_relaxed);
        return (const int *)&last_used_code;
    case MPI_UNIVERSE_SIZE: return &universe_size;
    case MPI_APPNUM: return &appnum;
    default: return NULL;
    }
}
