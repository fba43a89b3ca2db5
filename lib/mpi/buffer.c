/* Attaching the buffer of buffered sends, and detaching it. */
#include "core/buffered.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

int PMPI_Buffer_attach(void *buffer, int size)
{
    const char *call = "MPI_Buffer_attach";
    size_t attached;
    MPI_ENTER(call);
    if (size < 0 || (!buffer && size))
        return mpi_err(NULL, call, MPI_ERR_BUFFER, "buffer %p of %d bytes", buffer, size);
    if (!mpi_buffer_attach(buffer, (size_t)size, &attached))
        return mpi_err(NULL, call, MPI_ERR_BUFFER, "a buffer of %zu bytes is attached already",
                       attached);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Buffer_attach);

int PMPI_Buffer_detach(void *buffer_addr, int *size)
{
    const char *call = "MPI_Buffer_detach";
    size_t bytes;
    MPI_ENTER(call);
    if (!buffer_addr || !size)
        return mpi_err(NULL, call, MPI_ERR_ARG, "an address for the buffer or its size is NULL");
    *(void **)buffer_addr = mpi_buffer_detach("MPI_Buffer_detach: buffered send", &bytes);
    *size = (int)bytes;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Buffer_detach);
