/* Ranks onto the places of a grid.  Ranks are sorted by where they sit; then the grid is cut in
 * two, and the ranks with it, again and again: where a cut divides no package, if there is such a
 * cut, and through as few pairs of neighbours as possible.  So each package gets a compact block,
 * and within it each cache, and so on. */
#include "core/grid_place.h"

#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 31 };         /* longer than 1: the number of places is an int */

struct sitter { struct nic_seat seat; int rank; };

struct job {
    int ndims, size[DIMS_MAX], stride[DIMS_MAX];
    bool ring[DIMS_MAX];
    int places;
    const struct nic_seat *seat;
    struct sitter *sorted;
    int *rank_at;
};

/* A part of the grid, and the ranks for it: those sorted from `from` on. */
struct box { int first, size[DIMS_MAX], count, from; };

static void describe(struct job *j, int ndims, const int *dims, const int *periods)
{
    j->places = 1;
    for (int i = ndims - 1; i >= 0; i--) {
        if (dims[i] == 1)
            continue;
        j->size[j->ndims] = dims[i];
        j->ring[j->ndims] = periods[i] && dims[i] > 2;
        j->stride[j->ndims++] = j->places;
        j->places *= dims[i];
    }
}

/* The highest level on which two seats differ; NIC_SEAT_LEVELS: none. */
static int differ(const struct nic_seat *a, const struct nic_seat *b)
{
    int level = 0;
    while (level < NIC_SEAT_LEVELS && a->in[level] == b->in[level])
        level++;
    return level;
}

/* -- what an order is worth */

static struct mpi_crossings crossings(const struct job *j, const int *rank_at)
{
    struct mpi_crossings c = { { 0 } };
    for (int place = 0; place < j->places; place++)
        for (int d = 0; d < j->ndims; d++) {
            bool last = place / j->stride[d] % j->size[d] == j->size[d] - 1;
            int next = place + (last ? 1 - j->size[d] : 1) * j->stride[d];
            if (last && !j->ring[d])
                continue;
            int level = differ(&j->seat[rank_at[place]], &j->seat[rank_at[next]]);
            if (level < NIC_SEAT_LEVELS)
                c.of[level]++;
        }
    return c;
}

struct mpi_crossings mpi_grid_crossings(int ndims, const int *dims, const int *periods,
                                        const struct nic_seat *seat, const int *rank_at)
{
    struct job j = { .seat = seat };
    describe(&j, ndims, dims, periods);
    return crossings(&j, rank_at);
}

static bool better(const struct mpi_crossings *a, const struct mpi_crossings *b)
{
    int level = 0;
    while (level < NIC_SEAT_LEVELS - 1 && a->of[level] == b->of[level])
        level++;
    return a->of[level] < b->of[level];
}

/* -- cutting */

struct cut { int dim, at, pairs, uneven; bool divides; };

/* The highest level on which the ranks of a box differ. */
static int level_of(const struct job *j, const struct box *b)
{
    return differ(&j->sorted[b->from].seat, &j->sorted[b->from + b->count - 1].seat);
}

static struct cut cut_at(const struct job *j, const struct box *b, int dim, int at, int level)
{
    int slab = b->count / b->size[dim], ranks = slab * at, behind = b->from + ranks;
    bool ring = j->ring[dim] && b->size[dim] == j->size[dim];
    int apart = differ(&j->sorted[behind - 1].seat, &j->sorted[behind].seat);
    return (struct cut){ .dim = dim, .at = at, .pairs = ring ? 2 * slab : slab,
                         .uneven = abs(b->count - 2 * ranks), .divides = apart > level };
}

static bool preferred(const struct cut *a, const struct cut *b)
{
    if (a->divides != b->divides)
        return b->divides;
    return a->pairs != b->pairs ? a->pairs < b->pairs : a->uneven < b->uneven;
}

static struct cut best_cut(const struct job *j, const struct box *b)
{
    struct cut best = { .dim = -1 };
    int level = level_of(j, b);
    for (int d = j->ndims - 1; d >= 0; d--)
        for (int at = 1; at < b->size[d]; at++) {
            struct cut c = cut_at(j, b, d, at, level);
            if (best.dim < 0 || preferred(&c, &best))
                best = c;
        }
    return best;
}

static void fill(struct job *j, const struct box *b)
{
    if (b->count == 1) {
        j->rank_at[b->first] = j->sorted[b->from].rank;
        return;
    }
    struct cut c = best_cut(j, b);
    struct box low = *b, high = *b;
    low.size[c.dim] = c.at;
    low.count = b->count / b->size[c.dim] * c.at;
    high.size[c.dim] -= c.at;
    high.count -= low.count;
    high.from += low.count;
    high.first += c.at * j->stride[c.dim];
    fill(j, &low);
    fill(j, &high);
}

/* -- the order */

static int by_seat(const void *a, const void *b)
{
    const struct sitter *x = a, *y = b;
    int level = differ(&x->seat, &y->seat);
    return level == NIC_SEAT_LEVELS ? x->rank - y->rank : x->seat.in[level] - y->seat.in[level];
}

static void sort(struct job *j)
{
    for (int i = 0; i < j->places; i++)
        j->sorted[i] = (struct sitter){ j->seat[i], i };
    qsort(j->sorted, (size_t)j->places, sizeof *j->sorted, by_seat);
}

static void choose(struct job *j, int *rank_at)
{
    struct box all = { .count = j->places };
    memcpy(all.size, j->size, sizeof all.size);
    sort(j);
    fill(j, &all);
    struct mpi_crossings before = crossings(j, rank_at), after = crossings(j, j->rank_at);
    if (better(&after, &before))
        memcpy(rank_at, j->rank_at, (size_t)j->places * sizeof *rank_at);
}

bool mpi_grid_place(int ndims, const int *dims, const int *periods, const struct nic_seat *seat,
                    int *rank_at)
{
    struct job j = { .seat = seat };
    describe(&j, ndims, dims, periods);
    for (int i = 0; i < j.places; i++)
        rank_at[i] = i;
    j.sorted = malloc((size_t)j.places * sizeof *j.sorted);
    j.rank_at = malloc((size_t)j.places * sizeof *j.rank_at);
    bool room = j.sorted && j.rank_at;
    if (room)
        choose(&j, rank_at);
    free(j.sorted);
    free(j.rank_at);
    return room;
}
