/* A communicator on which a collective has failed is freed by the rank that got the error, while
 * another one still sends to it: what comes late is not taken for a message of the next one. */
#include "t.h"

enum { MANY = 1000, FEW = 10, TIMES = 4 };

static void fill(int *data, int value)
{
    for (int i = 0; i < MANY; i++)
        data[i] = value;
}

/* Rank 0 sends twice; the others take the first message for a shorter one, and no other. */
static void fail(void)
{
    int data[MANY], class;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    fill(data, -1);
    if (t_rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Bcast(data, MANY, MPI_INT, 0, comm);
    } else {
        MPI_Error_class(MPI_Bcast(data, FEW, MPI_INT, 0, comm), &class);
        CHECK(class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT);
    }
    OK(MPI_Comm_free(&comm));
}

static void go_on(void)
{
    int data[MANY];
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < 6; i++) {
        fill(data, t_rank ? -2 : i);
        OK(MPI_Bcast(data, MANY, MPI_INT, 0, comm));
        SAME(data[0], i);
        SAME(data[MANY - 1], i);
    }
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < TIMES; i++) {
        fail();
        go_on();
    }
    return t_end();
}
