/* Finding buffers that overlap: ranges first, and block by block only where those do. */
#include "mpi/alias.h"

#include <stdlib.h>

#include "core/derived.h"
#include "core/err.h"
#include "type/pack.h"

enum { RUNS_MOST = 1 << 14 };   /* of data with gaps; nothing is said of more */

struct range { uintptr_t begin, end; };

static inline bool overlap(struct range a, struct range b)
{
    return a.begin < b.end && b.begin < a.end && a.begin < a.end && b.begin < b.end;
}

static struct range block(const struct mpi_blocks *b, int i)
{
    uintptr_t begin = (uintptr_t)mpi_block_at(b, i);
    return (struct range){ begin, begin + mpi_block_bytes(b, i) };
}

/* All blocks, with what lies between them; empty ones do not count. */
static struct range span(const struct mpi_blocks *b, int n)
{
    struct range all = { UINTPTR_MAX, 0 };
    if (!b->parts && !b->counts.array)
        return (struct range){ block(b, 0).begin, block(b, n - 1).end };
    for (int i = 0; i < n; i++) {
        struct range r = block(b, i);
        if (r.begin == r.end)
            continue;
        all.begin = r.begin < all.begin ? r.begin : all.begin;
        all.end = r.end > all.end ? r.end : all.end;
    }
    return all;
}

static int aliased(const char *call, struct mpi_comm *c, int rank)
{
    return mpi_err(c, call, MPI_ERR_BUFFER,
                   "send and receive buffer overlap, in the block of rank %d%s", rank,
                   rank == c->rank ? ": use MPI_IN_PLACE?" : "");
}

/* The rank whose block overlaps; -1: none. */
static int find(struct range r, const struct mpi_blocks *many, int n)
{
    for (int i = 0; i < n; i++)
        if (overlap(r, block(many, i)))
            return i;
    return -1;
}

int mpi_alias_look_one(const char *call, struct mpi_comm *c, const void *one, size_t bytes,
                       const struct mpi_blocks *many)
{
    struct range r = { (uintptr_t)one, (uintptr_t)one + bytes };
    int rank = find(r, many, c->peers);
    return rank < 0 ? MPI_SUCCESS : aliased(call, c, rank);
}

/* -- many against many */

struct piece { struct range r; int rank; bool received; };

static int by_begin(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->r.begin < y->r.begin ? -1 : x->r.begin > y->r.begin;
}

/* Those of both sides that are not empty, sorted; how many. */
static int collect(struct piece *all, const struct mpi_blocks *send,
                   const struct mpi_blocks *recv, int n)
{
    int used = 0;
    for (int i = 0; i < 2 * n; i++) {
        bool received = i >= n;
        struct range r = block(received ? recv : send, i % n);
        if (r.begin < r.end)
            all[used++] = (struct piece){ r, i % n, received };
    }
    qsort(all, (size_t)used, sizeof *all, by_begin);
    return used;
}

/* A piece of each side that overlap each other; NULL: none do. */
struct pair { const struct piece *sent, *received; };

/* In the order of their beginnings: a piece overlaps one of the other side if the furthest of those
 * ends behind its beginning. */
static struct pair sweep(const struct piece *all, int n)
{
    const struct piece *furthest[2] = { NULL, NULL };
    for (int i = 0; i < n; i++) {
        const struct piece *p = &all[i], *other = furthest[!p->received];
        const struct piece **own = &furthest[p->received];
        if (other && p->r.begin < other->r.end)
            return p->received ? (struct pair){ other, p } : (struct pair){ p, other };
        if (!*own || (*own)->r.end < p->r.end)
            *own = p;
    }
    return (struct pair){ NULL, NULL };
}

/* In place of both only where they are the same rank's. */
static int aliased_pair(const char *call, struct mpi_comm *c, struct pair p)
{
    if (p.sent->rank == p.received->rank)
        return aliased(call, c, p.sent->rank);
    return mpi_err(c, call, MPI_ERR_BUFFER, "send and receive buffer overlap: the block that goes "
                   "to rank %d, and the one that comes from rank %d", p.sent->rank,
                   p.received->rank);
}

int mpi_alias_look_all(const char *call, struct mpi_comm *c, const struct mpi_blocks *send,
                       const struct mpi_blocks *recv)
{
    if (likely(!overlap(span(send, c->peers), span(recv, c->peers))))
        return MPI_SUCCESS;
    struct piece *all = malloc(2 * sizeof *all * (size_t)c->peers);
    if (!all)
        return MPI_SUCCESS;     /* it is the program's mistake, and only the report that is lost */
    struct pair p = sweep(all, collect(all, send, recv, c->peers));
    int rc = p.sent ? aliased_pair(call, c, p) : MPI_SUCCESS;
    free(all);
    return rc;
}

/* -- data of one type */

/* From the first byte to behind the last. */
static struct range data_span(const struct mpi_type *t, const void *buf, size_t count)
{
    if (!count || !t->size)
        return (struct range){ 0, 0 };
    uintptr_t begin = (uintptr_t)buf + (uintptr_t)mpi_type_true_lb(t);
    uintptr_t end = begin + (uintptr_t)mpi_type_true_extent(t);
    ptrdiff_t last = (ptrdiff_t)(count - 1) * t->extent;
    return (struct range){ last < 0 ? begin + (uintptr_t)last : begin,
                           last > 0 ? end + (uintptr_t)last : end };
}

struct runs { struct piece *all; int n; bool received; };

static bool add_run(void *context, void *at, size_t bytes)
{
    struct runs *r = context;
    uintptr_t begin = (uintptr_t)at;
    r->all[r->n++] = (struct piece){ { begin, begin + bytes }, 0, r->received };
    return true;
}

static void add_data(struct runs *r, const struct mpi_derived *d, const void *buf, size_t count)
{
    struct mpi_data data = { d->placed, (void *)(uintptr_t)buf, count, d->type.extent };
    mpi_data_runs(&data, 0, count * d->type.size, add_run, r);
    r->received = true;
}

static bool runs_meet(const struct mpi_derived *d, const void *a, size_t acount, const void *b,
                      size_t bcount)
{
    size_t each = d->placed.layout->runs, most = RUNS_MOST / each;
    if (acount > most || bcount > most - acount)
        return false;
    struct runs r = { .all = malloc((acount + bcount) * each * sizeof *r.all) };
    if (!r.all)
        return false;
    add_data(&r, d, a, acount);
    add_data(&r, d, b, bcount);
    qsort(r.all, (size_t)r.n, sizeof *r.all, by_begin);
    bool meet = sweep(r.all, r.n).sent != NULL;
    free(r.all);
    return meet;
}

bool mpi_alias_data(const struct mpi_type *t, const void *a, size_t acount, const void *b,
                    size_t bcount)
{
    if (likely(!overlap(data_span(t, a, acount), data_span(t, b, bcount))))
        return false;
    const struct mpi_derived *d = t->contiguous ? NULL : mpi_type_derived(t);
    return !d || runs_meet(d, a, acount, b, bcount);
}
