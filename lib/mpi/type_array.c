/* MPI_Type_create_subarray and MPI_Type_create_darray. */
#include <stdlib.h>

#include "core/derived_array.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/type_make.h"
#include "mpi/weak_alias.h"

/* What both calls are given, sizes as counts. */
struct array {
    const char *call;
    bool large;
    int dimensions, order;
    const MPI_Count *size;
    struct mpi_dimension *part;         /* that of neighbours first */
};

static int bad(const char *call, int i, const char *what, MPI_Count value)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the %s of dimension %d is %lld", what, i,
                   (long long)value);
}

static int check_array(const char *call, int dimensions, bool given, int order, MPI_Datatype old,
                       MPI_Datatype *newtype, const struct mpi_type **t)
{
    int rc = mpi_type_made_from(call, old, newtype, t);
    if (rc)
        return rc;
    if (dimensions < 1)
        return mpi_err(NULL, call, MPI_ERR_ARG, "there are %d dimensions", dimensions);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return mpi_err(NULL, call, MPI_ERR_ARG, "%d is no order of an array", order);
    return given ? MPI_SUCCESS : mpi_err(NULL, call, MPI_ERR_ARG, "an array is NULL");
}

/* Where dimension i stands in the order of memory. */
static struct mpi_dimension *part_of(const struct array *a, int i)
{
    return &a->part[a->order == MPI_ORDER_C ? a->dimensions - 1 - i : i];
}

static int make(const struct array *a, struct mpi_recipe *r, const struct mpi_type *t,
                MPI_Datatype *newtype)
{
    struct mpi_derived *made = NULL;
    int class = mpi_derive_part(t, a->part, (size_t)a->dimensions, &made);
    return mpi_type_made(r, class, made, newtype);
}

/* -- subarrays */

static int check_box(const struct array *a)
{
    const MPI_Count *size = a->size, *taken = size + a->dimensions, *start = taken + a->dimensions;
    for (int i = 0; i < a->dimensions; i++) {
        if (size[i] < 1)
            return bad(a->call, i, "size", size[i]);
        if (taken[i] < 1 || taken[i] > size[i])
            return bad(a->call, i, "size of the part", taken[i]);
        if (start[i] < 0 || start[i] > size[i] - taken[i])
            return bad(a->call, i, "start", start[i]);
        size_t first = (size_t)start[i], n = (size_t)taken[i];
        *part_of(a, i) = (struct mpi_dimension){ (size_t)size[i], first, first + n, n, n };
    }
    return MPI_SUCCESS;
}

/* number: dimensions, sizes, sizes of the part, starts, order. */
static int subarray(struct array *a, const struct mpi_type *t, MPI_Count *number, MPI_Datatype old,
                    MPI_Datatype *newtype)
{
    int plain[] = { a->dimensions, a->order };
    size_t n = (size_t)a->dimensions;
    struct mpi_recipe r = { .call = a->call, .combiner = MPI_COMBINER_SUBARRAY, .large = a->large,
                            .plain = plain, .plains = a->large ? 2 : 0,
                            .number = number + a->large,
                            .numbers = a->large ? 3 * n : 3 * n + 2, .type = &old, .types = 1 };
    a->part = malloc(n * sizeof *a->part);
    if (!number || !a->part) {
        free(a->part);
        return mpi_err(NULL, a->call, MPI_ERR_NO_MEM, "no memory for the datatype");
    }
    number[0] = a->dimensions;
    number[1 + 3 * n] = a->order;
    a->size = number + 1;
    int rc = check_box(a);
    if (!rc)
        rc = make(a, &r, t, newtype);
    free(a->part);
    return rc;
}

#define SUBARRAY(name, COUNT, is_large) \
    int PMPI_##name(int ndims, const COUNT array_of_sizes[], const COUNT array_of_subsizes[], \
                    const COUNT array_of_starts[], int order, MPI_Datatype oldtype, \
                    MPI_Datatype *newtype) \
    { \
        struct array a = { .call = "MPI_" #name, .large = is_large, .dimensions = ndims, \
                           .order = order }; \
        const struct mpi_type *t; \
        MPI_ENTER(a.call); \
        int rc = check_array(a.call, ndims, \
                             array_of_sizes && array_of_subsizes && array_of_starts, order, \
                             oldtype, newtype, &t); \
        if (rc) \
            return rc; \
        MPI_Count *number = malloc((3 * (size_t)ndims + 2) * sizeof *number); \
        for (int i = 0; number && i < ndims; i++) { \
            number[1 + i] = array_of_sizes[i]; \
            number[1 + ndims + i] = array_of_subsizes[i]; \
            number[1 + 2 * ndims + i] = array_of_starts[i]; \
        } \
        rc = subarray(&a, t, number, oldtype, newtype); \
        free(number); \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

SUBARRAY(Type_create_subarray, int, false);
SUBARRAY(Type_create_subarray_c, MPI_Count, true);

/* -- distributed arrays */

/* The arguments that are integers in both forms; processes are counted as in C. */
struct grid { int size, rank; const int *distribution, *argument, *processes; };

/* Elements of a block; -1: the arguments do not fit. */
static MPI_Count block_of(const struct grid *g, int i, MPI_Count size)
{
    MPI_Count all = (size + g->processes[i] - 1) / g->processes[i], block = g->argument[i];
    bool usual = g->argument[i] == MPI_DISTRIBUTE_DFLT_DARG;
    switch (g->distribution[i]) {
    case MPI_DISTRIBUTE_NONE:
        return g->processes[i] == 1 ? size : -1;
    case MPI_DISTRIBUTE_BLOCK:
        return usual ? all : block >= all ? block : -1;
    case MPI_DISTRIBUTE_CYCLIC:
        return usual ? 1 : block > 0 ? block : -1;
    default:
        return -1;
    }
}

static int check_grid(const struct array *a, const struct grid *g)
{
    MPI_Count all = 1;
    for (int i = 0; i < a->dimensions; i++) {
        if (g->processes[i] < 1)
            return bad(a->call, i, "number of processes", g->processes[i]);
        if (a->size[i] < 1)
            return bad(a->call, i, "size", a->size[i]);
        if (__builtin_mul_overflow(all, g->processes[i], &all))
            all = -1;
    }
    if (all != g->size)
        return mpi_err(NULL, a->call, MPI_ERR_ARG, "a grid of %lld processes, but there are %d",
                       (long long)all, g->size);
    if (g->rank < 0 || g->rank >= g->size)
        return mpi_err(NULL, a->call, MPI_ERR_RANK, "rank %d of %d", g->rank, g->size);
    return MPI_SUCCESS;
}

/* The last dimension of the grid counts fastest, whatever the array's order. */
static int distribute(const struct array *a, const struct grid *g)
{
    int rest = g->rank;
    for (int i = a->dimensions; i-- > 0;) {
        MPI_Count block = block_of(g, i, a->size[i]);
        size_t mine = (size_t)(rest % g->processes[i]), n = (size_t)a->size[i];
        rest /= g->processes[i];
        if (block < 0)
            return mpi_err(NULL, a->call, MPI_ERR_ARG,
                           "distribution %d with argument %d of dimension %d does not fit",
                           g->distribution[i], g->argument[i], i);
        size_t each = (size_t)block;
        *part_of(a, i) = (struct mpi_dimension){ n, mine * each, n, each,
                                                 each * (size_t)g->processes[i] };
    }
    return MPI_SUCCESS;
}

/* Size, rank, dimensions, sizes of a small call, distributions, arguments, processes, order. */
static size_t grid_numbers(const struct array *a, const struct grid *g, int *plain)
{
    size_t at = 0;
    plain[at++] = g->size;
    plain[at++] = g->rank;
    plain[at++] = a->dimensions;
    for (int i = 0; i < a->dimensions && !a->large; i++)
        plain[at++] = (int)a->size[i];
    for (int i = 0; i < a->dimensions; i++)
        plain[at++] = g->distribution[i];
    for (int i = 0; i < a->dimensions; i++)
        plain[at++] = g->argument[i];
    for (int i = 0; i < a->dimensions; i++)
        plain[at++] = g->processes[i];
    plain[at++] = a->order;
    return at;
}

static int darray(struct array *a, const struct grid *g, const struct mpi_type *t,
                  MPI_Datatype old, MPI_Datatype *newtype)
{
    size_t n = (size_t)a->dimensions;
    int *plain = malloc((4 * n + 4) * sizeof *plain);
    a->part = malloc(n * sizeof *a->part);
    bool memory = a->size && a->part && plain;
    int rc = memory ? check_grid(a, g)
                    : mpi_err(NULL, a->call, MPI_ERR_NO_MEM, "no memory for the datatype");
    if (!rc)
        rc = distribute(a, g);
    if (!rc) {
        struct mpi_recipe r = { .call = a->call, .combiner = MPI_COMBINER_DARRAY,
                                .large = a->large, .plain = plain,
                                .plains = grid_numbers(a, g, plain), .number = a->size,
                                .numbers = a->large ? n : 0, .type = &old, .types = 1 };
        rc = make(a, &r, t, newtype);
    }
    free(a->part);
    free(plain);
    return rc;
}

#define DARRAY(name, COUNT, is_large) \
    int PMPI_##name(int size, int rank, int ndims, const COUNT array_of_gsizes[], \
                    const int array_of_distribs[], const int array_of_dargs[], \
                    const int array_of_psizes[], int order, MPI_Datatype oldtype, \
                    MPI_Datatype *newtype) \
    { \
        const struct grid g = { size, rank, array_of_distribs, array_of_dargs, array_of_psizes }; \
        struct array a = { .call = "MPI_" #name, .large = is_large, .dimensions = ndims, \
                           .order = order }; \
        const struct mpi_type *t; \
        MPI_ENTER(a.call); \
        bool given = array_of_gsizes && g.distribution && g.argument && g.processes; \
        int rc = check_array(a.call, ndims, given, order, oldtype, newtype, &t); \
        if (rc) \
            return rc; \
        MPI_Count *sizes = malloc((size_t)ndims * sizeof *sizes); \
        for (int i = 0; sizes && i < ndims; i++) \
            sizes[i] = array_of_gsizes[i]; \
        a.size = sizes; \
        rc = darray(&a, &g, t, oldtype, newtype); \
        free(sizes); \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

DARRAY(Type_create_darray, int, false);
DARRAY(Type_create_darray_c, MPI_Count, true);
