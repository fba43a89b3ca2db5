/* Logs of the model clock: a file of records per rank while
 * the job runs, merged into a text at its end. */
#include "time/log.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "time/event.h"
#include "nicemu/model.h"

enum { NAME_MAX_BYTES = 600 };

static_assert(sizeof(struct nic_log_record) == 56, "no gaps");

/* "log.3", and of the second program "log.3.2". */
static void name_of(char *text, const char *base, unsigned rank, unsigned program)
{
    snprintf(text, NAME_MAX_BYTES, program ? "%s.%u.%u" : "%s.%u", base, rank, program + 1);
}

int nic_log_open(struct nic_log *l, const char *name, unsigned rank, unsigned program,
                 _Atomic int32_t *error)
{
    char file[NAME_MAX_BYTES];
    *l = (struct nic_log){ .error = error };
    if (!*name)
        return 0;
    name_of(file, name, rank, program);
    l->file = fopen(file, "we");
    return l->file ? 0 : -errno;
}

/* errno says why.  What could not be written must not be followed by anything. */
static void lose(struct nic_log *l)
{
    atomic_store(l->error, errno);
    fclose(l->file);
    l->file = NULL;
}

void nic_log_add(struct nic_log *l, const struct nic_log_record *r)
{
    uint64_t h = nic_clock_mix(l->hash, r->key.time);
    h = nic_clock_mix(h, (uint64_t)r->key.source << 32 | r->key.sequence);
    h = nic_clock_mix(h, (uint64_t)r->kind << 32 | r->rank);
    h = nic_clock_mix(nic_clock_mix(h, r->start), r->end);
    l->hash = nic_clock_mix(nic_clock_mix(h, r->charges), r->host);
    l->events++;
    if (l->file && fwrite(r, sizeof *r, 1, l->file) != 1)
        lose(l);
}

void nic_log_flush(struct nic_log *l)
{
    if (l->file && fflush(l->file))
        lose(l);
}

void nic_log_close(struct nic_log *l)
{
    FILE *file = l->file;
    l->file = NULL;
    if (file && fclose(file))
        atomic_store(l->error, errno);
}

/* -- merging: each rank's file is in the order of time already */

struct source { FILE *file; bool more; struct nic_log_record next; };

static void read_next(struct source *s)
{
    s->more = s->file && fread(&s->next, sizeof s->next, 1, s->file) == 1;
}

static int compare(const struct source *a, const struct source *b)
{
    if (a->next.key.time != b->next.key.time)
        return a->next.key.time < b->next.key.time ? -1 : 1;
    return a->next.rank < b->next.rank ? -1 : 1;
}

/* A heap of sources by their next records; sinks the first one to its place. */
static void sink(struct source **heap, unsigned count)
{
    for (unsigned at = 0, child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(heap[child + 1], heap[child]) < 0)
            child++;
        if (compare(heap[at], heap[child]) <= 0)
            return;
        struct source *s = heap[at];
        heap[at] = heap[child];
        heap[child] = s;
        at = child;
    }
}

static int print(FILE *out, const struct nic_log_record *r)
{
    int n = fprintf(out,
                    "%" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %s %" PRIu64 " %" PRIu64 " "
                        "%" PRIu64 " %016" PRIx64 "\n", r->key.time,
                    r->rank, r->key.source, r->key.sequence, nic_event_name(r->kind), r->start,
                        r->end, r->host, r->charges);
    return n < 0 ? -errno : 0;
}

static unsigned begin(struct source *source, struct source **heap, unsigned ranks)
{
    unsigned count = 0;
    for (unsigned r = 0; r < ranks; r++) {
        read_next(&source[r]);
        if (!source[r].more)
            continue;
        unsigned at = count++;
        for (; at && compare(&source[r], heap[(at - 1) / 2]) < 0; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = &source[r];
    }
    return count;
}

/* 0 or the -errno of the first write that failed. */
static int merge(FILE *out, struct source *source, struct source **heap, unsigned ranks)
{
    unsigned count = begin(source, heap, ranks);
    int rc = 0;
    while (count && !rc) {
        rc = print(out, &heap[0]->next);
        read_next(heap[0]);
        if (!heap[0]->more)
            heap[0] = heap[--count];
        sink(heap, count);
    }
    return rc;
}

/* A device that the name leads to may be read without end. */
static FILE *open_source(const char *name)
{
    struct stat st;
    FILE *file = fopen(name, "re");
    if (file && (fstat(fileno(file), &st) || !S_ISREG(st.st_mode))) {
        fclose(file);
        file = NULL;
    }
    return file;
}

/* False: this program has left nothing. */
static bool open_sources(struct source *source, const char *log, unsigned ranks, unsigned program)
{
    char name[NAME_MAX_BYTES];
    bool any = false;
    for (unsigned r = 0; r < ranks; r++) {
        name_of(name, log, r, program);
        source[r].file = open_source(name);
        any |= !unlink(name);
    }
    return any;
}

static void close_sources(struct source *source, unsigned ranks)
{
    for (unsigned r = 0; r < ranks; r++)
        if (source[r].file)
            fclose(source[r].file);
}

static int print_title(FILE *out, unsigned program)
{
    int n = program ? fprintf(out, "# program %u\n", program + 1)
            : fputs("# time rank source sequence event start end host charges (times in ps)\n",
                    out);
    return n < 0 ? -errno : 0;
}

/* One program after the other, each from time 0 on.  Without
 * `out` the ranks' files are just removed. */
static int merge_all(FILE *out, struct source *source, struct source **heap, const char *log,
                     unsigned ranks, unsigned programs)
{
    int rc = 0;
    for (unsigned p = 0; p < programs && (open_sources(source, log, ranks, p) || !p); p++) {
        if (out && !rc)
            rc = print_title(out, p);
        if (out && !rc)
            rc = merge(out, source, heap, ranks);
        close_sources(source, ranks);
    }
    return rc;
}

int nic_model_log_merge(const char *log, unsigned ranks, unsigned programs)
{
    struct source *source = calloc(ranks, sizeof *source), **heap = calloc(ranks, sizeof *heap);
    FILE *out = source && heap ? fopen(log, "we") : NULL;
    int rc = out ? 0 : source && heap ? -errno : -ENOMEM;
    if (source && heap) {
        int lost = merge_all(out, source, heap, log, ranks, programs);
        rc = rc ? rc : lost;
    }
    if (out && fclose(out) && !rc)
        rc = -errno;
    free(source);
    free(heap);
    return rc;
}
