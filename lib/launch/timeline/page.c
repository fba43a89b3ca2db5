/* Figures as JSON; page.html draws them. */
#include "launch/timeline/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/base/say.h"
#include "launch/ranks/job.h"
#include "launch/timeline/advice.h"
#include "launch/timeline/cause.h"
#include "launch/timeline/chrome.h"
#include "launch/timeline/page_text.h"
#include "launch/timeline/sums.h"

enum { CALLS_SHOWN = 16000, ARROWS_SHOWN = 5000, SLOWEST = 20, PAIRS_SHOWN = 40000, BINS = 1000 };

struct page { FILE *out; const struct view *view; struct sums sums; };

/* Begins and ends are not rounded, %.6f: late in a job they are large numbers that differ by
 * little. */
static double us(uint64_t ps) { return (double)ps * 1e-6; }

/* -- head */

static void put_about(struct page *p)
{
    const struct options *o = p->view->job->options;
    FILE *out = p->out;

    fputs("\"program\":", out);
    json_string(out, o->app[0].argv[0]);
    fprintf(out, ",\"ranks\":%u,\"modelled\":%d,\"profile\":", p->view->ranks, p->view->modelled);
    json_string(out, o->model.name ? o->model.name : "");
    fprintf(out, ",\"end\":%.6f,\"records\":%zu,\"kept\":%" PRIu64 ",\"slice\":%.3f,\"lost\":%"
            PRIu64 ",\"unnumbered\":%" PRIu64 ",\"silent\":%u,\n", us(p->view->end), p->view->count,
            UINT64_C(1) << p->view->shift, us(p->view->slice), p->view->lost,
            p->view->unnumbered, p->view->silent);
}

static void put_names(struct page *p)
{
    fputs("\"names\":[", p->out);
    for (unsigned c = 0; c < TRACE_CALL_COUNT; c++)
        fprintf(p->out, "%s\"%s\"", c ? "," : "", call_name(c));
    fputs("],\n", p->out);
}

/* -- sums */

static void put_calls(struct page *p)
{
    bool some = false;

    fputs("\"calls\":[", p->out);
    for (unsigned rank = 0; rank < p->view->ranks; rank++)
        for (unsigned c = 0; c < TRACE_CALL_COUNT; c++) {
            const struct trace_total *t = &view_rank(p->view, rank)->call[c];
            if (!t->calls)
                continue;
            fprintf(p->out, "%s[%u,%u,%" PRIu64 ",%.6f,%.6f]", some ? "," : "", rank, c, t->calls,
                    us(view_time(p->view, t->ticks)), us(view_time(p->view, t->longest)));
            some = true;
        }
    fputs("],\n", p->out);
}

static void put_pairs(struct page *p)
{
    unsigned some = 0;

    fputs("\"pairs\":[", p->out);
    for (unsigned from = 0; from < p->view->ranks; from++)
        for (unsigned to = 0; to < p->view->ranks && some < PAIRS_SHOWN; to++) {
            const struct trace_peer *peer = &view_rank(p->view, from)->peer[to];
            if (peer->messages)
                fprintf(p->out, "%s[%u,%u,%" PRIu64 ",%" PRIu64 "]", some++ ? "," : "", from, to,
                        peer->messages, peer->bytes);
        }
    fputs("],\n", p->out);
}

static void put_sizes(struct page *p)
{
    fputs("\"sizes\":[", p->out);
    for (unsigned i = 0; i < TRACE_SIZES; i++) {
        uint64_t sum = 0;
        for (unsigned rank = 0; rank < p->view->ranks; rank++)
            sum += view_rank(p->view, rank)->sizes[i];
        fprintf(p->out, "%s%" PRIu64, i ? "," : "", sum);
    }
    fputs("],\n\"latencies\":[", p->out);
    for (unsigned i = 0; i < LATENCIES; i++)
        fprintf(p->out, "%s%" PRIu64, i ? "," : "", p->sums.latency[i]);
    fputs("],\n", p->out);
}

static void put_balance(struct page *p)
{
    fputs("\"balance\":[", p->out);
    for (unsigned rank = 0; rank < p->view->ranks; rank++) {
        const struct rank_sums *r = &p->sums.rank[rank];
        uint64_t inside = r->mpi + r->setup;
        fprintf(p->out, "%s[%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%u,%u,%" PRIu64 "]", rank ? "," : "",
                us(r->there > inside ? r->there - inside : 0), us(r->setup),
                us(r->waited[CAUSE_NOBODY]), us(r->waited[CAUSE_SENDER]),
                us(r->waited[CAUSE_RECEIVER]), us(r->waited[CAUSE_RANKS]), r->posted,
                r->unexpected, r->early);
    }
    fputs("],\n", p->out);
}

/* -- the time line: what is longest, in the order of time, and all of it in bins */

static int longest_first(const void *one, const void *two)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;

    return a > b ? -1 : a < b;
}

/* How long a thing has to be, to be among the `most` longest, and how many there may be of those
 * that are no longer: on the model clock many are as long as each other. */
struct cut { uint64_t least; size_t equal; };

static struct cut cut_of(uint64_t *length, size_t count, size_t most)
{
    struct cut c = { 0, SIZE_MAX };

    if (count <= most)
        return c;
    qsort(length, count, sizeof *length, longest_first);
    c.least = length[most - 1];
    for (c.equal = 0; c.equal < most && length[most - 1 - c.equal] == c.least;)
        c.equal++;
    return c;
}

/* To be asked once of each. */
static bool is_long(struct cut *c, uint64_t length)
{
    return length == c->least ? c->equal && c->equal-- : length > c->least;
}

static void put_events(struct page *p)
{
    const struct view *v = p->view;
    uint64_t *length = need(calloc(v->count + 1, sizeof *length));
    size_t count = 0, put = 0;

    for (size_t i = 0; i < v->count; i++)
        if (entry_is_call(&v->entry[i]))
            length[count++] = v->entry[i].r.end - v->entry[i].r.begin;
    struct cut cut = cut_of(length, count, CALLS_SHOWN);
    fprintf(p->out, "\"left\":%zu,\n\"events\":[", count > CALLS_SHOWN ? count - CALLS_SHOWN : 0);
    for (size_t i = 0; i < v->count; i++) {
        const struct entry *e = &v->entry[i];
        uint64_t takes = e->r.end - e->r.begin;
        if (!entry_is_call(e) || !is_long(&cut, takes))
            continue;
        fprintf(p->out, "%s[%" PRIu32 ",%u,%.6f,%.6f,%u,%u,%.6g,%d,%" PRIu64 "]",
                put++ ? "," : "", e->rank, e->r.lane, us(e->r.begin), us(takes), e->r.what,
                e->cause, us(e->waited), e->r.peer, e->r.bytes);
    }
    fputs("],\n", p->out);
    free(length);
}

static void put_arrows(struct page *p)
{
    const struct view *v = p->view;
    uint64_t *length = need(calloc(v->count + 1, sizeof *length));
    size_t count = 0, put = 0;

    for (size_t i = 0; i < v->count; i++)
        if (is_message(v, &v->entry[i]))
            length[count++] = latency_of(v, &v->entry[i]);
    struct cut cut = cut_of(length, count, ARROWS_SHOWN);
    fputs("\"arrows\":[", p->out);
    for (size_t i = 0; i < v->count; i++) {
        const struct entry *e = &v->entry[i];
        if (!is_message(v, e) || !is_long(&cut, latency_of(v, e)))
            continue;
        fprintf(p->out, "%s[%" PRIu32 ",%.6f,%" PRIu32 ",%.6f,%" PRIu64 "]", put++ ? "," : "",
                e->rank, us(e->r.begin), v->entry[e->partner].rank,
                us(v->entry[e->partner].r.end), e->r.bytes);
    }
    fputs("],\n", p->out);
    free(length);
}

/* A letter for what a rank did most in each bin: computed, worked in MPI, waited. */
static void put_bins_of(struct page *p, double (*bin)[1 + CAUSES])
{
    static const char letter[] = ".wsrc";

    for (unsigned b = 0; b < BINS; b++) {
        unsigned best = 1;
        double all = 0;
        for (unsigned k = 1; k <= CAUSES; k++) {
            all += bin[b][k];
            best = bin[b][k] > bin[b][best] ? k : best;
        }
        fputc(letter[all >= 0.5 ? best : 0], p->out);
    }
}

static void fill(double (*bin)[1 + CAUSES], double from, double to, unsigned kind)
{
    for (unsigned b = (unsigned)from; b < BINS && b < to; b++) {
        double start = b > from ? b : from, end = b + 1 < to ? b + 1 : to;
        bin[b][kind] += end > start ? end - start : 0;
    }
}

static void fill_call(double (*bin)[1 + CAUSES], const struct entry *e, double scale)
{
    double begin = (double)e->r.begin * scale, end = (double)e->r.end * scale,
        until = begin + (double)e->waited * scale;

    if (e->r.lane)
        return;
    fill(bin, begin, until, 1 + e->cause);
    fill(bin, until, end, 1);
}

static void put_bins(struct page *p)
{
    const struct view *v = p->view;
    size_t bytes = BINS * sizeof(double[1 + CAUSES]);
    double (*bin)[1 + CAUSES] = need(malloc(v->ranks * bytes));
    double scale = v->end ? BINS / (double)v->end : 0;

    memset(bin, 0, v->ranks * bytes);
    for (size_t i = 0; i < v->count; i++)
        if (entry_is_call(&v->entry[i]))
            fill_call(bin + (size_t)v->entry[i].rank * BINS, &v->entry[i], scale);
    fputs("\"bins\":[", p->out);
    for (unsigned rank = 0; rank < v->ranks; rank++) {
        fputs(rank ? ",\"" : "\"", p->out);
        put_bins_of(p, bin + (size_t)rank * BINS);
        fputc('"', p->out);
    }
    fputs("],\n", p->out);
    free(bin);
}

/* -- the slowest messages */

struct slow { uint64_t latency; size_t index; };

static int slowest_first(const void *one, const void *two)
{
    const struct slow *a = one, *b = two;

    if (a->latency != b->latency)
        return a->latency > b->latency ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void print_time(char *text, size_t room, uint64_t ps)
{
    static const char *const unit[] = { "ns", "us", "ms", "s" };
    double time = (double)ps * 1e-3;
    unsigned u = 0;

    for (; time >= 1000 && u < 3; u++)
        time /= 1000;
    snprintf(text, room, "%.3g %s", time, unit[u]);
}

/* "the receive was posted 1.2 ms after it had been sent" */
static void tell(const struct view *v, const struct entry *e, char *text, size_t room)
{
    const struct entry *to = &v->entry[e->partner];
    uint64_t latency = latency_of(v, e), late = to->r.begin > e->r.begin
                                                ? to->r.begin - e->r.begin : 0;
    char total[32], part[32];

    print_time(total, sizeof total, latency);
    print_time(part, sizeof part, late);
    if (late * 2 > latency)
        snprintf(text, room, "%s, of which %s until rank %" PRIu32 " was ready to receive it "
                 "(%s).", total, part, to->rank, call_name(to->r.what));
    else if (to->seen_from > e->r.begin && (to->seen_from - e->r.begin) * 2 > latency) {
        print_time(part, sizeof part, to->seen_from - e->r.begin);
        snprintf(text, room, "%s, of which rank %" PRIu32 " was elsewhere for %s before it looked: "
                 "its receive was there.", total, to->rank, part);
    }
    else
        snprintf(text, room, "%s from the call of %s to the end of %s; its receive was there.",
                 total, call_name(e->r.what), call_name(to->r.what));
}

static void put_slow(struct page *p)
{
    const struct view *v = p->view;
    struct slow *slow = need(calloc(v->count + 1, sizeof *slow));
    size_t count = 0;
    char text[256];

    for (size_t i = 0; i < v->count; i++)
        if (is_message(v, &v->entry[i]))
            slow[count++] = (struct slow){ latency_of(v, &v->entry[i]), i };
    qsort(slow, count, sizeof *slow, slowest_first);
    fputs("\"slow\":[", p->out);
    for (size_t i = 0; i < count && i < SLOWEST; i++) {
        const struct entry *e = &v->entry[slow[i].index];
        tell(v, e, text, sizeof text);
        fprintf(p->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%" PRIu64 ",%.6f,", i ? "," : "",
                e->rank, v->entry[e->partner].rank, e->r.tag, e->r.bytes, us(e->r.begin));
        json_string(p->out, text);
        fputc(']', p->out);
    }
    fputs("],\n", p->out);
    free(slow);
}

void page_write(FILE *out, const struct view *view)
{
    struct page p = { .out = out, .view = view };

    sums_make(&p.sums, view);
    fputs(page_before, out);
    fputc('{', out);
    put_about(&p);
    put_names(&p);
    put_calls(&p);
    put_pairs(&p);
    put_sizes(&p);
    put_balance(&p);
    put_events(&p);
    put_arrows(&p);
    put_bins(&p);
    put_slow(&p);
    fputs("\"advice\":[", out);
    advice_write(out, view, &p.sums);
    fputs("]}", out);
    fputs(page_behind, out);
    sums_free(&p.sums);
}
