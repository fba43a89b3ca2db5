/* Grids: communicators made with one, and of the parts of one. */
#include <stdlib.h>

#include "core/err.h"
#include "core/grid_place.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/topo_args.h"
#include "mpi/topo_make.h"
#include "mpi/weak_alias.h"

/* What a grid is asked for by. */
struct wanted { int ndims; const int *dims, *periods; int places; };

static int check_dims(const char *call, struct mpi_comm *c, struct wanted *w)
{
    if (w->ndims < 0)
        return mpi_err(c, call, MPI_ERR_DIMS, "the number of dimensions is %d", w->ndims);
    int rc = mpi_check_numbers(call, c, w->dims, w->ndims, "the dimensions");
    if (!rc)
        rc = mpi_check_numbers(call, c, w->periods, w->ndims, "the periods");
    for (int i = 0; !rc && i < w->ndims; i++)
        if (w->dims[i] < 1)
            rc = mpi_err(c, call, MPI_ERR_DIMS, "dimension %d has the size %d", i, w->dims[i]);
    if (rc)
        return rc;
    w->places = mpi_grid_places(w->ndims, w->dims);
    if (w->places >= 0 && w->places <= c->size)
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_DIMS, "the grid is larger than the communicator of %d rank%s",
                   c->size, c->size == 1 ? "" : "s");
}

static int check(const char *call, MPI_Comm comm, const void *result, struct mpi_comm **c,
                 struct wanted *w)
{
    int rc = mpi_check_intra(call, comm, c);
    if (!rc && !result)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc ? rc : check_dims(call, *c, w);
}

/* -- who gets which place */

/* The seats of the ranks that the grid has places for; NULL: not all of them are told, or there is
 * no memory, which *failed says. */
static struct nic_seat *seats_of(const struct mpi_comm *c, int places, bool *failed)
{
    struct nic_seat *seat = malloc(sizeof *seat * (size_t)places);
    *failed = !seat;
    for (int i = 0; seat && i < places; i++)
        if (nic_job_seat(mpi_job, (unsigned)mpi_comm_world_rank(c, i), &seat[i])) {
            free(seat);
            return NULL;
        }
    return seat;
}

/* The old rank for each place, which all ranks find alike; NULL: they keep their order, or there is
 * no memory, which *failed says. */
static int *new_order(const struct mpi_comm *c, const struct wanted *w, bool *failed)
{
    struct nic_seat *seat = seats_of(c, w->places, failed);
    if (!seat)
        return NULL;
    int *old_rank = malloc(sizeof *old_rank * (size_t)w->places);
    if (!old_rank || !mpi_grid_place(w->ndims, w->dims, w->periods, seat, old_rank)) {
        *failed = true;
        free(old_rank);
        old_rank = NULL;
    }
    free(seat);
    return old_rank;
}

static int place_of(const struct mpi_comm *c, const struct wanted *w, const int *old_rank)
{
    if (!old_rank)
        return mpi_first_member(c, w->places);
    for (int i = 0; i < w->places; i++)
        if (old_rank[i] == c->rank)
            return i;
    return MPI_UNDEFINED;
}

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                     int reorder, MPI_Comm *comm_cart)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Cart_create", .maker = MPI_MADE_CART,
        .caller = __builtin_return_address(0),
    };
    struct wanted w = { .ndims = ndims, .dims = dims, .periods = periods };
    struct mpi_comm *c;
    bool failed = false;
    MPI_ENTER(from.call);
    int rc = check(from.call, comm_old, comm_cart, &c, &w);
    if (rc)
        return rc;
    int *old_rank = reorder ? new_order(c, &w, &failed) : NULL;
    struct mpi_members m = { .rank = place_of(c, &w, old_rank), .size = w.places,
                             .old_rank = old_rank };
    struct mpi_topo *t = m.rank == MPI_UNDEFINED || failed ? NULL
                         : mpi_topo_new_grid(ndims, dims, periods, m.rank);
    rc = mpi_topo_make(c, &from, &m, t, comm_cart);
    free(old_rank);
    return rc;
}
MPI_WEAK_ALIAS(Cart_create);

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    const char *call = "MPI_Cart_map";
    struct wanted w = { .ndims = ndims, .dims = dims, .periods = periods };
    struct mpi_comm *c;
    bool failed;
    MPI_ENTER(call);
    int rc = check(call, comm, newrank, &c, &w);
    if (rc)
        return rc;
    int *old_rank = new_order(c, &w, &failed);
    if (failed)
        return mpi_err(c, call, MPI_ERR_NO_MEM, "no memory to place the ranks");
    *newrank = place_of(c, &w, old_rank);
    free(old_rank);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Cart_map);

/* -- parts of a grid: a communicator for all places that differ in the dimensions that remain */

struct part { int ndims, *dims, *periods, *stride; };

/* NULL: no memory. */
static struct part *part_new(const struct mpi_grid *g, const int *remain)
{
    size_t n = (size_t)g->ndims;
    struct part *p = malloc(sizeof *p + 3 * n * sizeof(int));
    if (!p)
        return NULL;
    p->ndims = 0;
    p->dims = (int *)(p + 1);
    p->periods = p->dims + n;
    p->stride = p->periods + n;
    int stride = mpi_grid_places(g->ndims, g->dims);
    for (int i = 0; i < g->ndims; i++) {
        stride /= g->dims[i];
        if (!remain[i])
            continue;
        p->dims[p->ndims] = g->dims[i];
        p->periods[p->ndims] = g->periods[i];
        p->stride[p->ndims++] = stride;
    }
    return p;
}

/* How far place `i` of the part lies behind its first one. */
static int offset_of(const struct part *p, int i)
{
    int offset = 0;
    for (int k = p->ndims - 1; k >= 0; k--) {
        offset += i % p->dims[k] * p->stride[k];
        i /= p->dims[k];
    }
    return offset;
}

/* This rank's place in its part, and the rank of the part's first place. */
static void find_place(const struct part *p, const struct mpi_comm *c, int *place, int *first)
{
    *place = 0;
    for (int k = 0; k < p->ndims; k++)
        *place = *place * p->dims[k] + c->rank / p->stride[k] % p->dims[k];
    *first = c->rank - offset_of(p, *place);
}

static int sub(struct mpi_comm *c, struct mpi_comm_origin *from, const struct part *p,
               MPI_Comm *newcomm)
{
    struct mpi_members m = { .size = mpi_grid_places(p->ndims, p->dims) };
    int first, *old = malloc(sizeof *old * (size_t)m.size);
    find_place(p, c, &m.rank, &first);
    for (int i = 0; old && i < m.size; i++)
        old[i] = first + offset_of(p, i);
    m.old_rank = old;
    from->which = mpi_comm_world_rank(c, first);
    struct mpi_topo *t = old ? mpi_topo_new_grid(p->ndims, p->dims, p->periods, m.rank) : NULL;
    m.size = old ? m.size : 0;
    int rc = mpi_topo_make(c, from, &m, t, newcomm);
    free(old);
    return rc;
}

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
    struct mpi_comm_origin from = {
        .call = "MPI_Cart_sub", .maker = MPI_MADE_SUB, .caller = __builtin_return_address(0),
    };
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = mpi_check_topo(from.call, comm, MPI_CART, &c, &t);
    if (!rc && !newcomm)
        rc = mpi_err(c, from.call, MPI_ERR_ARG, "the address for the result is NULL");
    if (!rc)
        rc = mpi_check_numbers(from.call, c, remain_dims, t->grid.ndims,
                               "the dimensions that remain");
    if (rc)
        return rc;
    struct part *p = part_new(&t->grid, remain_dims);
    rc = p ? sub(c, &from, p, newcomm)
           : mpi_topo_make(c, &from, &(struct mpi_members){ .size = 0 }, NULL, newcomm);
    free(p);
    return rc;
}
MPI_WEAK_ALIAS(Cart_sub);
