/* What a program asks about its threads. */
#include "core/err.h"
#include "core/thread_level.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

int PMPI_Query_thread(int *provided)
{
    MPI_ENTER("MPI_Query_thread");
    if (!provided)
        return mpi_err(NULL, "MPI_Query_thread", MPI_ERR_ARG,
                       "the address for the level is NULL");
    *provided = mpi_thread_level();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Query_thread);

int PMPI_Is_thread_main(int *flag)
{
    MPI_ENTER("MPI_Is_thread_main");
    if (!flag)
        return mpi_err(NULL, "MPI_Is_thread_main", MPI_ERR_ARG,
                       "the address for the flag is NULL");
    *flag = mpi_thread_is_main();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Is_thread_main);
