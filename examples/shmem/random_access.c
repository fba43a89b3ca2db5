/* random_access: updates at random places of a table that all PEs have together, as the HPC
 * Challenge benchmark of that name does: the rate tells how fast single words are reached.
 *
 * Each PE exclusive-ors a stream of random numbers into the table; which element it is the number
 * itself says.  The operation is atomic, so none is lost, and doing all of it a second time must
 * bring the table back to what it was. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t wrong, all_wrong;       /* symmetric, as they are static */

static void usage(FILE *out)
{
    fprintf(out, "usage: oshrun -n PES random_access [LOG2_ELEMENTS [UPDATES]]\n\n"
                 "UPDATES by each PE (default 4 per element of its own) in a table of\n"
                 "2^LOG2_ELEMENTS per PE (default 16) words of 8 bytes.\n");
}

/* A number is twice the one before, modulo a primitive polynomial. */
static uint64_t next(uint64_t x) { return x << 1 ^ (x >> 63 ? 7 : 0); }

static void update(uint64_t *table, unsigned log2, long updates)
{
    const uint64_t mask = ((uint64_t)1 << log2) - 1, pes = (uint64_t)shmem_n_pes();
    uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(shmem_my_pe() + 1);
    for (long i = 0; i < updates; i++) {
        x = next(x);
        shmem_atomic_xor(&table[x & mask], x, (int)((x >> log2) % pes));
    }
    shmem_barrier_all();
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t count_wrong(const uint64_t *table, unsigned log2)
{
    wrong = 0;
    for (uint64_t i = 0; i >> log2 == 0; i++)
        wrong += table[i] != i;
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_wrong, &wrong, 1);
    return all_wrong;
}

static int measure(unsigned log2, long updates)
{
    uint64_t *table = shmem_malloc(sizeof *table << log2);
    if (!table) {
        if (shmem_my_pe() == 0)
            fprintf(stderr, "the table needs SHMEM_SYMMETRIC_SIZE=%zu\n", sizeof *table << log2);
        return 1;
    }
    for (uint64_t i = 0; i >> log2 == 0; i++)
        table[i] = i;
    shmem_barrier_all();
    double start = now();
    update(table, log2, updates);
    double seconds = now() - start;
    update(table, log2, updates);
    uint64_t lost = count_wrong(table, log2);
    if (shmem_my_pe() == 0)
        printf("%d PEs, %.3f million updates per second: %s\n", shmem_n_pes(),
               1e-6 * (double)updates * shmem_n_pes() / seconds, lost ? "WRONG" : "right");
    shmem_free(table);
    return lost != 0;
}

int main(int argc, char **argv)
{
    long log2 = argc > 1 ? atol(argv[1]) : 16, updates = argc > 2 ? atol(argv[2]) : 0;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 3 || log2 < 1 || log2 > 40 || updates < 0) {
        usage(stderr);
        return 2;
    }
    shmem_init();
    int failed = measure((unsigned)log2, updates ? updates : 4L << log2);
    shmem_finalize();
    return failed;
}
