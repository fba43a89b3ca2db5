/* Each rank sends its peers what it has sent them, by the log, and compares what it gets with what
 * it has received. */
#include "check/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/collectives.h"
#include "check/report.h"
#include "check/caller.h"
#include "mpi/door.h"

/* Of a peer. */
struct head { int count, ends; };

struct peers {
    MPI_Comm comm;
    int count, inter;
    struct head *to, *from;
    int *to_bytes, *from_bytes, *to_at, *from_at;
    struct check_sent *out, *in;        /* by peer */
};

/* -- exchanging */

static bool peers_begin(struct peers *p, MPI_Comm comm)
{
    *p = (struct peers){ .comm = comm };
    PMPI_Comm_test_inter(comm, &p->inter);
    if (p->inter)
        PMPI_Comm_remote_size(comm, &p->count);
    else
        PMPI_Comm_size(comm, &p->count);
    size_t n = (size_t)p->count;
    p->to = calloc(n, sizeof *p->to);
    p->from = calloc(n, sizeof *p->from);
    p->to_bytes = calloc(4 * n, sizeof *p->to_bytes);
    p->from_bytes = p->to_bytes + n;
    p->to_at = p->to_bytes + 2 * n;
    p->from_at = p->to_bytes + 3 * n;
    return p->to && p->from && p->to_bytes;
}

static void peers_end(struct peers *p)
{
    free(p->to);
    free(p->from);
    free(p->to_bytes);
    free(p->out);
    free(p->in);
}

/* By destination, each in the order of sending. */
static void sort_out(struct peers *p, const struct check_log *log)
{
    size_t at = 0;

    p->out = malloc((log ? log->sents : 0) * sizeof *p->out + 1);
    for (int i = 0; i < p->count; i++) {
        p->to_at[i] = (int)(at * sizeof *p->out);
        at += (size_t)p->to[i].count;
        p->to_bytes[i] = 0;
    }
    for (size_t i = 0; p->out && log && i < log->sents; i++) {
        int dest = log->sent[i].dest;
        p->out[(size_t)(p->to_at[dest] + p->to_bytes[dest]) / sizeof *p->out] = log->sent[i];
        p->to_bytes[dest] += (int)sizeof *p->out;
    }
}

static bool exchange(struct peers *p, const struct check_log *log, const char *call)
{
    int bytes = 0;

    for (size_t i = 0; log && i < log->sents; i++)
        p->to[log->sent[i].dest].count++;
    for (int i = 0; i < p->count; i++)
        p->to[i].ends = log ? log->sends_end : check_log_is_several();
    if (mpi_door.alltoall(call, p->to, sizeof *p->to, MPI_BYTE, p->from, sizeof *p->from, MPI_BYTE,
                          p->comm))
        return false;
    sort_out(p, log);
    for (int i = 0; i < p->count; i++) {
        p->from_bytes[i] = p->from[i].count * (int)sizeof *p->in;
        p->from_at[i] = bytes;
        bytes += p->from_bytes[i];
    }
    p->in = malloc((size_t)bytes + 1);
    return p->in && p->out
           && !PMPI_Alltoallv(p->out, p->to_bytes, p->to_at, MPI_BYTE, p->in, p->from_bytes,
                              p->from_at, MPI_BYTE, p->comm);
}

/* -- comparing */

enum { MATCHED = -1 };          /* in `dest`, which is of no use here */

static struct check_sent *list_of(const struct peers *p, int source)
{
    return p->in + (size_t)p->from_at[source] / sizeof *p->in;
}

static const char *name_of(MPI_Comm comm, char *name)
{
    int length = 0;

    if (PMPI_Comm_get_name(comm, name, &length) || !length)
        snprintf(name, MPI_MAX_OBJECT_NAME, "a communicator");
    return name;
}

static void report_mismatch(const struct peers *p, const struct check_received *r,
                            const struct check_sent *s)
{
    char place[CHECK_PLACE_BYTES], name[MPI_MAX_OBJECT_NAME], sent[64], expected[64];

    check_report("%s at %s takes the message of rank %d of %s with tag %d for %s, but it was sent "
                 "as %s", r->call, check_place(r->caller, place, sizeof place), r->source,
                 name_of(p->comm, name), s->tag, check_signature_name(&r->one, expected),
                 check_signature_name(&s->what, sent));
}

/* The next message of that source and tag that no receive before has taken; NULL: it is not
 * known. */
static struct check_sent *take(const struct peers *p, const struct check_received *r)
{
    if (r->source < 0 || r->source >= p->count)
        return NULL;
    struct check_sent *s = list_of(p, r->source), *end = s + p->from[r->source].count;
    for (; s < end; s++)
        if (s->dest != MATCHED && s->tag == r->tag) {
            s->dest = MATCHED;
            return s;
        }
    return NULL;
}

/* False: there is a receive of which it is not known what it has got or may still get, so that
 * those behind it are not known either. */
static bool match(const struct peers *p, const struct check_log *log)
{
    for (size_t i = 0; log && i < log->receiveds; i++) {
        const struct check_received *r = &log->received[i];
        struct check_sent *s = r->done ? take(p, r) : NULL;
        if (!r->done)
            return false;
        if (s && !check_signature_fits(&s->what, &r->one))
            report_mismatch(p, r, s);
    }
    return !log ? !check_log_is_several() : !log->receives_end;
}

static void report_left(const struct peers *p, int source)
{
    struct check_sent *s = list_of(p, source), *first = NULL;
    char name[MPI_MAX_OBJECT_NAME], kind[64];
    int count = 0;

    for (int i = 0; i < p->from[source].count; i++)
        if (s[i].dest != MATCHED) {
            first = first ? first : &s[i];
            count++;
        }
    if (!first)
        return;
    name_of(p->comm, name);
    if (first->what.unknown)
        snprintf(kind, sizeof kind, "bytes");
    else if (first->what.count)
        check_signature_name(&first->what, kind);
    if (count > 1)
        check_report("%d messages of rank %d of %s were never received, the first with tag %d",
                     count, source, name, first->tag);
    else if (first->what.unknown || !first->what.count)
        check_report("a message of rank %d of %s with tag %d was never received", source, name,
                     first->tag);
    else
        check_report("a message of rank %d of %s with tag %d was never received (%llu %s)", source,
                     name, first->tag, (unsigned long long)first->what.count, kind);
}

void check_exchange(MPI_Comm comm, const char *call)
{
    struct check_log *log = check_log_take(comm);
    struct peers p;

    if (peers_begin(&p, comm) && exchange(&p, log, call) && match(&p, log))
        for (int i = 0; i < p.count; i++)
            report_left(&p, i);
    if (!p.inter)
        check_collectives_compare(comm, log);
    peers_end(&p);
    check_log_free(log);
}
