/* Wrong arguments of every collective, in each of its forms: the class of the error, and that
 * nothing was begun, so that no rank waits for another. */
#include "t.h"

enum { RANKS_MOST = 5 };

static MPI_Comm comm;
static MPI_Request q;
static int x[64], y[64];
static int counts[RANKS_MOST], displs[RANKS_MOST], bad[RANKS_MOST];
static MPI_Count wide_counts[RANKS_MOST], wide_bad[RANKS_MOST], huge[RANKS_MOST];
static MPI_Aint wide_displs[RANKS_MOST];
static MPI_Datatype types[RANKS_MOST], no_types[RANKS_MOST], loose;

#define ARGS(...) __VA_ARGS__

/* In all forms with counts of int, and with large ones. */
#define FORMS(class, Name, name, large, ...) \
    do { \
        CLASS(MPI_##Name##large(__VA_ARGS__, comm), class); \
        CLASS(MPI_I##name##large(__VA_ARGS__, comm, &q), class); \
        CLASS(MPI_##Name##_init##large(__VA_ARGS__, comm, MPI_INFO_NULL, &q), class); \
    } while (0)
#define EACH(class, Name, name, ...) \
    do { \
        FORMS(class, Name, name, , __VA_ARGS__); \
        FORMS(class, Name, name, _c, __VA_ARGS__); \
    } while (0)
#define EACHV(class, Name, name, narrow, wide) \
    do { \
        FORMS(class, Name, name, , narrow); \
        FORMS(class, Name, name, _c, wide); \
    } while (0)

/* What only calls that do not block have. */
#define REQUESTS(Name, name, ...) \
    do { \
        CLASS(MPI_I##name(__VA_ARGS__, comm, NULL), MPI_ERR_ARG); \
        CLASS(MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, NULL), MPI_ERR_ARG); \
        CLASS(MPI_##Name##_init(__VA_ARGS__, comm, (MPI_Info)x, &q), MPI_ERR_INFO); \
    } while (0)

static void requests(void)
{
    CLASS(MPI_Ibarrier(comm, NULL), MPI_ERR_ARG);
    CLASS(MPI_Barrier_init(comm, (MPI_Info)x, &q), MPI_ERR_INFO);
    REQUESTS(Bcast, bcast, x, 1, MPI_INT, 0);
    REQUESTS(Gather, gather, x, 1, MPI_INT, y, 1, MPI_INT, 0);
    REQUESTS(Scatter, scatter, x, 1, MPI_INT, y, 1, MPI_INT, 0);
    REQUESTS(Gatherv, gatherv, x, 1, MPI_INT, y, counts, displs, MPI_INT, 0);
    REQUESTS(Scatterv, scatterv, x, counts, displs, MPI_INT, y, 1, MPI_INT, 0);
    REQUESTS(Allgather, allgather, x, 1, MPI_INT, y, 1, MPI_INT);
    REQUESTS(Allgatherv, allgatherv, x, 1, MPI_INT, y, counts, displs, MPI_INT);
    REQUESTS(Alltoall, alltoall, x, 1, MPI_INT, y, 1, MPI_INT);
    REQUESTS(Alltoallv, alltoallv, x, counts, displs, MPI_INT, y, counts, displs, MPI_INT);
    REQUESTS(Alltoallw, alltoallw, x, counts, displs, types, y, counts, displs, types);
    REQUESTS(Reduce, reduce, x, y, 1, MPI_INT, MPI_SUM, 0);
    REQUESTS(Allreduce, allreduce, x, y, 1, MPI_INT, MPI_SUM);
    REQUESTS(Reduce_scatter, reduce_scatter, x, y, counts, MPI_INT, MPI_SUM);
    REQUESTS(Reduce_scatter_block, reduce_scatter_block, x, y, 1, MPI_INT, MPI_SUM);
    REQUESTS(Scan, scan, x, y, 1, MPI_INT, MPI_SUM);
    REQUESTS(Exscan, exscan, x, y, 1, MPI_INT, MPI_SUM);
}

/* Whatever the count is, and the type. */
static void counts_and_types(int class, int count, MPI_Datatype type)
{
    EACH(class, Bcast, bcast, x, count, type, 0);
    EACH(class, Gather, gather, x, count, type, y, count, type, 0);
    EACH(class, Scatter, scatter, x, count, type, y, count, type, 0);
    EACH(class, Allgather, allgather, x, count, type, y, 1, MPI_INT);
    EACH(class, Allgather, allgather, x, 1, MPI_INT, y, count, type);
    EACH(class, Allgatherv, allgatherv, x, count, type, y, NULL, NULL, MPI_INT);
    EACH(class, Alltoall, alltoall, x, count, type, y, 1, MPI_INT);
    EACH(class, Alltoall, alltoall, x, 1, MPI_INT, y, count, type);
    EACH(class, Reduce, reduce, x, y, count, type, MPI_SUM, 0);
    EACH(class, Allreduce, allreduce, x, y, count, type, MPI_SUM);
    EACH(class, Reduce_scatter_block, reduce_scatter_block, x, y, count, type, MPI_SUM);
    EACH(class, Scan, scan, x, y, count, type, MPI_SUM);
    EACH(class, Exscan, exscan, x, y, count, type, MPI_SUM);
}

/* What a rank gives itself has another length than it expects. */
static void own_block(int class, int gives, int takes)
{
    EACH(class, Allgather, allgather, x, gives, MPI_INT, y, takes, MPI_INT);
    EACH(class, Alltoall, alltoall, x, gives, MPI_INT, y, takes, MPI_INT);
    if (t_rank == 0) {      /* the root's alone: the others are not there */
        EACH(class, Gather, gather, x, gives, MPI_INT, y, takes, MPI_INT, 0);
        EACH(class, Scatter, scatter, x, gives, MPI_INT, y, takes, MPI_INT, 0);
    }
}

/* The others expect a number each. */
static void own_blocks(int class, int gives)
{
    int out[RANKS_MOST];
    MPI_Count wide_out[RANKS_MOST];
    for (int i = 0; i < t_size; i++)
        wide_out[i] = out[i] = i == t_rank ? gives : 1;
    EACHV(class, Allgatherv, allgatherv, ARGS(x, gives, MPI_INT, y, counts, displs, MPI_INT),
          ARGS(x, gives, MPI_INT, y, wide_counts, wide_displs, MPI_INT));
    EACHV(class, Alltoallv, alltoallv, ARGS(x, out, displs, MPI_INT, y, counts, displs, MPI_INT),
          ARGS(x, wide_out, wide_displs, MPI_INT, y, wide_counts, wide_displs, MPI_INT));
    EACHV(class, Alltoallw, alltoallw, ARGS(x, out, displs, types, y, counts, displs, types),
          ARGS(x, wide_out, wide_displs, types, y, wide_counts, wide_displs, types));
    if (t_rank == 0) {
        EACHV(class, Gatherv, gatherv, ARGS(x, gives, MPI_INT, y, counts, displs, MPI_INT, 0),
              ARGS(x, gives, MPI_INT, y, wide_counts, wide_displs, MPI_INT, 0));
        EACHV(class, Scatterv, scatterv, ARGS(x, out, displs, MPI_INT, y, 1, MPI_INT, 0),
              ARGS(x, wide_out, wide_displs, MPI_INT, y, 1, MPI_INT, 0));
    }
}

static void vectors(void)
{
    EACHV(MPI_ERR_COUNT, Allgatherv, allgatherv, ARGS(x, 1, MPI_INT, y, bad, displs, MPI_INT),
          ARGS(x, 1, MPI_INT, y, wide_bad, wide_displs, MPI_INT));
    EACHV(MPI_ERR_COUNT, Alltoallv, alltoallv,
          ARGS(x, bad, displs, MPI_INT, y, counts, displs, MPI_INT),
          ARGS(x, wide_bad, wide_displs, MPI_INT, y, wide_counts, wide_displs, MPI_INT));
    EACHV(MPI_ERR_COUNT, Alltoallw, alltoallw,
          ARGS(x, counts, displs, types, y, bad, displs, types),
          ARGS(x, wide_counts, wide_displs, types, y, wide_bad, wide_displs, types));
    EACHV(MPI_ERR_TYPE, Alltoallw, alltoallw,
          ARGS(x, counts, displs, types, y, counts, displs, no_types),
          ARGS(x, wide_counts, wide_displs, no_types, y, wide_counts, wide_displs, types));
    EACHV(MPI_ERR_COUNT, Reduce_scatter, reduce_scatter, ARGS(x, y, bad, MPI_INT, MPI_SUM),
          ARGS(x, y, wide_bad, MPI_INT, MPI_SUM));
    EACH(MPI_ERR_ARG, Allgatherv, allgatherv, x, 1, MPI_INT, y, NULL, NULL, MPI_INT);
    EACH(MPI_ERR_ARG, Alltoallv, alltoallv, x, NULL, NULL, MPI_INT, y, NULL, NULL, MPI_INT);
    EACH(MPI_ERR_ARG, Alltoallw, alltoallw, x, NULL, NULL, NULL, y, NULL, NULL, NULL);
    EACH(MPI_ERR_ARG, Reduce_scatter, reduce_scatter, x, y, NULL, MPI_INT, MPI_SUM);
    if (t_rank == 0) {      /* the root's alone: the others are not there */
        EACHV(MPI_ERR_COUNT, Gatherv, gatherv, ARGS(x, 1, MPI_INT, y, bad, displs, MPI_INT, 0),
              ARGS(x, 1, MPI_INT, y, wide_bad, wide_displs, MPI_INT, 0));
        EACHV(MPI_ERR_COUNT, Scatterv, scatterv, ARGS(x, bad, displs, MPI_INT, y, 1, MPI_INT, 0),
              ARGS(x, wide_bad, wide_displs, MPI_INT, y, 1, MPI_INT, 0));
        EACH(MPI_ERR_ARG, Gatherv, gatherv, x, 1, MPI_INT, y, NULL, NULL, MPI_INT, 0);
        EACH(MPI_ERR_ARG, Scatterv, scatterv, x, NULL, NULL, MPI_INT, y, 1, MPI_INT, 0);
    }
    FORMS(MPI_ERR_COUNT, Allgatherv, allgatherv, _c, x, 1, MPI_INT, y, huge, wide_displs, MPI_INT);
    FORMS(MPI_ERR_COUNT, Reduce_scatter, reduce_scatter, _c, x, y, huge, MPI_INT, MPI_SUM);
    FORMS(MPI_ERR_COUNT, Bcast, bcast, _c, x, INT64_MAX / 2, MPI_INT, 0);
    FORMS(MPI_ERR_COUNT, Allreduce, allreduce, _c, x, y, INT64_MAX / 2, MPI_INT, MPI_SUM);
}

/* As many as one rank can have, but not each of two. */
static void too_many_in_all(void)
{
    const MPI_Count most = INT64_MAX / (MPI_Count)sizeof(int);
    MPI_Count ints[RANKS_MOST], bytes[RANKS_MOST];
    for (int i = 0; i < RANKS_MOST; i++) {
        ints[i] = most;
        bytes[i] = INT64_MAX;
    }
    FORMS(MPI_ERR_COUNT, Allgatherv, allgatherv, _c, x, most, MPI_INT, y, ints, wide_displs,
          MPI_INT);
    FORMS(MPI_ERR_COUNT, Allgatherv, allgatherv, _c, x, INT64_MAX, MPI_BYTE, y, bytes,
          wide_displs, MPI_BYTE);
    FORMS(MPI_ERR_COUNT, Alltoall, alltoall, _c, x, most, MPI_INT, y, most, MPI_INT);
    FORMS(MPI_ERR_COUNT, Allgather, allgather, _c, x, most, MPI_INT, y, most, MPI_INT);
    FORMS(MPI_ERR_COUNT, Reduce_scatter_block, reduce_scatter_block, _c, x, y, most, MPI_INT,
          MPI_SUM);
}

static void operations(int class, MPI_Datatype type, MPI_Op op)
{
    EACH(class, Reduce, reduce, x, y, 1, type, op, 0);
    EACH(class, Allreduce, allreduce, x, y, 1, type, op);
    EACH(class, Reduce_scatter_block, reduce_scatter_block, x, y, 1, type, op);
    EACHV(class, Reduce_scatter, reduce_scatter, ARGS(x, y, counts, type, op),
          ARGS(x, y, wide_counts, type, op));
    EACH(class, Scan, scan, x, y, 1, type, op);
    EACH(class, Exscan, exscan, x, y, 1, type, op);
}

static void roots(int root)
{
    EACH(MPI_ERR_ROOT, Bcast, bcast, x, 1, MPI_INT, root);
    EACH(MPI_ERR_ROOT, Gather, gather, x, 1, MPI_INT, y, 1, MPI_INT, root);
    EACH(MPI_ERR_ROOT, Gatherv, gatherv, x, 1, MPI_INT, y, NULL, NULL, MPI_INT, root);
    EACH(MPI_ERR_ROOT, Scatter, scatter, x, 1, MPI_INT, y, 1, MPI_INT, root);
    EACH(MPI_ERR_ROOT, Scatterv, scatterv, x, NULL, NULL, MPI_INT, y, 1, MPI_INT, root);
    EACH(MPI_ERR_ROOT, Reduce, reduce, x, y, 1, MPI_INT, MPI_SUM, root);
}

/* No mistake: where there are no data there need be no type. */
static void no_type(void)
{
    static const int none[RANKS_MOST];
    MPI_Datatype null[RANKS_MOST];
    for (int i = 0; i < RANKS_MOST; i++)
        null[i] = MPI_DATATYPE_NULL;
    OK(MPI_Alltoallw(x, none, none, null, y, none, none, null, comm));
}

static void buffers(void)
{
    const void *in_place = MPI_IN_PLACE;
    int other = (t_rank + 1) % t_size;
    EACH(MPI_ERR_BUFFER, Bcast, bcast, NULL, 1, MPI_INT, 0);
    EACH(MPI_ERR_BUFFER, Allreduce, allreduce, x, NULL, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Allreduce, allreduce, x, x, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Allreduce, allreduce, x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Allgather, allgather, NULL, 1, MPI_INT, y, 1, MPI_INT);
    EACH(MPI_ERR_BUFFER, Allgather, allgather, x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT);
    EACH(MPI_ERR_BUFFER, Allgather, allgather, x, 1, MPI_INT, x, 1, MPI_INT);
    EACH(MPI_ERR_BUFFER, Alltoall, alltoall, x, 1, MPI_INT, NULL, 1, MPI_INT);
    EACH(MPI_ERR_BUFFER, Alltoall, alltoall, x, 1, MPI_INT, x, 1, MPI_INT);
    EACHV(MPI_ERR_BUFFER, Alltoallw, alltoallw,
          ARGS(x, counts, displs, types, x, counts, displs, types),
          ARGS(x, wide_counts, wide_displs, types, x, wide_counts, wide_displs, types));
    EACH(MPI_ERR_BUFFER, Bcast, bcast, MPI_IN_PLACE, 1, MPI_INT, 0);
    EACH(MPI_ERR_BUFFER, Alltoall, alltoall, x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT);
    EACHV(MPI_ERR_BUFFER, Alltoallv, alltoallv,
          ARGS(x, counts, displs, MPI_INT, MPI_IN_PLACE, counts, displs, MPI_INT),
          ARGS(x, wide_counts, wide_displs, MPI_INT, MPI_IN_PLACE, wide_counts, wide_displs,
               MPI_INT));
    EACHV(MPI_ERR_BUFFER, Alltoallw, alltoallw,
          ARGS(x, counts, displs, types, MPI_IN_PLACE, counts, displs, types),
          ARGS(x, wide_counts, wide_displs, types, MPI_IN_PLACE, wide_counts, wide_displs, types));
    if (t_size > 1) {
        EACH(MPI_ERR_BUFFER, Gather, gather, in_place, 1, MPI_INT, y, 1, MPI_INT, other);
        EACH(MPI_ERR_BUFFER, Scatter, scatter, x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, other);
        EACH(MPI_ERR_BUFFER, Reduce, reduce, in_place, y, 1, MPI_INT, MPI_SUM, other);
    }
}

/* Of reductions both buffers count, but beside the root. */
static void reduction_buffers(void)
{
    EACH(MPI_ERR_BUFFER, Allreduce, allreduce, NULL, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Scan, scan, NULL, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Scan, scan, x, x, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Scan, scan, x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Exscan, exscan, NULL, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Reduce_scatter_block, reduce_scatter_block, NULL, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Reduce_scatter_block, reduce_scatter_block, x, x, 1, MPI_INT, MPI_SUM);
    EACHV(MPI_ERR_BUFFER, Reduce_scatter, reduce_scatter,
          ARGS(x, MPI_IN_PLACE, counts, MPI_INT, MPI_SUM),
          ARGS(x, MPI_IN_PLACE, wide_counts, MPI_INT, MPI_SUM));
    if (t_rank == 0)
        EACH(MPI_ERR_BUFFER, Reduce, reduce, NULL, y, 1, MPI_INT, MPI_SUM, 0);
}

static void on_intercommunicator(void)
{
    const void *in_place = MPI_IN_PLACE;
    MPI_Comm group;
    int peers;

    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank > 0, t_rank, &group));
    OK(MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, t_rank == 0, 0, &comm));
    OK(MPI_Comm_remote_size(comm, &peers));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    roots(peers);
    roots(-99);
    EACH(MPI_ERR_COMM, Scan, scan, x, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_COMM, Exscan, exscan, x, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Allreduce, allreduce, in_place, y, 1, MPI_INT, MPI_SUM);
    EACH(MPI_ERR_BUFFER, Allgather, allgather, in_place, 1, MPI_INT, y, 1, MPI_INT);
    EACH(MPI_ERR_BUFFER, Alltoall, alltoall, in_place, 1, MPI_INT, y, 1, MPI_INT);
    EACH(MPI_ERR_BUFFER, Reduce_scatter_block, reduce_scatter_block, in_place, y, 1, MPI_INT,
         MPI_SUM);
    EACHV(MPI_ERR_BUFFER, Alltoallw, alltoallw,
          ARGS(in_place, counts, displs, types, y, counts, displs, types),
          ARGS(in_place, wide_counts, wide_displs, types, y, wide_counts, wide_displs, types));
    EACH(MPI_ERR_BUFFER, Gather, gather, in_place, 1, MPI_INT, y, 1, MPI_INT, 0);
    EACH(MPI_ERR_BUFFER, Reduce, reduce, in_place, y, 1, MPI_INT, MPI_SUM, 0);
    OK(MPI_Barrier(comm));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&group));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    OK(MPI_Type_contiguous(2, MPI_INT, &loose));
    for (int i = 0; i < RANKS_MOST; i++) {
        wide_counts[i] = counts[i] = 1;
        wide_displs[i] = displs[i] = 4 * i;
        wide_bad[i] = bad[i] = i < t_size - 1;
        huge[i] = INT64_MAX / 3;
        types[i] = no_types[i] = MPI_INT;
    }
    wide_bad[t_size - 1] = bad[t_size - 1] = -1;
    no_types[t_size - 1] = MPI_DATATYPE_NULL;
    comm = MPI_COMM_WORLD;
    requests();
    counts_and_types(MPI_ERR_COUNT, -1, MPI_INT);
    counts_and_types(MPI_ERR_TYPE, 1, MPI_DATATYPE_NULL);
    counts_and_types(MPI_ERR_TYPE, 1, loose);
    own_block(MPI_ERR_TRUNCATE, 3, 2);
    own_block(MPI_ERR_COUNT, 1, t_size + 1);
    own_blocks(MPI_ERR_TRUNCATE, 2);
    own_blocks(MPI_ERR_COUNT, 0);
    vectors();
    if (t_size > 1)
        too_many_in_all();
    operations(MPI_ERR_OP, MPI_INT, MPI_OP_NULL);
    operations(MPI_ERR_OP, MPI_INT, (MPI_Op)x);
    operations(MPI_ERR_OP, MPI_DOUBLE, MPI_BAND);
    operations(MPI_ERR_OP, MPI_INT, MPI_REPLACE);
    roots(-1);
    roots(t_size);
    roots(MPI_ROOT);
    roots(MPI_PROC_NULL);
    buffers();
    reduction_buffers();
    no_type();
    if (t_size > 1)
        on_intercommunicator();
    comm = MPI_COMM_NULL;
    EACH(MPI_ERR_COMM, Reduce_scatter, reduce_scatter, x, y, NULL, MPI_INT, MPI_SUM);
    counts_and_types(MPI_ERR_COMM, 1, MPI_INT);
    CLASS(MPI_Barrier(comm), MPI_ERR_COMM);
    CLASS(MPI_Ibarrier(comm, &q), MPI_ERR_COMM);
    CLASS(MPI_Barrier_init(comm, MPI_INFO_NULL, &q), MPI_ERR_COMM);
    OK(MPI_Type_free(&loose));
    OK(MPI_Barrier(MPI_COMM_WORLD));        /* all that were refused left the order as it was */
    return t_end();
}
