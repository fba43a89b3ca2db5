/* lock: what it takes to take a lock that other nodes want too, and to give it back.
 *
 * The queue of Mellor-Crummey and Scott as Buntinas' thesis on NIC support for collective
 * operations has it in 5.3, with PEs in place of pointers: the lock, at PE 0, names the last who
 * has asked for it; each PE has a word for who is next and one that says that it has to wait.
 * Without -u (figure 5.7): the mean time of PE 1 to take the lock and give it back, while PEs 2
 * to -c do the same.  PE 0 is the lock's home and does nothing else.  With -u (figure 5.8) PE 0
 * computes while PE 1 takes the lock once in so long: what the computation takes. */
#include "bench.h"

#include <shmem.h>

struct options { struct list contenders; long rounds, warm_up, every; };

static const char usage[] =
    "usage: oshrun -n PES lock [-c LIST | -u NS] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -c, --contenders LIST  PEs that want the lock, of all but one (default 1)\n"
    "  -u, --utilize NS       PE 1 takes it once in NS while PE 0 computes for 1 ms; 0: never\n"
    "  -r, --rounds N         times that PE 1 takes it (default 50)\n"
    "  -w, --warm-up N        times before (default 10)\n"
    "  -h, --help             print this text\n\n"
    "Prints PEs and nanoseconds; with -u NS and nanoseconds that 1 ms of computation takes.\n";

enum { NOBODY, HOME = 0 };      /* a PE's number in a word is one more */

static int last, next, waits, over, inside;     /* symmetric, as they are static */
static int me;

static void take(void)
{
    next = NOBODY;
    waits = 1;
    int before = shmem_int_atomic_swap(&last, me + 1, HOME);
    if (before == NOBODY)
        return;
    shmem_int_p(&next, me + 1, before - 1);
    shmem_int_wait_until(&waits, SHMEM_CMP_EQ, 0);
}

static void give_back(void)
{
    if (!shmem_int_test(&next, SHMEM_CMP_NE, NOBODY)) {
        if (shmem_int_atomic_compare_swap(&last, me + 1, NOBODY, HOME) == me + 1)
            return;
        shmem_int_wait_until(&next, SHMEM_CMP_NE, NOBODY);
    }
    shmem_int_p(&waits, 0, next - 1);
}

static void turn(void)
{
    take();
    if (me == 1)        /* nobody else is inside then */
        inside++;
    give_back();
}

/* PE 1; returns nanoseconds of a turn. */
static double measure(const struct options *o)
{
    double start = 0;

    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        turn();
    }
    return (MPI_Wtime() - start) / (double)o->rounds * 1e9;
}

/* As long as PE 1 does: so the others never stop before. */
static void contend(void)
{
    while (!shmem_int_test(&over, SHMEM_CMP_NE, 0))
        turn();
}

static void contenders(const struct options *o, int pes)
{
    for (int i = 0; i < o->contenders.n; i++) {
        const long wanted = o->contenders.values[i];
        double ns = 0;

        shmem_barrier_all();
        if (me == 1)
            ns = measure(o);
        else if (me > 1 && me <= wanted)
            contend();
        if (me == 1)
            for (int pe = 0; pe < pes; pe++)
                shmem_int_p(&over, 1, pe);
        if (me != 1)
            shmem_int_wait_until(&over, SHMEM_CMP_NE, 0);
        shmem_barrier_all();
        over = 0;
        if (me == 1) {
            printf("%ld\t%.3f\n", wanted, ns);
            fflush(stdout);
        }
    }
}

/* 1 ms of computation in steps of 10 us, so that what comes in between is served. */
static double compute(void)
{
    double start = MPI_Wtime();

    for (int i = 0; i < 100; i++)
        MPIX_Compute(10e-6);
    return (MPI_Wtime() - start) * 1e9;
}

static void utilize(const struct options *o)
{
    shmem_barrier_all();
    if (me == 0)
        printf("%ld\t%.3f\n", o->every, compute());
    for (long ns = 0; me == 1 && o->every && ns < 1000000; ns += o->every) {
        MPIX_Compute((double)o->every * 1e-9);
        turn();
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 50, .warm_up = 10, .every = -1 };
    const struct choice choices[] = {
        { 'c', "contenders", .list = &o.contenders, .least = 1, .most = 1 << 20, .usual = "1" },
        { 'u', "utilize", .number = &o.every, .most = 1000000 },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage), pes;

    if (code < 0) {
        shmem_init();
        me = shmem_my_pe();
        pes = shmem_n_pes();
        if (pes < 2) {
            fputs("lock: needs two PEs at least\n", stderr);
            shmem_global_exit(2);
        }
        if (me == (o.every < 0))
            printf(o.every < 0 ? "contenders\tturn (ns)\n" : "every (ns)\tcomputation (ns)\n");
        if (o.every < 0)
            contenders(&o, pes);
        else
            utilize(&o);
        shmem_finalize();
        code = me == 1 && o.every < 0 && inside != o.contenders.n * (int)(o.rounds + o.warm_up);
    }
    bench_options_free(choices);
    return code;
}
