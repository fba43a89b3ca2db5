/* One message of more than 2 GiB, counted in 8-byte elements.  Needs 5 GB. */
#include "t.h"

enum { COUNT = 300 * 1000 * 1000, NEEDED_KB = 8 << 20 };

static int memory_available(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    long kb = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %ld kB", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb >= NEEDED_KB;
}

static void check(const int64_t *data)
{
    int64_t wrong = 0;

    for (int64_t i = 0; i < COUNT; i++)
        wrong += data[i] != i * 3 + 1;
    SAME(wrong, 0);
}

int main(int argc, char **argv)
{
    const char *scale = getenv("TEST_TIMEOUT_SCALE");
    int64_t *data;
    MPI_Status status;
    int enough, count;

    t_start(&argc, &argv);
    enough = memory_available() && !(scale && atoi(scale) > 1);
    OK(MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD));
    if (!enough)
        t_skip("needs 8 GB of free memory and a build that is not instrumented");
    data = t_alloc((size_t)COUNT * sizeof *data);
    if (t_rank == 0) {
        for (int64_t i = 0; i < COUNT; i++)
            data[i] = i * 3 + 1;
        OK(MPI_Send(data, COUNT, MPI_INT64_T, 1, 0, MPI_COMM_WORLD));
    } else if (t_rank == 1) {
        OK(MPI_Recv(data, COUNT, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, MPI_INT64_T, &count));
        SAME(count, COUNT);
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        SAME(count, MPI_UNDEFINED);
        check(data);
    }
    free(data);
    return t_end();
}
