/* updates: random updates of a table that all nodes have together, by puts.
 *
 * The loop of figure 14 of Underwood, Levenhagen and Brightwell: each PE sends each random number
 * to the PE that it belongs to, where every other PE has a buffer; behind a barrier each looks
 * through its buffers and changes its part of the table.  All updates go to the network.  What an
 * update takes besides is the profile's call.update (MPIX_Compute_key). */
#include "bench.h"

#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 4096 };          /* words of a PE; a power of two */

struct options { long rounds, updates; };

static const char usage[] =
    "usage: oshrun -n PES updates [-r ROUNDS] [-u UPDATES]\n\n"
    "  -r, --rounds N      rounds (default 2)\n"
    "  -u, --updates N     updates of a PE in a round (default 512)\n"
    "  -h, --help          print this text\n\n"
    "Prints the million updates a second of all PEs.\n";

static struct options o = { .rounds = 2, .updates = 512 };
static int me, pes;
static uint64_t *updates, *table, ran;
static int *count;
static uint64_t sent, changed, all_sent, all_changed;       /* symmetric, as they are static */

static void work(void)
{
#ifdef MPIX_COMPUTE_KEY
    MPIX_Compute_key("call.update", 1);
#endif
}

/* The buffer of a PE here has so many words, the last of which is 0. */
static uint64_t *buffer_of(int pe) { return updates + (size_t)pe * ((size_t)o.updates + 1); }

static void send_all(void)
{
    for (long i = 0; i < o.updates; i++) {
        ran = ran << 1 ^ (ran >> 63 ? 7 : 0);
        const int pe = (int)((ran >> 12) % (uint64_t)pes);
        shmem_uint64_put(&buffer_of(me)[count[pe]], &ran, 1, pe);
        ++count[pe];
        sent ^= ran;
    }
    memset(count, 0, (size_t)pes * sizeof *count);
}

static void change_table(void)
{
    for (int pe = 0; pe < pes; pe++)
        for (uint64_t *word = buffer_of(pe); *word; word++) {
            table[*word & (TABLE - 1)] ^= *word;
            changed ^= *word;
            work();
            *word = 0;
        }
}

static double measure(void)
{
    shmem_barrier_all();
    double start = MPI_Wtime();
    for (long k = 0; k < o.rounds; k++) {
        send_all();
        shmem_barrier_all();
        change_table();
        shmem_barrier_all();
    }
    return (double)o.updates * (double)o.rounds * pes / (MPI_Wtime() - start);
}

static int run(void)
{
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    updates = shmem_calloc((size_t)pes * ((size_t)o.updates + 1), sizeof *updates);
    table = calloc(TABLE, sizeof *table);
    count = calloc((size_t)pes, sizeof *count);
    if (!updates || !table || !count) {
        fputs("updates: no memory; SHMEM_SYMMETRIC_SIZE says how much there is\n", stderr);
        shmem_global_exit(1);
    }
    ran = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(me + 1);
    double rate = measure();
    shmem_uint64_xor_reduce(SHMEM_TEAM_WORLD, &all_sent, &sent, 1);
    shmem_uint64_xor_reduce(SHMEM_TEAM_WORLD, &all_changed, &changed, 1);
    if (me == 0)
        printf("PEs\tmillion updates/s\n%d\t%.6g\n", pes, 1e-6 * rate);
    if (me == 0 && all_sent != all_changed)
        fputs("updates: some are lost or wrong\n", stderr);
    shmem_free(updates);
    shmem_finalize();
    free(table);
    free(count);
    return all_sent != all_changed;
}

int main(int argc, char **argv)
{
    const struct choice choices[] = {
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'u', "updates", .number = &o.updates, .least = 1, .most = BENCH_MOST }, { 0 }
    };
    int rc = bench_options(argc, argv, choices, usage);
    if (rc < 0)
        rc = run();
    bench_options_free(choices);
    return rc;
}
