/* stream MESSAGES PACE: rank 0 sends so many messages of 8 bytes to rank 1 and computes for PACE
 * nanoseconds of virtual time between them; rank 1, which only receives, stops for a while in real
 * time now and then.  Each says by how many KiB its memory has grown. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { STOPS_EVERY = 5000 };

static long memory(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_maxrss;
}

static void stop(void) { nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL); }

int main(int argc, char **argv)
{
    long messages = argc > 2 ? atol(argv[1]) : 0;
    double pace = argc > 2 ? atof(argv[2]) * 1e-9 : 0;
    char data[8] = "";
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long before = memory();
    for (long i = 0; i < messages; i++) {
        if (rank == 0) {
            MPI_Send(data, sizeof data, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            if (pace > 0)
                MPIX_Compute(pace);
        } else {
            MPI_Recv(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (i % STOPS_EVERY == 0)
                stop();
        }
    }
    printf("rank %d: %ld\n", rank, memory() - before);
    MPI_Finalize();
    return 0;
}
