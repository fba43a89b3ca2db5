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

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 3; i++) {
        wrong();
        if (t_size == 2)
            too_short(i);
        in = t_rank + i;
        OK(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        SAME(out, t_size * (t_size - 1) / 2 + i * t_size);
    }
    return t_end();
}
