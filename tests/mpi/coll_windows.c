/* Collectives of so many rounds through windows that each buffer is used again, with a last piece
 * that is shorter: random kinds, lengths, roots and places, blocking or not, of two threads at a
 * time too; more under way at once than there are windows; and so much data that past the cores
 * they go by messages again. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "compose.h"

enum { MOST = 400000, TURNS = 24, THREADS = 2, KINDS = 9, AT_ONCE = 24, SHORT = 12000 };

struct place {
    MPI_Comm comm;
    int rank, size, count, root, in_place;
    int later;                  /* 0: a call that blocks; else how its request is waited for */
    int *mine, *all;
};

/* Ranks come late, one looks now and then, one computes while the others go on. */
static void finish(const struct place *p, MPI_Request *request)
{
    if (p->later == 1 && p->rank == p->root)
        usleep(2000);
    for (int done = p->later != 2; !done;)
        OK(MPI_Test(request, &done, MPI_STATUS_IGNORE));
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

#define COLL(p, NAME, LATER, ...) \
    do { \
        MPI_Request request; \
        if (!(p)->later) { \
            OK(MPI_##NAME(__VA_ARGS__)); \
        } else { \
            OK(MPI_##LATER(__VA_ARGS__, &request)); \
            finish(p, &request); \
        } \
    } while (0)

static int sum(int size, int i)
{
    int total = 0;
    for (int r = 0; r < size; r++)
        total += t_value(r, i);
    return total;
}

/* So many elements from `first` on, as rank r has them. */
static void fill(int *to, int r, int first, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = t_value(r, first + i);
}

static void expect(const int *got, int r, int first, int count)
{
    for (int i = 0; i < count; i++)
        SAME(got[i], t_value(r, first + i));
}

static void bcast(struct place *p)
{
    fill(p->mine, p->rank, 0, p->count);
    COLL(p, Bcast, Ibcast, p->mine, p->count, MPI_INT, p->root, p->comm);
    expect(p->mine, p->root, 0, p->count);
}

static void gather(struct place *p)
{
    int each = p->count / p->size, here = p->rank == p->root;
    fill(p->mine, p->rank, 0, each);
    if (here && p->in_place)
        fill(p->all + (ptrdiff_t)p->rank * each, p->rank, 0, each);
    COLL(p, Gather, Igather, here && p->in_place ? MPI_IN_PLACE : p->mine, each, MPI_INT, p->all,
         each, MPI_INT, p->root, p->comm);
    for (int r = 0; here && r < p->size; r++)
        expect(p->all + (ptrdiff_t)r * each, r, 0, each);
}

static void scatter(struct place *p)
{
    int each = p->count / p->size, here = p->rank == p->root;
    for (int r = 0; r < p->size; r++)
        fill(p->all + (ptrdiff_t)r * each, p->root, r * each, each);
    COLL(p, Scatter, Iscatter, p->all, each, MPI_INT, here && p->in_place ? MPI_IN_PLACE : p->mine,
         each, MPI_INT, p->root, p->comm);
    if (!(here && p->in_place))
        expect(p->mine, p->root, p->rank * each, each);
}

/* Blocks of other lengths, one of them empty, the last one first. */
static void allgatherv(struct place *p)
{
    int counts[16] = {0}, displs[16] = {0}, at = 0;
    for (int r = p->size - 1; r >= 0; at += counts[r--] + 1) {
        counts[r] = r == 1 ? 0 : p->count / p->size - r;
        displs[r] = at;
    }
    fill(p->mine, p->rank, 0, counts[p->rank]);
    if (p->in_place)
        fill(p->all + displs[p->rank], p->rank, 0, counts[p->rank]);
    for (int r = 0; r < p->size; r++)
        p->all[displs[r] + counts[r]] = -7;
    COLL(p, Allgatherv, Iallgatherv, p->in_place ? MPI_IN_PLACE : p->mine, counts[p->rank], MPI_INT,
         p->all, counts, displs, MPI_INT, p->comm);
    for (int r = 0; r < p->size; r++) {
        expect(p->all + displs[r], r, 0, counts[r]);
        SAME(p->all[displs[r] + counts[r]], -7);
    }
}

static void alltoall(struct place *p)
{
    int each = p->count / p->size;
    for (int r = 0; r < p->size; r++)
        fill(p->mine + (ptrdiff_t)r * each, p->rank, r * each, each);
    COLL(p, Alltoall, Ialltoall, p->mine, each, MPI_INT, p->all, each, MPI_INT, p->comm);
    for (int r = 0; r < p->size; r++)
        expect(p->all + (ptrdiff_t)r * each, r, p->rank * each, each);
}

static void reduce(struct place *p)
{
    int here = p->rank == p->root, alone = here && p->in_place;
    fill(alone ? p->all : p->mine, p->rank, 0, p->count);
    COLL(p, Reduce, Ireduce, alone ? MPI_IN_PLACE : p->mine, p->all, p->count, MPI_INT, MPI_SUM,
         p->root, p->comm);
    for (int i = 0; here && i < p->count; i++)
        SAME(p->all[i], sum(p->size, i));
    if (!alone)
        expect(p->mine, p->rank, 0, p->count);
}

static void allreduce(struct place *p)
{
    fill(p->in_place ? p->all : p->mine, p->rank, 0, p->count);
    COLL(p, Allreduce, Iallreduce, p->in_place ? MPI_IN_PLACE : p->mine, p->all, p->count, MPI_INT,
         MPI_SUM, p->comm);
    for (int i = 0; i < p->count; i++)
        SAME(p->all[i], sum(p->size, i));
}

/* A short block, a long one, and so on. */
static void reduce_scatter(struct place *p)
{
    int counts[16] = {0}, first = 0, total = 0;
    for (int r = 0; r < p->size; total += counts[r++]) {
        counts[r] = r % 2 ? 2 * (p->count / p->size) - 1 : 1;
        first += r < p->rank ? counts[r] : 0;
    }
    fill(p->mine, p->rank, 0, total);
    int *result = p->in_place ? p->mine : p->all;
    result[counts[p->rank]] = p->in_place ? result[counts[p->rank]] : -7;
    COLL(p, Reduce_scatter, Ireduce_scatter, p->in_place ? MPI_IN_PLACE : p->mine, result, counts,
         MPI_INT, MPI_SUM, p->comm);
    for (int i = 0; i < counts[p->rank]; i++)
        SAME(result[i], sum(p->size, first + i));
    if (!p->in_place)
        SAME(result[counts[p->rank]], -7);
}

/* In the order of ranks. */
static void composed(struct place *p)
{
    MPI_Op op;
    int count = p->count / 2;
    uint64_t *mine = (uint64_t *)p->mine, *all = (uint64_t *)p->all;
    OK(MPI_Op_create(compose, 0, &op));
    for (int i = 0; i < count; i++)
        (p->in_place ? all : mine)[i] = compose_value(p->rank, i);
    COLL(p, Allreduce, Iallreduce, p->in_place ? MPI_IN_PLACE : mine, all, count, MPI_UINT64_T, op,
         p->comm);
    for (int i = 0; i < count; i++)
        SAME(all[i], compose_ranks(0, p->size, i));
    OK(MPI_Op_free(&op));
}

static void (*const kinds[KINDS])(struct place *p) = {
    bcast, gather, scatter, allgatherv, alltoall, reduce, allreduce, reduce_scatter, composed,
};

/* All ranks of a thread's communicator draw the same. */
static void *turns(void *argument)
{
    struct place *p = argument;
    uint32_t state = 77u + (uint32_t)p->root;
    p->mine = t_ints(2 * MOST);
    p->all = t_ints(2 * MOST);
    for (int i = 0; i < TURNS; i++) {
        int kind = (int)(t_random(&state) % KINDS);
        p->count = (int)(t_random(&state) % (t_random(&state) % 4 ? MOST : MOST / 16)) + 64;
        p->root = (int)(t_random(&state) % (uint32_t)p->size);
        p->in_place = t_random(&state) % 2 && kind != 0 && kind != 4;
        p->later = (int)(t_random(&state) % 5) - 1;
        p->later = p->later < 0 ? 0 : p->later;
        kinds[kind](p);
    }
    free(p->mine);
    free(p->all);
    return NULL;
}

/* Many sums and broadcasts in turn, of which each rank waits for another one first. */
static void at_once(void)
{
    MPI_Request request[AT_ONCE];
    int *in[AT_ONCE], *out[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        in[i] = t_ints(SHORT);
        out[i] = t_ints(SHORT);
        fill(in[i], t_rank, i, SHORT);
        if (i % 3)
            OK(MPI_Iallreduce(in[i], out[i], SHORT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
        else
            OK(MPI_Ibcast(in[i], SHORT, MPI_INT, i % t_size, MPI_COMM_WORLD, &request[i]));
    }
    for (int i = 0; i < AT_ONCE; i++)
        OK(MPI_Wait(&request[(i * 7 + t_rank) % AT_ONCE], MPI_STATUS_IGNORE));
    for (int i = 0; i < AT_ONCE; i++) {
        for (int k = 0; i % 3 && k < SHORT; k++)
            SAME(out[i][k], sum(t_size, i + k));
        if (!(i % 3))
            expect(in[i], i % t_size, i, SHORT);
        free(in[i]);
        free(out[i]);
    }
}

/* The longest scatter and all-to-all that go through windows where ranks share cores, and the
 * shortest that do not (coll/choice.h). */
static void past_caches(void)
{
    enum { SCATTER = (32 << 20) / sizeof(int), ALLTOALL = (64 << 20) / sizeof(int) };
    struct place p = { .comm = MPI_COMM_WORLD, .rank = t_rank, .size = t_size, .root = t_size - 1 };
    p.mine = t_ints(SCATTER);
    p.all = t_ints(SCATTER);
    for (int more = 0; more < 2; more++) {
        p.count = (SCATTER / t_size - 1 + more) * t_size;
        scatter(&p);
        p.count = (ALLTOALL / (t_size * t_size) - 1 + more) * t_size;
        alltoall(&p);
    }
    free(p.mine);
    free(p.all);
}

int main(int argc, char **argv)
{
    struct place place[THREADS];
    pthread_t thread[THREADS];

    t_start_threads(&argc, &argv);
    for (int i = 0; i < THREADS; i++) {
        place[i].root = i;
        OK(MPI_Comm_split(MPI_COMM_WORLD, 0, i ? -t_rank : t_rank, &place[i].comm));
        OK(MPI_Comm_rank(place[i].comm, &place[i].rank));
        OK(MPI_Comm_size(place[i].comm, &place[i].size));
    }
    at_once();
    if (t_size > 2)
        past_caches();
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, turns, &place[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&place[i].comm));
    return t_end();
}
