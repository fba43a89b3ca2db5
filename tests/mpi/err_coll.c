/* Wrong arguments of collective calls, the same on all ranks:
 * the right class, and collectives go on working. */
#include <unistd.h>

#include "t.h"

static int in, out;

static void wrong(void)
{
    CLASS(MPI_Bcast(&in, 1, MPI_INT, t_size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Bcast(&in, 1, MPI_INT, -1, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Bcast(&in, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Bcast(&in, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CLASS(MPI_Bcast(&in, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, t_size + 1, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Reduce(&in, &out, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(&in, &out, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Gather(&in, 1, MPI_INT, &out, 1, MPI_INT, t_size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Scatter(&in, 1, MPI_INT, &out, 1, MPI_INT, -2000, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Allgather(&in, -1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Alltoall(&in, 1, MPI_DATATYPE_NULL, &out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CLASS(MPI_Scan(&in, &out, 1, MPI_FLOAT, MPI_LXOR, MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
}

/* Of 536 bytes where 1024 are expected: lengths that the numbers of messages do not tell apart
 * (coll/fingerprint.h), so that what has come is found to be too short.  late: it is there before
 * anybody waits for it. */
static void too_short(int late)
{
    static char data[1024];
    if (t_rank && late)
        usleep(20000);
    if (t_rank)
        CLASS(MPI_Bcast(data, 1024, MPI_CHAR, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    else
        OK(MPI_Bcast(data, 536, MPI_CHAR, 0, MPI_COMM_WORLD));
}

/* The same of every second byte, and of a call that is started: data with gaps stay as they were,
 * since what has come is not all of them. */
static void too_short_elsewhere(int later)
{
    static char data[2 * 1024];
    MPI_Datatype second;
    MPI_Request r = MPI_REQUEST_NULL;
    int code;
    OK(MPI_Type_create_resized(MPI_CHAR, 0, 2, &second));
    OK(MPI_Type_commit(&second));
    memset(data, t_rank ? 'a' : 'b', sizeof data);
    for (int gaps = 0; gaps < 2; gaps++) {
        MPI_Datatype type = gaps ? second : MPI_CHAR;
        int count = t_rank ? 1024 : 536;
        if (later) {
            OK(MPI_Ibcast(data, count, type, 0, MPI_COMM_WORLD, &r));
            code = MPI_Wait(&r, MPI_STATUS_IGNORE);
        } else {
            code = MPI_Bcast(data, count, type, 0, MPI_COMM_WORLD);
        }
        CLASS(code, t_rank ? MPI_ERR_COUNT : MPI_SUCCESS);
        for (int i = 0; i < (int)sizeof data && gaps; i++)
            SAME(data[i], t_rank ? 'a' : 'b');
        memset(data, t_rank ? 'a' : 'b', sizeof data);
    }
    OK(MPI_Type_free(&second));
}

/* Rank 0 expects one element fewer of rank 1 than that gives; the longest block is as long at both.
 * Long enough to go through memory where ranks share some. */
static void another_length(int count)
{
    const int counts[2] = { count, count - (t_rank == 0) }, displs[2] = { 0, count };
    int *all = t_ints(2 * count);
    MPI_Request r = MPI_REQUEST_NULL;
    for (int later = 0; later < 2; later++) {
        int class = MPI_SUCCESS, code;
        if (later) {
            OK(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displs, MPI_INT,
                               MPI_COMM_WORLD, &r));
            code = MPI_Wait(&r, MPI_STATUS_IGNORE);
        } else {
            code = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displs, MPI_INT,
                                  MPI_COMM_WORLD);
        }
        OK(MPI_Error_class(code, &class));
        CHECK(t_rank ? class == MPI_SUCCESS : class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT);
    }
    free(all);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 3; i++) {
        wrong();
        if (t_size == 2) {
            too_short(i);
            too_short_elsewhere(i % 2);
            another_length(i ? 30000 * i : 10000);
        }
        in = t_rank + i;
        OK(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        SAME(out, t_size * (t_size - 1) / 2 + i * t_size);
    }
    return t_end();
}
