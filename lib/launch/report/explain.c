/* What the model clock knows of a job's messages, for people and for programs. */
#include "launch/report/explain.h"
#include "launch/report/explained.h"
#include "launch/report/explain_text.h"
#include "launch/ranks/job.h"
#include "launch/base/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* By name; all ranks together may have more names than one, and then some are left out. */
static void add_own(struct facts *f, const struct nic_explained_own *o)
{
    for (unsigned i = 0; i < NIC_EXPLAINED_OWN; i++) {
        struct nic_explained_own *sum = &f->sum.own[i];
        if (sum->name[0] && strcmp(sum->name, o->name))
            continue;
        memcpy(sum->name, o->name, sizeof sum->name);
        sum->count += o->count;
        sum->time += o->time;
        return;
    }
}

/* By key and unit; there is room for all that ranks can have. */
static void add_charge(struct facts *f, const struct nic_explained_charge *c)
{
    for (unsigned i = 0; i < NIC_EXPLAINED_CHARGES; i++) {
        struct nic_explained_charge *sum = &f->sum.charge[i];
        if (sum->key[0] && (strcmp(sum->key, c->key) || sum->unit != c->unit))
            continue;
        memcpy(sum->key, c->key, sizeof sum->key);
        sum->unit = c->unit;
        sum->times += c->times;
        sum->time += c->time;
        return;
    }
}

static void add_rank(struct facts *f, const struct nic_explained_rank *r)
{
    for (unsigned i = 0; i < NIC_EXPLAINED_CHARGES && r->charge[i].key[0]; i++)
        add_charge(f, &r->charge[i]);
    for (unsigned i = 0; i < NIC_EXPLAINED_OWN && r->own[i].name[0]; i++)
        add_own(f, &r->own[i]);
    f->sum.messages += r->messages;
    f->sum.collectives += r->collectives;
    f->sum.one_sided += r->one_sided;
    f->sum.strays += r->strays;
    f->sum.total += r->total;
    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        f->sum.part[p] += r->part[p];
    if (r->end > f->sum.end)
        f->sum.end = r->end;
}

/* The job is over when the last host is: what NICs still do then is no part of its time. */
static void cut_off_late(struct nic_explained_rank *r, uint64_t end)
{
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++) {
        const uint64_t late = r->until[u] > end ? r->until[u] - end : 0;
        r->busy[u] -= late < r->after[u] ? late : r->after[u];
    }
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
    for (unsigned r = 0; r < f->ranks; r++)
        cut_off_late(&f->rank[r], f->sum.end);
    int count = nic_job_explained(job->nic, f->slowest, most);
    f->count = count < 0 ? 0 : (unsigned)count;
    return count >= 0;
}

/* -- for programs: times in ps */

#define PART_HEAD(NAME, name, text) "\t" #name
#define UNIT_HEAD(NAME, name) "\t" #name "\t" #name "_idle"
static const char message_head[] =
    "#message\tfrom\tto\ttag\tbytes\tprotocol\tstart\ttotal" NIC_PARTS(PART_HEAD) "\tentries\n";
static const char rank_head[] =
    "#rank\trank\tend\tmessages\tcollectives\tcomputing\twaiting" NIC_UNITS(UNIT_HEAD) "\n";
static const char own_head[] = "#own\trank\tname\tcount\ttime\n";
static const char charge_head[] = "#charge\trank\tkey\tunit\ttimes\ttime\n";
static const char calls_head[] = "#calls\trank\tkind\tcount\tbefore\tduring\tafter\n";

static void write_message(FILE *out, const struct nic_explained *e)
{
    fprintf(out,
            "%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRId32 "\t%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64,
                e->collective ? "collective" : e->one_sided ? "one-sided" : "message",
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

static void write_own(FILE *out, const struct facts *f, unsigned rank)
{
    for (unsigned i = 0; i < NIC_EXPLAINED_OWN && f->rank[rank].own[i].name[0]; i++) {
        const struct nic_explained_own *o = &f->rank[rank].own[i];
        fprintf(out, "own\t%u\t%s\t%" PRIu64 "\t%" PRIu64 "\n", rank, o->name, o->count, o->time);
    }
}

static void write_charges(FILE *out, const struct facts *f, unsigned rank)
{
    for (unsigned i = 0; i < NIC_EXPLAINED_CHARGES && f->rank[rank].charge[i].key[0]; i++) {
        const struct nic_explained_charge *c = &f->rank[rank].charge[i];
        fprintf(out, "charge\t%u\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n", rank, c->key,
                nic_unit_name((unsigned)c->unit), c->times, c->time);
    }
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
    fputs(charge_head, out);
    for (unsigned r = 0; r < f->ranks; r++)
        write_charges(out, f, r);
    if (f->sum.own[0].name[0])
        fputs(own_head, out);
    for (unsigned r = 0; r < f->ranks; r++)
        write_own(out, f, r);
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
            explain_tell(&f);
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
