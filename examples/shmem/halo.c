/* halo: heat that spreads along a rod, whose parts the PEs have; neighbours exchange their edges by
 * a put with signal.
 *
 * No PE waits for all others: it puts its edge into the neighbour's halo, with the number of the
 * step as signal behind the data, and goes on when both its own signals have come.  There are two
 * halos for each side, of even and of odd steps: a neighbour can be one step ahead, not two, as it
 * needs this PE's edge for that.  Each PE computes all of the rod besides, to compare. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 64, LEFT = 0, RIGHT = 1 };

static double halo[2][2];               /* symmetric: [step % 2][side] */
static uint64_t arrived[2];             /* of each side, the last step that came */

static void usage(FILE *out)
{
    fprintf(out, "usage: oshrun -n PES halo [STEPS]\n\n"
                 "STEPS (default 500) of the heat equation.\n");
}

static double heat_at_first(int place) { return place % 7 == 3 ? 100.0 : 0.0; }

/* The ends of the rod are kept at 0. */
static void step(double *u, double *to, int n, double left, double right)
{
    for (int i = 0; i < n; i++) {
        double before = i ? u[i - 1] : left, behind = i + 1 < n ? u[i + 1] : right;
        to[i] = u[i] + 0.25 * (before - 2 * u[i] + behind);
    }
}

static void tell(double edge, int side, int s, int pe)
{
    shmem_put_signal(&halo[s % 2][side], &edge, 1, &arrived[side], (uint64_t)s, SHMEM_SIGNAL_SET,
                     pe);
}

static double hear(int side, int s)
{
    shmem_signal_wait_until(&arrived[side], SHMEM_CMP_GE, (uint64_t)s);
    return halo[s % 2][side];
}

static void run(double *u, long steps)
{
    const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
    double next[PART];
    for (int s = 1; s <= steps; s++) {
        if (me > 0)
            tell(u[0], RIGHT, s, me - 1);
        if (me < last)
            tell(u[PART - 1], LEFT, s, me + 1);
        double left = me > 0 ? hear(LEFT, s) : 0, right = me < last ? hear(RIGHT, s) : 0;
        step(u, next, PART, left, right);
        memcpy(u, next, sizeof next);
    }
}

/* The same without others. */
static int differs(const double *u, long steps)
{
    const int n = PART * shmem_n_pes(), first = PART * shmem_my_pe();
    double *all = malloc(2 * (size_t)n * sizeof *all), *next = all + n;
    for (int i = 0; i < n; i++)
        all[i] = heat_at_first(i);
    for (long s = 0; s < steps; s++) {
        step(all, next, n, 0, 0);
        memcpy(all, next, (size_t)n * sizeof *all);
    }
    int wrong = memcmp(u, all + first, PART * sizeof *u) != 0;
    free(all);
    return wrong;
}

int main(int argc, char **argv)
{
    static int wrong, all_wrong;
    long steps = argc > 1 ? atol(argv[1]) : 500;
    double u[PART];
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || steps < 1 || steps > 1000000) {
        usage(stderr);
        return 2;
    }
    shmem_init();
    for (int i = 0; i < PART; i++)
        u[i] = heat_at_first(PART * shmem_my_pe() + i);
    run(u, steps);
    wrong = differs(u, steps);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_wrong, &wrong, 1);
    if (shmem_my_pe() == 0)
        printf("%ld steps on %d PEs: %s\n", steps, shmem_n_pes(), all_wrong ? "WRONG" : "right");
    shmem_finalize();
    return all_wrong != 0;
}
