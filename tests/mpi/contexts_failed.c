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

/* The same between two groups: the lower ranks' rank 0 sends, and of the upper ones the first takes
 * the message for a shorter one.  The others get from that what they expect, or an error, too. */
static MPI_Comm bridge(MPI_Comm half, int upper)
{
    MPI_Comm inter;
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : (t_size + 1) / 2, 3, &inter));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    return inter;
}

static void fail_between(MPI_Comm half, int upper, int root)
{
    int data[MANY], class = -1;
    MPI_Comm inter = bridge(half, upper);
    fill(data, -1);
    for (int i = 0; i < 2 && !upper; i++)
        MPI_Bcast(data, MANY, MPI_INT, root, inter);
    if (upper)
        MPI_Error_class(MPI_Bcast(data, FEW, MPI_INT, 0, inter), &class);
    CHECK(t_rank != (t_size + 1) / 2 || class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT);
    OK(MPI_Comm_free(&inter));
}

static void go_on_between(MPI_Comm half, int upper, int root)
{
    int data[MANY];
    MPI_Comm inter = bridge(half, upper);
    for (int i = 0; i < 6; i++) {
        fill(data, upper ? -2 : i);
        OK(MPI_Bcast(data, MANY, MPI_INT, root, inter));
        SAME(data[0], i);
        SAME(data[MANY - 1], i);
    }
    OK(MPI_Comm_free(&inter));
}

static void groups(void)
{
    int upper = t_rank >= (t_size + 1) / 2;
    int root = upper ? 0 : t_rank ? MPI_PROC_NULL : MPI_ROOT;
    MPI_Comm half;
    OK(MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half));
    for (int i = 0; i < TIMES; i++) {
        fail_between(half, upper, root);
        go_on_between(half, upper, root);
    }
    OK(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < TIMES; i++) {
        fail();
        go_on();
    }
    if (t_size > 1)
        groups();
    return t_end();
}
