/* Each rank tells the others which bytes of their parts it has accessed in the epoch.  They look
 * through all that was done to theirs, and tell both ranks of what clashes. */
#include "check/clashes.h"

#include <assert.h>
#include <stdlib.h>

#include "check/accesses.h"
#include "check/comms.h"
#include "check/exchange.h"
#include "check/report.h"
#include "mpi/door.h"

static const char call[] = "MPI_Win_fence";

/* A piece that was accessed; index: of the access, at its rank; first, last: all that it goes to;
 * data: a number for what is written, 0: not known.  Travels to its target. */
struct reach {
    uint64_t comm;
    int peer, effect;
    struct check_piece at;
    uint64_t first, last, data;
    size_t index;
    int rank;                   /* whose it is; set there */
};

/* Travels back. */
struct clash { uint64_t comm; int peer, other, effect; bool same; struct check_piece at;
               size_t index; };

static_assert(offsetof(struct reach, peer) == offsetof(struct check_addressed, peer)
              && offsetof(struct clash, peer) == offsetof(struct check_addressed, peer), "same");

struct clashes { struct clash *list; size_t count, room; };

/* -- at the target */

static int by_begin(const void *one, const void *other)
{
    const struct reach *a = one, *b = other;

    if (a->at.begin != b->at.begin)
        return a->at.begin < b->at.begin ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool is_same(const struct reach *a, const struct reach *b)
{
    return a->effect == CHECK_WRITES && b->effect == CHECK_WRITES && a->data && a->data == b->data
           && a->first == b->first && a->last == b->last;
}

static void add(struct clashes *c, const struct reach *to, const struct reach *other)
{
    struct check_piece at = { to->at.begin > other->at.begin ? to->at.begin : other->at.begin,
                              to->at.end < other->at.end ? to->at.end : other->at.end };

    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        c->list = realloc(c->list, c->room * sizeof *c->list);
        if (!c->list)
            abort();            /* the others would wait for this rank */
    }
    c->list[c->count++] = (struct clash){ 0, to->rank, other->rank, other->effect,
                                          is_same(to, other), at, to->index };
}

/* Of very many only the first: they will be alike. */
static void find_clashes(struct clashes *c, struct reach *all, size_t count)
{
    enum { MOST = 64, LOOKS = 256 };

    qsort(all, count, sizeof *all, by_begin);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && j < i + LOOKS && all[j].at.begin < all[i].at.end
             && c->count < MOST; j++)
            if (all[i].rank != all[j].rank
                && check_effects_clash(all[i].effect, all[j].effect)) {
                add(c, &all[i], &all[j]);
                add(c, &all[j], &all[i]);
            }
}

static void look_at(struct clashes *c, const struct check_dealt *d)
{
    size_t count = 0;

    for (int r = 0; r < d->ranks; r++)
        count += d->count[r];
    /* those of all ranks lie one behind the other */
    struct reach *all = d->memory;
    for (int r = 0, i = 0; r < d->ranks; r++)
        for (size_t k = 0; k < d->count[r]; k++)
            all[i++].rank = r;
    find_clashes(c, all, count);
}

/* -- at those that have done it */

static size_t list_pieces(const struct check_window *w, struct reach *list)
{
    size_t n = 0, opens = check_log_is_several() ? 0 : w->opens;

    for (size_t i = 0; i < opens; i++) {
        const struct check_open *o = &w->open[i];
        for (size_t k = 0; k < o->pieces; k++)
            list[n++] = (struct reach){ .peer = o->a.target, .effect = (int)o->a.effect,
                                        .at = o->piece[k], .first = o->piece[0].begin,
                                        .last = o->piece[o->pieces - 1].end, .data = o->sum,
                                        .index = i };
    }
    return n;
}

static void report(const struct check_window *w, int target, const struct clash *c)
{
    const struct check_access *a = &w->open[c->index].a;
    char place[CHECK_PLACE_BYTES];

    (c->same ? check_note : check_report)(
        "%s at %s %s bytes %llu to %llu of rank %d's part of the window, which rank %d %s in the "
        "same epoch%s", a->call, check_place(a->caller, place, sizeof place),
        check_effect_name(a->effect), (unsigned long long)c->at.begin,
        (unsigned long long)c->at.end - 1, target, c->other,
        check_effect_name((enum check_effect)c->effect), c->same ? ", with the same data" : "");
}

/* Each of its calls once. */
static void report_all(struct check_window *w, const struct check_dealt *d)
{
    for (int r = 0; r < d->ranks; r++)
        for (size_t i = 0; i < d->count[r]; i++) {
            const struct clash *c = (const struct clash *)(void *)d->list[r] + i;
            if (c->index < w->opens
                && check_access_is_news(w->open[c->index].a.caller, call))
                report(w, r, c);
        }
}

static void tell(struct check_window *w, const struct clashes *c)
{
    struct check_dealt d;
    int mine = c->count > 0, any = 0;

    if (mpi_door.allreduce(call, &mine, &any, 1, MPI_INT, MPI_MAX, w->comm) || !any)
        return;
    if (check_deal(&d, c->list, c->count, sizeof *c->list, call, w->comm))
        report_all(w, &d);
    check_dealt_free(&d);
}

void check_clashes_find(MPI_Win win)
{
    struct check_window *w = check_window(win);
    struct clashes c = { 0 };
    struct check_dealt d;

    if (!w)
        return;
    struct reach *list = malloc((w->pieces + 1) * sizeof *list);
    if (!list)
        abort();                /* the others would wait for this rank */
    bool dealt = check_deal(&d, list, list_pieces(w, list), sizeof *list, call, w->comm);
    if (dealt)
        look_at(&c, &d);
    check_dealt_free(&d);
    tell(w, &c);
    free(c.list);
    free(list);
}
