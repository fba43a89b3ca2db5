/* No rank leaves a barrier before the last one has come: counted in memory that all ranks map. */
#include "t.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 60 };

static atomic_int *counters;
static int number;

static void map_counters(void)
{
    const char *folder = getenv("MPI_TEST_DIR");
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/barrier", folder ? folder : "/tmp");
    if (t_rank == 0)
        unlink(path);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    CHECK(ftruncate(fd, 4096) == 0);
    counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(counters != MAP_FAILED);
    close(fd);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0)
        unlink(path);
}

/* A counter of its own for every communicator; odd and even ranks have different ones at the same time. */
static atomic_int *next_counter(MPI_Comm comm, int size)
{
    static atomic_int own;
    int place = number++ * 2;

    if (comm == MPI_COMM_SELF)
        return &own;
    return &counters[(place + (size < t_size ? t_rank % 2 : 0)) * 16];
}

static void body(MPI_Comm comm, int rank, int size)
{
    atomic_int *arrived = next_counter(comm, size);

    (void)rank;
    for (int round = 1; round <= ROUNDS; round++) {
        int seen;

        atomic_fetch_add(arrived, 1);
        OK(MPI_Barrier(comm));
        seen = atomic_load(arrived);
        if (seen != round * size)
            FAIL("round %d: %d arrivals of %d ranks", round, seen, size);
        OK(MPI_Barrier(comm));
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    map_counters();
    t_on_comms(body);
    return t_end();
}
