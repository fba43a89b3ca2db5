/* One event a line: names of processes and tracks, slices, and arrows between them. */
#include "launch/timeline/chrome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "launch/base/say.h"
#include "launch/ranks/job.h"
#include "launch/timeline/cause.h"
#include "nicemu/explain.h"
#include "nicemu/trace.h"

/* Tracks of the NIC, behind those of threads: of its units, and as many as it takes of what comes
 * beside them, several things at a time. */
enum { UNITS = 1000, BESIDE = 1300, BESIDES = 1000, TRACKS = BESIDE + BESIDES };

void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (size_t n; *text; text += n ? n : 1) {
        unsigned char c = (unsigned char)*text;
        n = strchr("<>&\"\\", c) ? 0 : printable_bytes((const unsigned char *)text);
        if (n)
            fwrite(text, 1, n, out);
        else
            fprintf(out, "\\u%04x", c);
    }
    fputc('"', out);
}

/* track: of each entry. */
struct writer { FILE *out; const struct view *view; unsigned *track; bool some; };

static void begin_event(struct writer *w)
{
    fputs(w->some ? ",\n" : "\n", w->out);
    w->some = true;
}

/* Live times are not known to the picosecond. */
static uint64_t shown(const struct writer *w, uint64_t ps)
{
    return w->view->modelled ? ps : ps - ps % 1000;
}

/* In microseconds.  Durations are of times that are shown, so that a slice ends where the next one
 * begins, and has the end of its arrow inside. */
static void put_time(struct writer *w, const char *name, uint64_t ps)
{
    if (w->view->modelled)
        fprintf(w->out, ",\"%s\":%" PRIu64 ".%06" PRIu64, name, ps / 1000000, ps % 1000000);
    else
        fprintf(w->out, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ps / 1000000,
                ps % 1000000 / 1000);
}

/* -- tracks */

static void name_it(struct writer *w, const char *what, unsigned rank, unsigned track,
                    const char *name)
{
    begin_event(w);
    fprintf(w->out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":",
            what, rank, track);
    json_string(w->out, name);
    fputs("}}", w->out);
}

static void order_it(struct writer *w, const char *what, unsigned rank, unsigned track,
                     unsigned place)
{
    begin_event(w);
    fprintf(w->out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":"
            "{\"sort_index\":%u}}", what, rank, track, place);
}

/* Until when the tracks of a rank beside the units are taken: by events, and by work, which is part
 * of one or stands alone. */
struct besides { uint64_t event[BESIDES], work[BESIDES]; unsigned count; };

static bool fits(const struct besides *b, unsigned i, const struct entry *e)
{
    bool part = e->r.kind != TRACE_EVENT && e->r.end <= b->event[i];

    return b->work[i] <= e->r.begin && (part || b->event[i] <= e->r.begin);
}

/* The first track in which it overlaps nothing.  Entries come in order, the longer of two first. */
static unsigned beside(struct besides *b, const struct entry *e)
{
    unsigned i = 0;

    while (i < b->count && !fits(b, i, e))
        i++;
    if (i == b->count)
        b->count += b->count < BESIDES - 1;
    if (e->r.kind == TRACE_EVENT)
        b->event[i] = e->r.end;
    else
        b->work[i] = e->r.end;
    return BESIDE + i;
}

static unsigned track_of(struct besides *b, const struct entry *e)
{
    if (e->r.kind < TRACE_WORK || (e->r.kind == TRACE_WORK && e->r.lane == NIC_UNIT_HOST))
        return e->r.kind < TRACE_WORK ? e->r.lane : 0;
    return e->r.lane == NIC_TRACE_BESIDE ? beside(b, e) : (unsigned)(UNITS + e->r.lane);
}

static unsigned *find_tracks(const struct view *v)
{
    unsigned *track = need(calloc(v->count + 1, sizeof *track));
    struct besides *b = need(calloc(v->ranks, sizeof *b));

    for (size_t i = 0; i < v->count; i++)
        track[i] = track_of(&b[v->entry[i].rank], &v->entry[i]);
    free(b);
    return track;
}

static void name_track(struct writer *w, unsigned rank, unsigned track)
{
    static const char *const units[] = { "host", "bus", "NIC processor", "ALPU", "DMA out",
                                         "DMA in", "wire", [NIC_TRACE_HANDLERS] = "handlers" };
    char text[64];

    if (track > BESIDE)
        snprintf(text, sizeof text, "beside the processor, %u", track - BESIDE + 1);
    else if (track == BESIDE)
        snprintf(text, sizeof text, "beside the processor");
    else if (track >= UNITS)
        snprintf(text, sizeof text, "%s",
                 track - UNITS <= NIC_TRACE_HANDLERS ? units[track - UNITS] : "?");
    else if (track)
        snprintf(text, sizeof text, "MPI, thread %u", track + 1);
    else
        snprintf(text, sizeof text, "MPI");
    name_it(w, "thread_name", rank, track, text);
    order_it(w, "thread_sort_index", rank, track, track);
}

static void name_tracks(struct writer *w)
{
    const struct view *v = w->view;
    bool *used = need(calloc((size_t)v->ranks * TRACKS, sizeof *used));
    char text[32];

    for (size_t i = 0; i < v->count; i++)
        used[(size_t)v->entry[i].rank * TRACKS + w->track[i]] = true;
    for (unsigned rank = 0; rank < v->ranks; rank++) {
        snprintf(text, sizeof text, "rank %u", rank);
        name_it(w, "process_name", rank, 0, text);
        order_it(w, "process_sort_index", rank, 0, rank);
        for (unsigned track = 0; track < TRACKS; track++)
            if (used[(size_t)rank * TRACKS + track])
                name_track(w, rank, track);
    }
    free(used);
}

/* -- slices */

static const char *name_of(const struct entry *e, char *text, size_t room)
{
    static const enum nic_trace_kind kinds[] = {
        [TRACE_WORK] = NIC_TRACE_WORK, [TRACE_PACKET] = NIC_TRACE_PACKET,
        [TRACE_MOVE] = NIC_TRACE_MOVE, [TRACE_EVENT] = NIC_TRACE_EVENT,
    };

    return e->r.kind < TRACE_WORK ? call_name(e->r.what)
           : nic_trace_name(kinds[e->r.kind], e->r.what, text, room);
}

static void put_number(struct writer *w, bool *some, const char *name, uint64_t value)
{
    fprintf(w->out, "%s\"%s\":%" PRIu64, *some ? "," : ",\"args\":{", name, value);
    *some = true;
}

static void put_arguments(struct writer *w, const struct entry *e)
{
    bool some = false, mpi = e->r.kind < TRACE_WORK;

    if (mpi && e->r.peer >= 0)
        put_number(w, &some, e->r.kind == TRACE_COLL ? "root" : "peer", (uint64_t)e->r.peer);
    if (e->r.kind == TRACE_SEND || e->r.kind == TRACE_RECV)
        put_number(w, &some, "tag", (uint64_t)(uint32_t)e->r.tag);
    if (e->r.bytes)
        put_number(w, &some, "bytes", e->r.bytes);
    if (e->r.kind == TRACE_CALL && e->r.times > 1)
        put_number(w, &some, "calls", e->r.times);
    if (e->cause) {
        put_number(w, &some, "waited_ns", e->waited / 1000);
        fprintf(w->out, ",\"because\":\"%s\"", cause_text(e->cause));
    }
    fputs(some ? "}" : "", w->out);
}

static void put_slice(struct writer *w, const struct entry *e)
{
    char text[64];

    begin_event(w);
    fprintf(w->out, "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u",
            name_of(e, text, sizeof text), e->r.kind < TRACE_WORK ? "mpi" : "nic", e->rank,
            w->track[e - w->view->entry]);
    put_time(w, "ts", e->r.begin);
    put_time(w, "dur", shown(w, e->r.end) - shown(w, e->r.begin));
    put_arguments(w, e);
    fputc('}', w->out);
}

/* -- arrows: from the beginning of a slice to the end of one */

/* A slice that takes time does not have its end inside.  What came lies in that of the call that
 * saw its end, which may take none. */
static uint64_t arrow_end(const struct writer *w, const struct entry *e)
{
    uint64_t begin = e->r.kind == TRACE_CAME && e->seen_from ? e->seen_from : e->r.begin;
    uint64_t step = w->view->modelled ? 1 : 1000;

    return e->r.kind == TRACE_EVENT || e->r.end - begin < step ? begin : e->r.end - step;
}

static void put_arrow(struct writer *w, const struct entry *e, size_t id, bool ends)
{
    const char *name = e->r.kind < TRACE_WORK ? "message" : "packet";
    uint64_t at = ends ? arrow_end(w, e) : e->r.begin;

    begin_event(w);
    fprintf(w->out, "{\"ph\":\"%s\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%zu,\"pid\":%u,"
            "\"tid\":%u", ends ? "f\",\"bp\":\"e" : "s", name, name, id, e->rank,
            w->track[e - w->view->entry]);
    put_time(w, "ts", at);
    fputc('}', w->out);
}

static bool begins_arrow(const struct view *v, const struct entry *e)
{
    return (e->r.kind == TRACE_SEND || e->r.kind == TRACE_PACKET) && e->partner != NO_PARTNER
        && e->partner < v->count;
}

static void put_arrows(struct writer *w)
{
    const struct view *v = w->view;

    for (size_t i = 0; i < v->count; i++)
        if (begins_arrow(v, &v->entry[i])) {
            put_arrow(w, &v->entry[i], i + 1, false);
            put_arrow(w, &v->entry[v->entry[i].partner], i + 1, true);
        }
}

static void put_about(struct writer *w)
{
    const struct view *v = w->view;

    fprintf(w->out, "],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"clock\":\"%s\",\"ranks\":%u,"
            "\"records\":%zu,\"slices_kept\":\"1 of %" PRIu64 "\",\"slice_us\":%.1f,"
            "\"records_lost\":%" PRIu64 "}}\n", v->modelled ? "model" : "live", v->ranks, v->count,
            UINT64_C(1) << v->shift, (double)v->slice * 1e-6, v->lost);
}

void chrome_write(FILE *out, const struct view *view)
{
    struct writer w = { .out = out, .view = view, .track = find_tracks(view) };

    fputs("{\"traceEvents\":[", out);
    name_tracks(&w);
    for (size_t i = 0; i < view->count; i++)
        if (view->entry[i].r.kind != TRACE_CAME && view->entry[i].r.kind != TRACE_WENT
            && !(view->entry[i].r.kind == TRACE_SEND
                 && view->entry[i].r.what == TRACE_MPI_Start))
            put_slice(&w, &view->entry[i]);
    put_arrows(&w);
    put_about(&w);
    free(w.track);
}
