/* atomic: what an atomic operation on another node's word takes.
 *
 * After Buntinas' thesis on NIC support for collective operations, figure 5.6: compare and swap of
 * a word of 32 bits, which is what it is compared with (a hit) or is not (-m).  PE 0 operates on
 * PE 1, whose host waits. */
#include "bench.h"

#include <shmem.h>

struct options { long rounds, warm_up; int miss; };

static const char usage[] =
    "usage: oshrun -n 2 atomic [-m] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -m, --miss          the word is never what it is compared with\n"
    "  -r, --rounds N      operations measured (default 50)\n"
    "  -w, --warm-up N     operations before (default 10)\n"
    "  -h, --help          print this text\n\n"
    "Prints the nanoseconds of an operation.\n";

static int word, over;          /* symmetric, as they are static */

/* The word counts the hits. */
static int operate(const struct options *o, int count)
{
    int old = shmem_int_atomic_compare_swap(&word, o->miss ? -1 : count, count + 1, 1);
    return old != (o->miss ? 0 : count);
}

static int measure(const struct options *o)
{
    double start = 0;
    int wrong = 0;

    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        wrong += operate(o, (int)(i + o->warm_up));
    }
    printf("operation (ns)\n%.3f\n", (MPI_Wtime() - start) / (double)o->rounds * 1e9);
    shmem_int_p(&over, 1, 1);
    return wrong;
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 50, .warm_up = 10 };
    const struct choice choices[] = {
        { 'm', "miss", .flag = &o.miss },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = 1 << 20 },
        { 'w', "warm-up", .number = &o.warm_up, .most = 1 << 20 },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage), wrong = 0;

    if (code < 0) {
        shmem_init();
        if (shmem_n_pes() != 2) {
            if (shmem_my_pe() == 0)
                fputs("atomic: needs two PEs\n", stderr);
            shmem_barrier_all();    /* else another PE ends the job before it is said */
            shmem_global_exit(2);
        }
        shmem_barrier_all();
        if (shmem_my_pe() == 0)
            wrong = measure(&o);
        else
            shmem_int_wait_until(&over, SHMEM_CMP_EQ, 1);
        shmem_barrier_all();
        if (shmem_my_pe() == 1)
            wrong = word != (o.miss ? 0 : (int)(o.rounds + o.warm_up));
        shmem_finalize();
        code = wrong != 0;
    }
    bench_options_free(choices);
    return code;
}
