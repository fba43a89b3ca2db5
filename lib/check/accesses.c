/* See accesses.h. */
#include "check/accesses.h"

#include <stdlib.h>
#include <string.h>

#include "check/comms.h"
#include "check/report.h"

/* How many pieces an access may have, and all that are open; the longest part of a window in which
 * pieces are looked for; how many accesses are looked through. */
enum { PIECES = 256, PIECES_OPEN = 1 << 16, SPAN = 1 << 20, LOOKS = 256 };

bool check_effects_clash(enum check_effect a, enum check_effect b)
{
    if (a == CHECK_WRITES || b == CHECK_WRITES)
        return true;
    return (a == CHECK_COMBINES && b == CHECK_READS) || (a == CHECK_READS && b == CHECK_COMBINES);
}

const char *check_effect_name(enum check_effect effect)
{
    static const char *const name[] = { "reads", "writes", "updates", "reads" };
    return name[effect];
}

/* -- where it goes */

/* Of a map that has bytes which are not zero where data go. */
static size_t find_runs(const char *map, size_t span, uint64_t base, struct check_piece *piece)
{
    size_t n = 0, at = 0;

    while (at < span && n <= PIECES) {
        size_t begin = at;
        while (at < span && map[at])
            at++;
        if (at > begin)
            piece[n++] = (struct check_piece){ base + begin, base + at };
        while (at < span && !map[at])
            at++;
    }
    return n <= PIECES ? n : 0;
}

/* Of a type with gaps, which MPI itself is asked about: ones are unpacked among zeros. */
static size_t find_pieces(const struct check_access *a, uint64_t base, struct check_piece *piece)
{
    MPI_Count size, lower, extent, step, at, position = 0;
    size_t n = 0;

    if (PMPI_Type_size_c(a->type, &size) || PMPI_Type_get_extent_c(a->type, &at, &step)
        || PMPI_Type_get_true_extent_c(a->type, &lower, &extent) || size <= 0 || step < 0
        || size > SPAN || extent > SPAN || step > SPAN || a->count > SPAN
        || size * a->count > SPAN)
        return 0;
    MPI_Count span = (a->count - 1) * step + extent, bytes = size * a->count;
    if (span > SPAN)
        return 0;
    char *map = calloc((size_t)span + 1, 1), *ones = malloc((size_t)bytes);
    if (map && ones) {
        memset(ones, -1, (size_t)bytes);
        if (!PMPI_Unpack_c(ones, bytes, &position, (char *)((uintptr_t)map - (uintptr_t)lower),
                           a->count, a->type, MPI_COMM_SELF))
            n = find_runs(map, (size_t)span, base + (uint64_t)lower, piece);
    }
    free(map);
    free(ones);
    return n;
}

static void find_place(struct check_open *o, uint64_t unit)
{
    const struct check_access *a = &o->a;
    uint64_t base = (uint64_t)a->disp * unit;
    struct check_piece piece[PIECES + 1];
    /* any address would do: it is the distance that counts */
    struct check_buffer b = check_buffer_find((void *)(uintptr_t)SPAN, a->count, a->type);

    if (b.begin)
        piece[0] = (struct check_piece){ base + ((uintptr_t)b.begin - SPAN),
                                         base + ((uintptr_t)b.end - SPAN) };
    o->pieces = b.begin ? 1 : find_pieces(a, base, piece);
    o->piece = o->pieces ? malloc(o->pieces * sizeof *piece) : NULL;
    if (o->piece)
        memcpy(o->piece, piece, o->pieces * sizeof *piece);
    else
        o->pieces = 0;
}

/* -- two of them */

bool check_access_is_news(const void *a, const void *b)
{
    enum { PAIRS = 64 };
    static struct { const void *a, *b; } told[PAIRS];
    static unsigned count;

    for (unsigned i = 0; i < count; i++)
        if ((told[i].a == a && told[i].b == b) || (told[i].a == b && told[i].b == a))
            return false;
    if (count < PAIRS) {
        told[count].a = a;
        told[count++].b = b;
    }
    return true;
}

bool check_accesses_same(const struct check_open *a, const struct check_open *b)
{
    return a->a.effect == CHECK_WRITES && b->a.effect == CHECK_WRITES && a->a.from.begin
           && b->a.from.begin && a->sum == b->sum && a->pieces == b->pieces
           && !memcmp(a->piece, b->piece, a->pieces * sizeof *a->piece);
}

static void report_clash(const struct check_open *o, const struct check_open *before,
                         struct check_piece common)
{
    char here[CHECK_PLACE_BYTES], there[CHECK_PLACE_BYTES];
    bool same = check_accesses_same(o, before);

    if (check_access_is_news(o->a.caller, before->a.caller))
        (same ? check_note : check_report)(
            "%s at %s %s bytes %llu to %llu of rank %d's part of the window, which %s at %s %s in "
            "the same epoch%s", o->a.call, check_place(o->a.caller, here, sizeof here),
            check_effect_name(o->a.effect), (unsigned long long)common.begin,
            (unsigned long long)common.end - 1, o->a.target, before->a.call,
            check_place(before->a.caller, there, sizeof there),
            check_effect_name(before->a.effect), same ? ", with the same data" : "");
}

/* Pieces are in order and apart: of two that do not meet, the one that ends first meets none. */
static bool find_common(const struct check_open *a, const struct check_open *b,
                        struct check_piece *common)
{
    for (size_t i = 0, j = 0; i < a->pieces && j < b->pieces;) {
        const struct check_piece *p = &a->piece[i], *q = &b->piece[j];
        *common = (struct check_piece){ p->begin > q->begin ? p->begin : q->begin,
                                        p->end < q->end ? p->end : q->end };
        if (common->begin < common->end)
            return true;
        if (p->end < q->end)
            i++;
        else
            j++;
    }
    return false;
}

static void compare_targets(const struct check_open *o, const struct check_open *before)
{
    struct check_piece common;

    if (o->a.target == before->a.target && check_effects_clash(o->a.effect, before->a.effect)
        && find_common(o, before, &common))
        report_clash(o, before, common);
}

static bool overlap(struct check_buffer a, struct check_buffer b)
{
    return a.begin && b.begin && a.begin < b.end && b.begin < a.end;
}

/* Results of combining may go where nobody looks at them, so that only what reads one of them
 * counts. */
static void compare_buffers(const struct check_open *o, const struct check_open *before)
{
    const struct check_access *a = &o->a, *b = &before->a;
    char here[CHECK_PLACE_BYTES], there[CHECK_PLACE_BYTES];
    bool gets = a->effect == CHECK_READS && b->effect == CHECK_READS;
    bool mixed = overlap(a->from, b->to) || overlap(a->to, b->from)
                 || (gets && overlap(a->to, b->to));

    if (!mixed || !check_access_is_news(a->caller, b->caller))
        return;
    (gets ? check_note : check_report)(
        "the buffer of %s at %s overlaps that of %s at %s, which is not complete", a->call,
        check_place(a->caller, here, sizeof here), b->call,
        check_place(b->caller, there, sizeof there));
}

/* -- all of them */

static bool make_room(struct check_window *w)
{
    if (w->opens < w->room)
        return true;
    size_t room = w->room ? 2 * w->room : 64;
    struct check_open *more = realloc(w->open, room * sizeof *more);
    if (!more)
        return false;
    w->open = more;
    w->room = room;
    return true;
}

void check_access_made(MPI_Win win, const struct check_access *a)
{
    struct check_window *w = check_window(win);

    if (!w || check_log_is_several() || a->target == MPI_PROC_NULL || a->count <= 0
        || w->pieces >= PIECES_OPEN || !make_room(w))
        return;
    struct check_open *o = &w->open[w->opens];
    *o = (struct check_open){ .a = *a, .sum = a->from.begin ? check_buffer_sum(a->from) : 0 };
    find_place(o, w->unit[a->target]);
    for (size_t i = w->opens; i > 0 && i + LOOKS > w->opens; i--) {
        compare_targets(o, &w->open[i - 1]);
        compare_buffers(o, &w->open[i - 1]);
    }
    w->opens++;
    w->pieces += o->pieces + 1;
}

static bool concerns(const struct check_open *o, int target)
{
    return target == CHECK_ALL_TARGETS || o->a.target == target;
}

void check_accesses_look(MPI_Win win, int target)
{
    struct check_window *w = check_log_is_several() ? NULL : check_window(win);
    char place[CHECK_PLACE_BYTES];

    for (size_t i = 0; w && i < w->opens; i++) {
        struct check_open *o = &w->open[i];
        if (!concerns(o, target) || !o->a.from.begin
            || (check_buffer_is_there(o->a.from) && check_buffer_sum(o->a.from) == o->sum))
            continue;
        if (check_access_is_news(o->a.caller, NULL))
            check_report("the buffer of %s at %s was written or freed before it was complete",
                         o->a.call, check_place(o->a.caller, place, sizeof place));
        o->a.from.begin = NULL;
    }
}

void check_accesses_done(MPI_Win win, int target, bool there)
{
    struct check_window *w = check_log_is_several() ? NULL : check_window(win);
    size_t kept = 0;

    for (size_t i = 0; w && i < w->opens; i++) {
        struct check_open *o = &w->open[i];
        if (concerns(o, target) && (there || o->a.fetches)) {
            w->pieces -= o->pieces + 1;
            free(o->piece);
            continue;
        }
        if (concerns(o, target))
            o->a.from.begin = o->a.to.begin = NULL;
        w->open[kept++] = *o;
    }
    if (w)
        w->opens = kept;
}

void check_accesses_drop(struct check_window *w)
{
    for (size_t i = 0; i < w->opens; i++)
        free(w->open[i].piece);
    free(w->open);
    w->open = NULL;
    w->opens = w->room = w->pieces = 0;
}
