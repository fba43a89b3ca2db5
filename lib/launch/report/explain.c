/* What the model clock knows of a job's messages, for people and for programs. */
#include "launch/report/explain.h"
#include "launch/ranks/job.h"
#include "nicemu/explain.h"
#include "launch/base/say.h"
#include "launch/base/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_SHOWN = 32 };

/* All there is to say, in one place. */
struct facts {
    struct nic_explained *slowest;
    unsigned count, ranks;
    /* sum: of the messages of all; its end is the job's */
    struct nic_explained_rank *rank, sum;
    bool uses[NIC_PART_COUNT], compares;
};

static uint64_t total_of(const struct nic_explained *e) { return e->way.time - e->way.began; }

static void add_rank(struct facts *f, const struct nic_explained_rank *r)
{
    f->sum.messages += r->messages;
    f->sum.collectives += r->collectives;
    f->sum.strays += r->strays;
    f->sum.total += r->total;
    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        f->sum.part[p] += r->part[p];
    if (r->end > f->sum.end)
        f->sum.end = r->end;
}

static bool gather(struct facts *f, const struct job *job)
{
    unsigned most = job->options->model.explain.most;

    *f = (struct facts){ .ranks = job->options->ranks };
    f->rank = need(calloc(f->ranks, sizeof *f->rank));
    f->slowest = need(calloc(most, sizeof *f->slowest));
    for (unsigned r = 0; r < f->ranks; r++) {
        if (!nic_job_explained_rank(job->nic, r, &f->rank[r]))
            return false;
        add_rank(f, &f->rank[r]);
    }
    int count = nic_job_explained(job->nic, f->slowest, most);
    f->count = count < 0 ? 0 : (unsigned)count;
    for (unsigned i = 0; i < f->count; i++) {
        f->compares |= f->slowest[i].way.compared;
        for (unsigned p = 0; p < NIC_PART_COUNT; p++)
            f->uses[p] |= f->slowest[i].way.part[p] || f->sum.part[p];
    }
    return count >= 0;
}

/* -- for people */

static void add_parts(struct table *t, const struct facts *f, const uint64_t *part,
                      const uint64_t *compared)
{
    for (unsigned p = 0; p < NIC_PART_COUNT; p++) {
        if (!f->uses[p])
            continue;
        table_add_time(t, part[p]);
        if (p != NIC_PART_MATCH || !f->compares)
            continue;
        if (compared)
            table_add(t, "%" PRIu64, *compared);
        else
            table_add(t, "%s", "");
    }
}

static void add_shares(struct table *t, const struct facts *f, const uint64_t *part, uint64_t total)
{
    for (unsigned i = 0; i < 7; i++)
        table_add(t, "%s", "");
    for (unsigned p = 0; p < NIC_PART_COUNT; p++) {
        if (!f->uses[p])
            continue;
        table_add_share(t, part[p], total);
        if (p == NIC_PART_MATCH && f->compares)
            table_add(t, "%s", "");
    }
}

static void add_message(struct table *t, const struct facts *f, const struct nic_explained *e)
{
    table_add(t, "%" PRIu32, e->way.rank);
    table_add(t, "%" PRIu32, e->to);
    table_add(t, e->collective ? "-" : "%" PRId32, e->tag);
    table_add(t, e->collective ? "-" : "%" PRIu64, e->bytes);
    table_add_words(t, e->how);
    table_add_time(t, e->way.began);
    table_add_time(t, total_of(e));
    add_parts(t, f, e->way.part, &e->way.compared);
    add_shares(t, f, e->way.part, total_of(e));
}

static void add_all(struct table *t, const struct facts *f)
{
    for (unsigned i = 0; i < 4; i++)
        table_add(t, "%s", i ? "" : "all");
    table_add_words(t, "all messages");
    table_add(t, "%s", "");
    table_add_time(t, f->sum.total);
    add_parts(t, f, f->sum.part, NULL);
    add_shares(t, f, f->sum.part, f->sum.total);
}

static void print_messages(FILE *out, const struct facts *f)
{
    static const char *const head[] = { "from", "to", "tag", "bytes", "protocol", "start",
                                        "total" };
    struct table t;
    unsigned columns = sizeof head / sizeof *head + f->compares;

    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        columns += f->uses[p];
    table_begin(&t, columns);
    for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
        table_add(&t, "%s", head[i]);
    for (unsigned p = 0; p < NIC_PART_COUNT; p++) {
        if (f->uses[p])
            table_add(&t, "%s", nic_part_name(p));
        if (p == NIC_PART_MATCH && f->uses[p] && f->compares)
            table_add(&t, "%s", "entries");
    }
    for (unsigned i = 0; i < f->count; i++)
        add_message(&t, f, &f->slowest[i]);
    if (f->sum.messages)
        add_all(&t, f);
    table_print(&t, out);
}

static uint64_t idle_of(const struct facts *f, const struct nic_explained_rank *r, unsigned unit)
{
    uint64_t used = r->busy[unit] + (unit == NIC_UNIT_HOST ? r->computed + r->waited : 0);

    return f->sum.end - used;
}

static void add_rank_line(struct table *t, const struct facts *f, unsigned rank)
{
    const struct nic_explained_rank *r = &f->rank[rank];

    table_add(t, "%u", rank);
    table_add_words(t, "busy");
    table_add_time(t, r->computed);
    table_add_time(t, r->waited);
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++)
        table_add_time(t, r->busy[u]);
    table_add(t, "%s", "");
    table_add_words(t, "idle");
    table_add(t, "%s", "");
    table_add(t, "%s", "");
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++)
        table_add_time(t, idle_of(f, r, u));
}

static void print_ranks(FILE *out, const struct facts *f)
{
    struct table t;
    unsigned shown = f->ranks < RANKS_SHOWN ? f->ranks : RANKS_SHOWN;

    table_begin(&t, 4 + NIC_UNIT_COUNT);
    table_add(&t, "rank");
    table_add_words(&t, "");
    table_add(&t, "computing");
    table_add(&t, "waiting");
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++)
        table_add(&t, "%s", nic_unit_name(u));
    for (unsigned r = 0; r < shown; r++)
        add_rank_line(&t, f, r);
    table_print(&t, out);
    if (shown < f->ranks)
        fprintf(out, "  and %u more ranks: --explain-file has all\n", f->ranks - shown);
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* In one piece, so that nothing of another program comes in between. */
static void print_table(const struct facts *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    fprintf(out,
            "mpirun: the slowest of %" PRIu64 " message%s and %" PRIu64 " end%s of collectives, "
                "from the sender's call to the receiver's notice; times in ns\n",
            f->sum.messages, plural(f->sum.messages), f->sum.collectives,
                plural(f->sum.collectives));
    print_messages(out, f);
    fprintf(out,
            "mpirun: what each rank was busy with in %" PRIu64 ".%03" PRIu64 " ns, and its host "
                "computing or waiting in MPI\n", f->sum.end / 1000, f->sum.end % 1000);
    print_ranks(out, f);
    fclose(out);
    say_text(need(text), size);
    free(text);
}

/* -- for programs: times in ps */

#define PART_HEAD(NAME, name, text) "\t" #name
#define UNIT_HEAD(NAME, name) "\t" #name "\t" #name "_idle"
static const char message_head[] =
    "#message\tfrom\tto\ttag\tbytes\tprotocol\tstart\ttotal" NIC_PARTS(PART_HEAD) "\tentries\n";
static const char rank_head[] =
    "#rank\trank\tend\tmessages\tcollectives\tcomputing\twaiting" NIC_UNITS(UNIT_HEAD) "\n";
static const char calls_head[] = "#calls\trank\tkind\tcount\tbefore\tduring\tafter\n";

static void write_message(FILE *out, const struct nic_explained *e)
{
    fprintf(out,
            "%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRId32 "\t%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64,
                e->collective ? "collective" : "message",
            e->way.rank, e->to, e->tag, e->bytes, e->how, e->way.began, total_of(e));
    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        fprintf(out, "\t%" PRIu64, e->way.part[p]);
    fprintf(out, "\t%" PRIu64 "\n", e->way.compared);
}

static void write_rank(FILE *out, const struct facts *f, unsigned rank)
{
    const struct nic_explained_rank *r = &f->rank[rank];

    fprintf(out, "rank\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, rank,
            f->sum.end, r->messages, r->collectives, r->computed, r->waited);
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++)
        fprintf(out, "\t%" PRIu64 "\t%" PRIu64, r->busy[u], idle_of(f, r, u));
    fputc('\n', out);
}

static void write_calls(FILE *out, unsigned rank, const char *kind,
                        const struct nic_explained_calls *c)
{
    fprintf(out, "calls\t%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", rank, kind,
            c->count, c->before, c->during, c->after);
}

static void write_facts(FILE *out, const struct facts *f)
{
    fputs(message_head, out);
    for (unsigned i = 0; i < f->count; i++)
        write_message(out, &f->slowest[i]);
    fputs(rank_head, out);
    for (unsigned r = 0; r < f->ranks; r++)
        write_rank(out, f, r);
    fputs(calls_head, out);
    for (unsigned r = 0; r < f->ranks; r++) {
        write_calls(out, r, "send", &f->rank[r].sends);
        write_calls(out, r, "receive", &f->rank[r].receives);
    }
}

static bool write_file(const char *name, const struct facts *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    write_facts(out, f);
    fclose(out);
    int rc = write_whole(name, need(text), size);
    free(text);
    if (rc)
        say_unwritten(name, -rc);
    return !rc;
}

bool explain_report(const struct job *job)
{
    const struct explain *e = &job->options->model.explain;
    struct facts f;
    bool written = true;

    if (!e->most)
        return true;
    if (!gather(&f, job)) {
        say("there is nothing to explain: not all ranks ended with MPI_Finalize, or one has "
            "written over what another left");
    } else {
        if (e->table)
            print_table(&f);
        if (e->file)
            written = write_file(e->file, &f);
        if (f.sum.strays)
            say("%" PRIu64 " of the messages are not explained right: please report this",
                f.sum.strays);
    }
    free(f.rank);
    free(f.slowest);
    return written;
}
