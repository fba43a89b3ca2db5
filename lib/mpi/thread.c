/* What a program asks about its threads. */
#include "core/thread_level.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

int PMPI_Query_thread(int *provided)
{
    MPI_ENTER("MPI_Query_thread");
    *provided = mpi_thread_level();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Query_thread);

int PMPI_Is_thread_main(int *flag)
{
    MPI_ENTER("MPI_Is_thread_main");
    *flag = mpi_thread_is_main();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Is_thread_main);
