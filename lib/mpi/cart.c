/* Balanced dimensions, and what a program asks about a grid. */
#include <string.h>

#include "core/dims.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/topo_args.h"
#include "mpi/weak_alias.h"

/* -- dimensions */

/* The product of those that are given; `free`: how many are not. */
static int check_dims(const char *call, int nnodes, int ndims, const int *dims, int *product,
                      int *free)
{
    *product = 1;
    *free = 0;
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 0)
            return mpi_err(NULL, call, MPI_ERR_DIMS, "dimension %d has the size %d", i, dims[i]);
        if (!dims[i])
            ++*free;
        else if (__builtin_mul_overflow(*product, dims[i], product) || nnodes % *product)
            return mpi_err(NULL, call, MPI_ERR_DIMS,
                           "the dimensions that are given do not divide %d nodes", nnodes);
    }
    if (!*free && ndims && *product != nnodes)
        return mpi_err(NULL, call, MPI_ERR_DIMS, "the dimensions hold %d nodes, not %d", *product,
                       nnodes);
    return MPI_SUCCESS;
}

int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
    const char *call = "MPI_Dims_create";
    int product, free, factor[31], used = 0;
    MPI_ENTER(call);
    if (nnodes < 1)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the number of nodes is %d", nnodes);
    if (ndims < 0)
        return mpi_err(NULL, call, MPI_ERR_DIMS, "the number of dimensions is %d", ndims);
    int rc = mpi_check_numbers(call, NULL, dims, ndims, "the dimensions");
    if (!rc)
        rc = check_dims(call, nnodes, ndims, dims, &product, &free);
    if (rc)
        return rc;
    int factors = free < 31 ? free : 31;    /* the others are 1: 2 to the power of 31 is no int */
    mpi_dims_balance(nnodes / product, factors, factor);
    for (int i = 0; i < ndims; i++)
        if (!dims[i])
            dims[i] = used < factors ? factor[used++] : 1;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Dims_create);

/* -- questions */

int PMPI_Topo_test(MPI_Comm comm, int *status)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Topo_test");
    int rc = mpi_check_comm("MPI_Topo_test", comm, &c);
    if (!rc)
        rc = mpi_check_numbers("MPI_Topo_test", c, status, 1, "the result");
    if (!rc)
        *status = c->topo ? c->topo->kind : MPI_UNDEFINED;
    return rc;
}
MPI_WEAK_ALIAS(Topo_test);

int PMPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
    const char *call = "MPI_Cartdim_get";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_CART, &c, &t);
    if (!rc)
        rc = mpi_check_numbers(call, c, ndims, 1, "the result");
    if (!rc)
        *ndims = t->grid.ndims;
    return rc;
}
MPI_WEAK_ALIAS(Cartdim_get);

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    const char *call = "MPI_Cart_get";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_CART, &c, &t);
    if (!rc)
        rc = mpi_check_room(call, c, maxdims, t->grid.ndims, "dimensions");
    int n = rc ? 0 : t->grid.ndims;
    if (!rc)
        rc = mpi_check_numbers(call, c, dims && periods ? coords : NULL, n, "a result");
    for (int i = 0; !rc && i < n; i++) {
        dims[i] = t->grid.dims[i];
        periods[i] = t->grid.periods[i];
        coords[i] = t->grid.coords[i];
    }
    return rc;
}
MPI_WEAK_ALIAS(Cart_get);

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    const char *call = "MPI_Cart_coords";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_CART, &c, &t);
    if (!rc)
        rc = mpi_check_member(call, c, rank, "rank");
    if (!rc)
        rc = mpi_check_room(call, c, maxdims, t->grid.ndims, "coordinates");
    if (!rc)
        rc = mpi_check_numbers(call, c, coords, t->grid.ndims, "the coordinates");
    if (!rc)
        mpi_grid_coords(&t->grid, rank, coords);
    return rc;
}
MPI_WEAK_ALIAS(Cart_coords);

static int find_rank(const char *call, struct mpi_comm *c, const struct mpi_grid *g,
                     const int *coords, int *rank)
{
    int place = 0;
    for (int i = 0; i < g->ndims; i++) {
        int at = mpi_grid_wrap(g, i, coords[i]);
        if (at < 0)
            return mpi_err(c, call, MPI_ERR_ARG,
                           "coordinate %d is %d: dimension %d is not periodic and has the size %d",
                           i, coords[i], i, g->dims[i]);
        place = place * g->dims[i] + at;
    }
    *rank = place;
    return MPI_SUCCESS;
}

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
    const char *call = "MPI_Cart_rank";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_CART, &c, &t);
    if (!rc)
        rc = mpi_check_numbers(call, c, coords, t->grid.ndims, "the coordinates");
    if (!rc)
        rc = mpi_check_numbers(call, c, rank, 1, "the result");
    return rc ? rc : find_rank(call, c, &t->grid, coords, rank);
}
MPI_WEAK_ALIAS(Cart_rank);

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    const char *call = "MPI_Cart_shift";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_CART, &c, &t);
    if (!rc && (direction < 0 || direction >= t->grid.ndims))
        rc = mpi_err(c, call, MPI_ERR_DIMS, "direction %d is not one of the %d dimensions",
                     direction, t->grid.ndims);
    if (!rc)
        rc = mpi_check_numbers(call, c, rank_source ? rank_dest : NULL, 1, "a result");
    if (rc)
        return rc;
    *rank_source = mpi_grid_neighbour(&t->grid, c->rank, direction, -(long long)disp);
    *rank_dest = mpi_grid_neighbour(&t->grid, c->rank, direction, disp);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Cart_shift);
