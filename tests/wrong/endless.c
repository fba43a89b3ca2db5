/* endless WHICH [right]: loops that ask MPI again and again, and cannot end, which mpirun --check
 * finds out; with "right" they end. */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static int rank, size, last;
static bool right;
static int data[2], other[2];

static void in_test(void)
{
    MPI_Request r;
    int done = 0;
    MPI_Irecv(other, 1, MPI_INT, (rank + 1) % size, 27, MPI_COMM_WORLD, &r);
    MPI_Send(data, 1, MPI_INT, (rank + size - 1) % size, right ? 27 : 28, MPI_COMM_WORLD);
    while (!done)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

/* Each of the three by another call. */
static void in_status(void)
{
    MPI_Request r;
    int done = 0, which[1];
    MPI_Irecv(other, 1, MPI_INT, (rank + 1) % size, 27, MPI_COMM_WORLD, &r);
    MPI_Send(data, 1, MPI_INT, (rank + size - 1) % size, right ? 27 : 28, MPI_COMM_WORLD);
    while (rank == 0 && !done)
        MPI_Request_get_status_all(1, &r, &done, MPI_STATUSES_IGNORE);
    while (rank == 1 && !done)
        MPI_Request_get_status_any(1, &r, which, &done, MPI_STATUS_IGNORE);
    while (rank == 2 && !done)
        MPI_Request_get_status_some(1, &r, &done, which, MPI_STATUSES_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* A part that is never ready. */
static void in_part(void)
{
    MPI_Request r;
    int there = 0;
    if (rank == last)
        MPI_Psend_init(data, 2, 1, MPI_INT, 0, 27, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    else if (!rank)
        MPI_Precv_init(other, 2, 1, MPI_INT, last, 27, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    if (rank == last || !rank)
        MPI_Start(&r);
    if (rank == last)
        for (int part = right ? 0 : 1; part < 2; part++)
            MPI_Pready(part, r);
    while (!rank && !there)
        MPI_Parrived(r, 0, &there);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last || !rank) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Request_free(&r);
    }
}

/* The others wait for rank 0, which waits for a message that nobody sends. */
static void in_probe(void)
{
    int there = 0;
    if (rank == last && right)
        MPI_Send(data, 1, MPI_INT, 0, 29, MPI_COMM_WORLD);
    while (!rank && !there)
        MPI_Iprobe(MPI_ANY_SOURCE, 29, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there)
        MPI_Recv(other, 1, MPI_INT, MPI_ANY_SOURCE, 29, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void in_improbe(void)
{
    MPI_Message m = MPI_MESSAGE_NULL;
    int there = 0;
    if (rank == last && right)
        MPI_Send(data, 1, MPI_INT, 0, 29, MPI_COMM_WORLD);
    while (!rank && !there)
        MPI_Improbe(MPI_ANY_SOURCE, 29, MPI_COMM_WORLD, &there, &m, MPI_STATUS_IGNORE);
    if (there)
        MPI_Mrecv(other, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

#define LOOP(name) { #name, in_##name }
static const struct { const char *name; void (*run)(void); } loops[] = {
    LOOP(test), LOOP(status), LOOP(part), LOOP(probe), LOOP(improbe),
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size - 1;
    right = argc > 2;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (argc > 1 && !strcmp(argv[1], loops[i].name))
            loops[i].run();
    MPI_Finalize();
    return 0;
}
