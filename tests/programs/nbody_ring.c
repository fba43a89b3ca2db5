/* Gravitation of many bodies: every rank owns some, and blocks of bodies travel round the ring
 * until each has met all. Forces are added in fixed point, where the order of adding does not
 * matter: the same bits on any number of ranks. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 192, STEPS = 20, MOST = BODIES };

/* unit: fixed-point steps in 1.0 */
static const double dt = 0.001, softening = 0.01, unit = 1e12;

struct body { double x[3], mass; };

static struct body own[MOST], visitor[MOST];
static double velocity[MOST][3];
static int64_t force[MOST][3], energy;
static int rank, size, first, count;

/* A cloud of bodies from a small generator that is indexed by the body. */
static double random_of(unsigned n)
{
    uint64_t z = (n + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void create(void)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            unsigned n = (unsigned)(first + i) * 8u;

            own[i].x[k] = random_of(n + (unsigned)k) * 2 - 1;
            velocity[i][k] = random_of(n + 4u + (unsigned)k) - 0.5;
            own[i].mass = (1 + random_of(n + 3u)) / BODIES;
        }
}

static void meet(int n, int with_energy)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < n; j++) {
            double d[3], r2 = softening * softening, r;

            for (int k = 0; k < 3; k++) {
                d[k] = visitor[j].x[k] - own[i].x[k];
                r2 += d[k] * d[k];
            }
            if (d[0] == 0 && d[1] == 0 && d[2] == 0)
                continue;                               /* the body itself */
            r = sqrt(r2);
            for (int k = 0; k < 3; k++)
                force[i][k] += llrint(own[i].mass * visitor[j].mass * d[k] / (r2 * r) * unit);
            if (with_energy)
                energy -= llrint(own[i].mass * visitor[j].mass / r / 2 * unit);
        }
}

static void go_round(int with_energy)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, n = count;

    memcpy(visitor, own, sizeof own);
    memset(force, 0, sizeof force);
    for (int step = 0; step < size; step++) {
        meet(n, with_energy);
        MPI_Sendrecv_replace(&n, 1, MPI_INT, next, 0, previous, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(visitor, MOST * 4, MPI_DOUBLE, next, 1, previous, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
}

static void move(void)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            velocity[i][k] += dt * ((double)force[i][k] / unit) / own[i].mass;
            own[i].x[k] += dt * velocity[i][k];
        }
}

/* The energy of all, and a sum over all coordinates in which every place counts. */
static void report(const char *when)
{
    int64_t mine[2] = {0, 0}, total[2];

    energy = 0;
    go_round(1);
    mine[0] = energy;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            mine[0] += llrint(own[i].mass * velocity[i][k] * velocity[i][k] / 2 * unit);
            mine[1] += llrint(own[i].x[k] * 1e9) * ((first + i) * 3 + k + 1);
        }
    MPI_Reduce(mine, total, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("nbody_ring: %s: %d bodies, energy %.12f, places %lld\n", when, BODIES,
               (double)total[0] / unit,
               (long long)total[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = rank * BODIES / size;
    count = (rank + 1) * BODIES / size - first;
    create();
    report("before");
    for (int step = 0; step < STEPS; step++) {
        go_round(0);
        move();
    }
    report("after");
    MPI_Finalize();
    return 0;
}
