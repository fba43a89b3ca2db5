/* Whether packed data fit. */
#include "mpi/packing.h"

#include "core/err.h"
#include "core/type_data.h"
#include "core/world.h"

int mpi_packing_bytes(struct mpi_comm *c, struct mpi_packing *p, size_t each)
{
    MPI_Count here;     /* the data in memory are as many */
    if (!__builtin_mul_overflow(p->count, (MPI_Count)each, &p->bytes)
        && !__builtin_mul_overflow(p->count, (MPI_Count)p->t->size, &here))
        return MPI_SUCCESS;
    return mpi_err(c, p->call, MPI_ERR_COUNT, "%lld elements are more than memory has",
                   (long long)p->count);
}

int mpi_packing_room(struct mpi_comm *c, const struct mpi_packing *p, const void *position)
{
    if (!position)
        return mpi_err(c, p->call, MPI_ERR_ARG, "the address of the position is NULL");
    if (p->size < 0)
        return mpi_err(c, p->call, MPI_ERR_ARG, "the packed buffer has %lld bytes",
                       (long long)p->size);
    if (p->position < 0 || p->position > p->size)
        return mpi_err(c, p->call, MPI_ERR_ARG, "position %lld is not in the buffer's %lld bytes",
                       (long long)p->position, (long long)p->size);
    if (p->bytes > p->size - p->position)
        return mpi_err(c, p->call, MPI_ERR_TRUNCATE,
                       "%lld bytes at position %lld of a buffer of %lld", (long long)p->bytes,
                       (long long)p->position, (long long)p->size);
    if (p->bytes && !p->packed)
        return mpi_err(c, p->call, MPI_ERR_BUFFER, "the packed buffer is NULL");
    return MPI_SUCCESS;
}

void mpi_packing_charge(const struct mpi_type *t, size_t bytes)
{
    if (likely(!mpi_modelled))
        return;
    nic_enter(mpi_nic);
    mpi_type_charge(t, bytes);
    nic_leave(mpi_nic);
}
