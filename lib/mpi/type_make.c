/* What the calls that make datatypes have in common. */
#include "mpi/type_make.h"

#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "mpi/args.h"

MPI_Count *mpi_counts_of(const int *from, size_t n)
{
    MPI_Count *to = malloc((n + 1) * sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = from[i];
    return to;
}

int mpi_type_made_from(const char *call, MPI_Datatype old, MPI_Datatype *newtype,
                       const struct mpi_type **t)
{
    if (!newtype)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the datatype is NULL");
    return mpi_check_type(call, NULL, old, t);
}

static bool record_large(struct mpi_derived *d, const struct mpi_recipe *r)
{
    size_t counts = r->numbers + r->addresses;
    if (!mpi_derive_contents(d, r->combiner, r->plains, 0, counts, r->types))
        return false;
    if (r->plains)
        memcpy(d->contents.integer, r->plain, r->plains * sizeof *r->plain);
    if (r->numbers)
        memcpy(d->contents.count, r->number, r->numbers * sizeof *r->number);
    if (r->addresses)
        memcpy(d->contents.count + r->numbers, r->address, r->addresses * sizeof *r->address);
    return true;
}

static bool record_small(struct mpi_derived *d, const struct mpi_recipe *r)
{
    if (!mpi_derive_contents(d, r->combiner, r->plains + r->numbers, r->addresses, 0, r->types))
        return false;
    if (r->plains)
        memcpy(d->contents.integer, r->plain, r->plains * sizeof *r->plain);
    for (size_t i = 0; i < r->numbers; i++)
        d->contents.integer[r->plains + i] = (int)r->number[i];
    for (size_t i = 0; i < r->addresses; i++)
        d->contents.address[i] = (MPI_Aint)r->address[i];
    return true;
}

int mpi_type_made(const struct mpi_recipe *r, int class, struct mpi_derived *made,
                  MPI_Datatype *newtype)
{
    /* a failed record has deleted the type */
    bool kept = !class && (r->large ? record_large(made, r) : record_small(made, r));
    if (kept && r->types)
        memcpy(made->contents.type, r->type, r->types * sizeof *r->type);
    *newtype = kept ? mpi_derive_done(made) : MPI_DATATYPE_NULL;
    if (*newtype != MPI_DATATYPE_NULL)
        return MPI_SUCCESS;
    return mpi_err(NULL, r->call, MPI_ERR_NO_MEM,
                   "no memory for the datatype, or it reaches past the end of all addresses");
}
