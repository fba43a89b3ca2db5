/* Collectives of teams, and the deprecated ones of active sets: those of MPI, under their own
 * names. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "shmem/error.h"
#include "shmem/team.h"

static size_t bytes_of(const char *call, size_t nelems, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(nelems, size, &bytes) || bytes > PTRDIFF_MAX)
        mpi_shmem_die(call, "%zu elements are more than there can be", nelems);
    return bytes;
}

/* NULL: SHMEM_TEAM_INVALID, for which the calls return a code. */
static const struct shmem_team *team_of(const char *call, shmem_team_t team)
{
    SHMEM_ENTER(call);
    return team == SHMEM_TEAM_INVALID ? NULL : mpi_shmem_team(call, team);
}

/* -- on a team; a call without data needs no addresses */

static char nowhere[1];
static void *some(const void *at, size_t bytes)
{
    return bytes ? (void *)(uintptr_t)at : nowhere;
}

/* to_root: the root's own data go to its dest, too, as with teams. */
static int broadcast(const char *call, const struct shmem_team *t, void *dest,
                     const void *source, size_t nelems, size_t size, int root, bool to_root)
{
    if (!t)
        return -1;
    if ((unsigned)root >= (unsigned)t->n)
        mpi_shmem_die(call, "the root is %d, and not in 0..%d", root, t->n - 1);
    const size_t bytes = bytes_of(call, nelems, size);
    const bool mine = t->me == root;
    if (mine && to_root && bytes && dest != source)
        memmove(dest, source, bytes);
    return mpi_door.bcast(call, some(mine ? source : dest, bytes), bytes, MPI_BYTE, root, t->comm);
}

static int fcollect(const char *call, const struct shmem_team *t, void *dest, const void *source,
                    size_t nelems, size_t size)
{
    if (!t)
        return -1;
    const size_t bytes = bytes_of(call, nelems, size);
    bytes_of(call, bytes, (size_t)t->n);
    return mpi_door.allgather(call, some(source, bytes), bytes, some(dest, bytes), t->comm);
}

/* Each PE first learns how much the others have. */
static int collect(const char *call, const struct shmem_team *t, void *dest, const void *source,
                   size_t nelems, size_t size)
{
    if (!t)
        return -1;
    const uint64_t bytes = bytes_of(call, nelems, size);
    MPI_Count *counts = malloc(2 * (size_t)t->n * sizeof *counts);
    if (!counts)
        mpi_shmem_die(call, "no memory for the numbers of elements of all PEs");
    MPI_Aint *places = counts + t->n, all = 0;
    int rc = mpi_door.allgather(call, &bytes, sizeof bytes, counts, t->comm);
    for (int i = 0; i < t->n; i++) {
        places[i] = all;
        all += counts[i];
    }
    if (!rc && all)
        rc = mpi_door.allgatherv(call, some(source, bytes), bytes, dest, counts, places, t->comm);
    free(counts);
    return rc;
}

static int alltoall(const char *call, const struct shmem_team *t, void *dest, const void *source,
                    size_t nelems, size_t size)
{
    if (!t)
        return -1;
    const size_t bytes = bytes_of(call, nelems, size);
    bytes_of(call, bytes, (size_t)t->n);
    return mpi_door.alltoall(call, some(source, bytes), bytes, MPI_BYTE, some(dest, bytes), bytes,
                             MPI_BYTE, t->comm);
}

/* What is sent to a PE: nelems elements that are `stride` apart. */
static MPI_Datatype strided(size_t nelems, size_t size, ptrdiff_t stride)
{
    MPI_Datatype element, vector, block;
    PMPI_Type_contiguous((int)size, MPI_BYTE, &element);
    PMPI_Type_vector_c((MPI_Count)nelems, 1, stride, element, &vector);
    PMPI_Type_create_resized(vector, 0, (MPI_Aint)nelems * stride * (MPI_Aint)size, &block);
    PMPI_Type_commit(&block);
    PMPI_Type_free(&vector);
    PMPI_Type_free(&element);
    return block;
}

static int alltoalls(const char *call, const struct shmem_team *t, void *dest, const void *source,
                     ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t size)
{
    if (!t)
        return -1;
    if (dst < 1 || sst < 1)
        mpi_shmem_die(call, "the strides are %td and %td: they must be 1 or more", dst, sst);
    bytes_of(call, bytes_of(call, nelems, size), (size_t)(dst > sst ? dst : sst) * (size_t)t->n);
    if (!nelems)
        return alltoall(call, t, dest, source, 0, size);
    MPI_Datatype to = strided(nelems, size, dst), from = strided(nelems, size, sst);
    int rc = mpi_door.alltoall(call, source, 1, from, dest, 1, to, t->comm);
    PMPI_Type_free(&to);
    PMPI_Type_free(&from);
    return rc;
}

static int reduce(const char *call, const struct shmem_team *t, void *dest, const void *source,
                  size_t nreduce, size_t size, MPI_Datatype type, MPI_Op op)
{
    if (!t)
        return -1;
    const size_t bytes = bytes_of(call, nreduce, size);
    const void *from = dest == source ? MPI_IN_PLACE : some(source, bytes);
    char none[16];              /* of a call without data: not the place that it comes from */
    return mpi_door.allreduce(call, from, bytes ? dest : none, nreduce, type, op, t->comm);
}

/* -- the functions of teams */

#define ON(NAME) const char *call = "shmem_" #NAME; const struct shmem_team *t = team_of(call, team)

#define BROADCAST(NAME, T, SIZE) \
    int pshmem_##NAME(shmem_team_t team, T *dest, const T *source, size_t nelems, int root) \
    { \
        ON(NAME); \
        return broadcast(call, t, dest, source, nelems, SIZE, root, true); \
    } \
    SHMEM_ALIAS(NAME);
#define EXCHANGE(NAME, DO, T, SIZE) \
    int pshmem_##NAME(shmem_team_t team, T *dest, const T *source, size_t nelems) \
    { \
        ON(NAME); \
        return DO(call, t, dest, source, nelems, SIZE); \
    } \
    SHMEM_ALIAS(NAME);
#define STRIDED(NAME, T, SIZE) \
    int pshmem_##NAME(shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
                      size_t nelems) \
    { \
        ON(NAME); \
        return alltoalls(call, t, dest, source, dst, sst, nelems, SIZE); \
    } \
    SHMEM_ALIAS(NAME);
#define TYPED(N, T) \
    BROADCAST(N##_broadcast, T, sizeof(T)) \
    EXCHANGE(N##_collect, collect, T, sizeof(T)) \
    EXCHANGE(N##_fcollect, fcollect, T, sizeof(T)) \
    EXCHANGE(N##_alltoall, alltoall, T, sizeof(T)) \
    STRIDED(N##_alltoalls, T, sizeof(T))
SHMEM_RMA_TYPES(TYPED)
BROADCAST(broadcastmem, void, 1)
EXCHANGE(collectmem, collect, void, 1)
EXCHANGE(fcollectmem, fcollect, void, 1)
EXCHANGE(alltoallmem, alltoall, void, 1)
STRIDED(alltoallsmem, void, 1)

#define SIGNED(T) ((T)-1 < (T)1)
#define INTEGER(T) \
    (sizeof(T) == 1 ? SIGNED(T) ? MPI_INT8_T : MPI_UINT8_T \
     : sizeof(T) == 2 ? SIGNED(T) ? MPI_INT16_T : MPI_UINT16_T \
     : sizeof(T) == 4 ? SIGNED(T) ? MPI_INT32_T : MPI_UINT32_T \
     : SIGNED(T) ? MPI_INT64_T : MPI_UINT64_T)
/* MPI's name of a type; the type is not evaluated where it is no integer. */
#define MPI_TYPE(T) \
    _Generic((T){ 0 }, float: MPI_FLOAT, double: MPI_DOUBLE, long double: MPI_LONG_DOUBLE, \
             float _Complex: MPI_C_FLOAT_COMPLEX, double _Complex: MPI_C_DOUBLE_COMPLEX, \
             default: INTEGER(__typeof__(_Generic((T){ 0 }, float _Complex: 0, \
                                                  double _Complex: 0, default: (T){ 0 }))))

#define REDUCE(N, T, NAME, OP) \
    int pshmem_##N##_##NAME##_reduce(shmem_team_t team, T *dest, const T *source, \
                                     size_t nreduce) \
    { \
        ON(N##_##NAME##_reduce); \
        return reduce(call, t, dest, source, nreduce, sizeof(T), MPI_TYPE(T), OP); \
    } \
    SHMEM_ALIAS(N##_##NAME##_reduce);
#define REDUCE_BITS(N, T) \
    REDUCE(N, T, and, MPI_BAND) REDUCE(N, T, or, MPI_BOR) REDUCE(N, T, xor, MPI_BXOR)
#define REDUCE_ORDER(N, T) REDUCE(N, T, max, MPI_MAX) REDUCE(N, T, min, MPI_MIN)
#define REDUCE_SUM(N, T) REDUCE(N, T, sum, MPI_SUM) REDUCE(N, T, prod, MPI_PROD)
SHMEM_REDUCE_BIT_TYPES(REDUCE_BITS)
SHMEM_REDUCE_ORDER_TYPES(REDUCE_ORDER)
SHMEM_REDUCE_SUM_TYPES(REDUCE_SUM)

/* -- the deprecated ones */

#define OLD_ARGUMENTS int start, int log_stride, int size, long *sync
#define ON_SET(NAME) \
    const char *call = "shmem_" #NAME; \
    const struct shmem_team *t = mpi_shmem_active_set(call, start, log_stride, size); \
    (void)sync

#define OLD_BROADCAST(NAME, SIZE) \
    void pshmem_##NAME(void *dest, const void *source, size_t nelems, int root, OLD_ARGUMENTS) \
    { \
        ON_SET(NAME); \
        broadcast(call, t, dest, source, nelems, SIZE, root, false); \
    } \
    SHMEM_ALIAS(NAME);
#define OLD_EXCHANGE(NAME, DO, SIZE) \
    void pshmem_##NAME(void *dest, const void *source, size_t nelems, OLD_ARGUMENTS) \
    { \
        ON_SET(NAME); \
        DO(call, t, dest, source, nelems, SIZE); \
    } \
    SHMEM_ALIAS(NAME);
#define OLD_STRIDED(NAME, SIZE) \
    void pshmem_##NAME(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                       size_t nelems, OLD_ARGUMENTS) \
    { \
        ON_SET(NAME); \
        alltoalls(call, t, dest, source, dst, sst, nelems, SIZE); \
    } \
    SHMEM_ALIAS(NAME);
#define OLD_SIZED(N, SIZE) \
    OLD_BROADCAST(broadcast##N, SIZE) \
    OLD_EXCHANGE(collect##N, collect, SIZE) \
    OLD_EXCHANGE(fcollect##N, fcollect, SIZE) \
    OLD_EXCHANGE(alltoall##N, alltoall, SIZE) \
    OLD_STRIDED(alltoalls##N, SIZE)
OLD_SIZED(32, 4)
OLD_SIZED(64, 8)

#define TO_ALL(N, T, NAME, OP) \
    void pshmem_##N##_##NAME##_to_all(T *dest, const T *source, int nreduce, int start, \
                                      int log_stride, int size, T *work, long *sync) \
    { \
        ON_SET(N##_##NAME##_to_all); \
        (void)work; \
        if (nreduce < 0) \
            mpi_shmem_die(call, "%d elements", nreduce); \
        reduce(call, t, dest, source, (size_t)nreduce, sizeof(T), MPI_TYPE(T), OP); \
    } \
    SHMEM_ALIAS(N##_##NAME##_to_all);
#define TO_ALL_BITS(N, T) \
    TO_ALL(N, T, and, MPI_BAND) TO_ALL(N, T, or, MPI_BOR) TO_ALL(N, T, xor, MPI_BXOR)
#define TO_ALL_ORDER(N, T) TO_ALL(N, T, max, MPI_MAX) TO_ALL(N, T, min, MPI_MIN)
#define TO_ALL_SUM(N, T) TO_ALL(N, T, sum, MPI_SUM) TO_ALL(N, T, prod, MPI_PROD)
SHMEM_OLD_BIT_TYPES(TO_ALL_BITS)
SHMEM_OLD_ORDER_TYPES(TO_ALL_ORDER)
SHMEM_OLD_SUM_TYPES(TO_ALL_SUM)
