/* streams: one PE writes single words to all others, in three orders (Underwood and others, on a
 * NIC for partitioned global address spaces): cyclic, a word to each PE in turn; block-cyclic, some
 * to the same PE before the next; indirect, to the PE and the place that a table of random numbers
 * names.  The rates tell what it costs to change the target. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 16 };

static uint64_t wrong, all_wrong;       /* symmetric, as they are static */

/* Where word i goes: the PE among the others, and the place in its part. */
struct target { int pe; long at; };
typedef struct target order_fn(long i, long words, const uint32_t *table);

static void usage(FILE *out)
{
    fprintf(out, "usage: oshrun -n PES streams [WORDS]\n\n"
                 "WORDS of 8 bytes for each PE (default 4096), in each of three orders.\n");
}

static int others(void) { return shmem_n_pes() - 1; }

static struct target cyclic(long i, long words, const uint32_t *table)
{
    (void)words, (void)table;
    return (struct target){ 1 + (int)(i % others()), i / others() };
}

static struct target block_cyclic(long i, long words, const uint32_t *table)
{
    const long block = i / BLOCK;
    (void)table;
    if (words % BLOCK)
        return cyclic(i, words, table);
    return (struct target){ 1 + (int)(block % others()), block / others() * BLOCK + i % BLOCK };
}

static struct target indirect(long i, long words, const uint32_t *table)
{
    return (struct target){ 1 + (int)(table[i] / words), table[i] % words };
}

/* All words of all PEs, each once, in a random order. */
static uint32_t *shuffled(long all)
{
    uint32_t *table = malloc((size_t)all * sizeof *table);
    uint64_t state = 12345;
    for (long i = 0; i < all; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const long other = (long)((state >> 33) % (uint64_t)(i + 1));
        table[i] = table[other];
        table[other] = (uint32_t)i;
    }
    return table;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t value_of(int kind, int pe, long at)
{
    return (uint64_t)kind << 56 | (uint64_t)pe << 40 | (uint64_t)at;
}

static int stream(int kind, const char *name, order_fn *order, uint64_t *memory, long words)
{
    const long all = words * others();
    uint32_t *table = shmem_my_pe() ? NULL : shuffled(all);
    double start = now();
    for (long i = 0; table && i < all; i++) {
        const struct target t = order(i, words, table);
        shmem_p(&memory[t.at], value_of(kind, t.pe, t.at), t.pe);
    }
    shmem_quiet();
    double seconds = now() - start;
    free(table);
    shmem_barrier_all();
    wrong = 0;
    for (long i = 0; shmem_my_pe() && i < words; i++)
        wrong += memory[i] != value_of(kind, shmem_my_pe(), i);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_wrong, &wrong, 1);
    if (shmem_my_pe() == 0)
        printf("%-12s to %d PEs, %.3f million words per second: %s\n", name, others(),
               1e-6 * (double)all / (seconds > 0 ? seconds : 1e-9), all_wrong ? "WRONG" : "right");
    shmem_barrier_all();        /* all_wrong is not changed before all have seen it */
    return all_wrong != 0;
}

int main(int argc, char **argv)
{
    long words = argc > 1 ? atol(argv[1]) : 4096;
    int failed = 0;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || words < 1 || words > 1000000) {
        usage(stderr);
        return 2;
    }
    shmem_init();
    if (shmem_n_pes() < 2) {
        fprintf(stderr, "streams needs two PEs at least\n");
        shmem_global_exit(1);
    }
    uint64_t *memory = shmem_calloc((size_t)words, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "no symmetric memory for %ld words\n", words);
        shmem_global_exit(1);
    }
    failed |= stream(1, "cyclic", cyclic, memory, words);
    failed |= stream(2, "block-cyclic", block_cyclic, memory, words);
    failed |= stream(3, "indirect", indirect, memory, words);
    shmem_free(memory);
    shmem_finalize();
    return failed;
}
