/* The slowest messages with their parts, a verdict in words, and what ranks were busy with. */
#include "launch/report/explain_text.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"
#include "launch/base/table.h"
#include "launch/report/explained.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, RANKS_SHOWN = 32, CHARGES_SHOWN = 10, WORD = 64, LIST = 22, LONG_LIST = 38 };

/* What a message's time was, if that is what most of it was. */
static const char *const meaning[NIC_PART_COUNT] = {
    [NIC_PART_HOST] = "work of the hosts in MPI calls",
    [NIC_PART_BUS] = "on the bus between host and NIC",
    [NIC_PART_PROCESSOR] = "work of the NICs' processors",
    [NIC_PART_MATCH] = "searching lists for what matches",
    [NIC_PART_DMA] = "in the engines between memory and wire",
    [NIC_PART_WIRE] = "on the wire",
    [NIC_PART_WAIT] = "waiting for something that was busy",
    [NIC_PART_LATE] = "waiting for the receive",
    [NIC_PART_AWAY] = "waiting for a host that did something else",
    [NIC_PART_PACK] = "packing and unpacking data with gaps",
};

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static size_t print_ns(char *word, size_t room, uint64_t ps)
{
    int n = snprintf(word, room, "%" PRIu64 ".%03" PRIu64, ps / 1000, ps % 1000);

    return n < 0 ? 0 : (size_t)n;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* -- messages */

/* Two that took the same way through hardware, whoever sent them. */
static bool alike(const struct nic_explained *a, const struct nic_explained *b)
{
    return total_of(a) == total_of(b) && a->bytes == b->bytes && a->collective == b->collective
        && a->one_sided == b->one_sided && strcmp(a->how, b->how) == 0
        && a->way.compared == b->way.compared
        && memcmp(a->way.part, b->way.part, sizeof a->way.part) == 0;
}

/* Words that fit into lines, each line with so many blanks in front. */
struct lines { FILE *out; size_t indent, used; };

static void put_word(struct lines *l, const char *word)
{
    size_t bytes = strlen(word);

    if (l->used && l->used + 2 + bytes > COLUMNS) {
        fputc('\n', l->out);
        l->used = 0;
    }
    l->used += (size_t)fprintf(l->out, "%*s%s", l->used ? 2 : (int)l->indent, "", word);
}

/* "host 290.000 (4.4 %)" for each part that is there. */
static void print_parts(FILE *out, size_t indent, const uint64_t *part, uint64_t total,
                        uint64_t compared)
{
    struct lines l = { .out = out, .indent = indent };

    for (unsigned p = 0; p < NIC_PART_COUNT; p++) {
        char word[WORD + 64], ns[WORD], entries[WORD] = "";
        if (!part[p])
            continue;
        if (p == NIC_PART_MATCH && compared)
            snprintf(entries, sizeof entries, ", %" PRIu64 " entr%s", compared,
                     compared == 1 ? "y" : "ies");
        print_ns(ns, sizeof ns, part[p]);
        snprintf(word, sizeof word, "%s %s (%.1f %%%s)", nic_part_name(p), ns,
                 percent(part[p], total), entries);
        put_word(&l, word);
    }
    if (l.used)
        fputc('\n', out);
}

/* "0-3,5", cut to so many characters; to be freed. */
static char *list_of(const bool *chosen, unsigned ranks, size_t most)
{
    char *list = NULL;
    size_t size;
    FILE *out = need(open_memstream(&list, &size));

    ranklist_print(out, chosen, ranks);
    fclose(out);
    if (size > most) {
        list[most - 3] = 0;
        strcpy(strrchr(list, ',') + 1, "...");
    }
    return list;
}

/* The senders, or the receivers, of those that are alike; to be freed. */
static char *ranks_of(const struct facts *f, const bool *told, const struct nic_explained *like,
                      bool to)
{
    bool *chosen = need(calloc(f->ranks, sizeof *chosen));

    for (unsigned i = 0; i < f->count; i++) {
        const struct nic_explained *e = &f->slowest[i];
        uint32_t rank = to ? e->to : e->way.rank;
        if (!told[i] && alike(e, like) && rank < f->ranks)
            chosen[rank] = true;
    }
    char *list = list_of(chosen, f->ranks, LIST);
    free(chosen);
    return list;
}

static void put_ends(struct lines *l, const struct facts *f, const bool *told,
                     const struct nic_explained *e)
{
    char *from = ranks_of(f, told, e, false), *to = ranks_of(f, told, e, true), word[WORD];

    snprintf(word, sizeof word, e->one_sided ? "by %s on %s" : "from %s to %s", from, to);
    put_word(l, word);
    free(from);
    free(to);
}

/* What those that are alike are, and where they came from. */
static void print_head(struct lines *l, const struct facts *f, const bool *told,
                       const struct nic_explained *e, unsigned times)
{
    char word[2 * WORD], ns[WORD];

    put_ends(l, f, told, e);
    if (!e->collective) {
        snprintf(word, sizeof word, "%" PRIu64 " byte%s", e->bytes, plural(e->bytes));
        put_word(l, word);
        snprintf(word, sizeof word, "tag %" PRId32, e->tag);
        if (times == 1 && !e->one_sided)
            put_word(l, word);
    }
    put_word(l, e->how);
    print_ns(ns, sizeof ns, e->way.began);
    if (times > 1)
        snprintf(word, sizeof word, "%u times, first at %s", times, ns);
    else
        snprintf(word, sizeof word, "at %s", ns);
    put_word(l, word);
    fputc('\n', l->out);
}

/* A message, with all that are like it among those that follow. */
static void print_message(FILE *out, const struct facts *f, bool *told, unsigned first, int width)
{
    const struct nic_explained *e = &f->slowest[first];
    struct lines l = { .out = out, .indent = (size_t)width + 4 };
    unsigned times = 0;
    char ns[WORD];

    for (unsigned i = first; i < f->count; i++)
        times += !told[i] && alike(&f->slowest[i], e);
    print_ns(ns, sizeof ns, total_of(e));
    l.used = (size_t)fprintf(out, "  %*s", width, ns);
    print_head(&l, f, told, e, times);
    print_parts(out, (size_t)width + 4, e->way.part, total_of(e), e->way.compared);
    for (unsigned i = first; i < f->count; i++)
        told[i] |= alike(&f->slowest[i], e);
}

static void print_messages(FILE *out, const struct facts *f)
{
    bool *told = need(calloc(f->count + 1, sizeof *told));
    char ns[WORD];
    int width = (int)print_ns(ns, sizeof ns, f->sum.total);

    if (f->count && !f->sum.messages)
        width = (int)print_ns(ns, sizeof ns, total_of(&f->slowest[0]));
    for (unsigned i = 0; i < f->count; i++)
        if (!told[i])
            print_message(out, f, told, i, width);
    if (f->sum.messages) {
        fprintf(out, "  %s  all messages\n", ns);
        print_parts(out, (size_t)width + 4, f->sum.part, f->sum.total, 0);
    }
    free(told);
}

static const char *slowest_of(const struct nic_explained *e)
{
    return e->collective ? "the slowest collective"
        : e->one_sided ? "the slowest one-sided operation" : "the slowest message";
}

/* "57 % of the slowest message was waiting for the receive". */
static void print_verdict(FILE *out, const char *subject, const uint64_t *part, uint64_t total)
{
    unsigned most = 0;

    for (unsigned p = 1; p < NIC_PART_COUNT; p++)
        if (part[p] > part[most])
            most = p;
    if (total)
        fprintf(out, "mpirun: %.0f %% of %s was %s\n", percent(part[most], total), subject,
                meaning[most]);
}

/* -- ranks */

/* A rank's figures in tenths of a percent, as they are shown. */
enum { SHARES = 3 + NIC_UNIT_COUNT };
struct shares { int tenths[SHARES]; };

static int tenths(uint64_t part, uint64_t whole)
{
    return (int)(10 * percent(part, whole) + 0.5);
}

static struct shares shares_of(const struct facts *f, unsigned rank)
{
    const struct nic_explained_rank *r = &f->rank[rank];
    struct shares s;

    s.tenths[0] = tenths(r->computed, f->sum.end);
    s.tenths[1] = tenths(r->waited, f->sum.end);
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++)
        s.tenths[2 + u] = tenths(r->busy[u], f->sum.end);
    s.tenths[SHARES - 1] = tenths(idle_of(f, r, NIC_UNIT_HOST), f->sum.end);
    return s;
}

/* Those with the same figures; false: this rank is not the first of them. */
static bool gather_alike(const struct facts *f, unsigned rank, bool *same)
{
    struct shares own = shares_of(f, rank);

    for (unsigned i = 0; i < f->ranks; i++) {
        struct shares other = shares_of(f, i);
        same[i] = memcmp(&own, &other, sizeof own) == 0;
        if (same[i] && i < rank)
            return false;
    }
    return true;
}

/* One line for all that are like this one, if it is the first of them; true if it is. */
static bool add_rank(struct table *t, const struct facts *f, unsigned rank)
{
    struct shares own = shares_of(f, rank);
    bool *same = need(calloc(f->ranks, sizeof *same));
    bool first = gather_alike(f, rank, same);

    for (unsigned i = 0; first && i < SHARES; i++)
        table_add(t, "%d.%d", own.tenths[i] / 10, own.tenths[i] % 10);
    if (first) {
        char *list = list_of(same, f->ranks, LONG_LIST);
        table_add_words(t, list);
        free(list);
    }
    free(same);
    return first;
}

static void print_ranks(FILE *out, const struct facts *f)
{
    struct table t;
    unsigned shown = 0, rank = 0;

    table_begin(&t, SHARES + 1);
    table_add(&t, "computing");
    table_add(&t, "waiting");
    for (unsigned u = 0; u < NIC_UNIT_COUNT; u++)
        table_add(&t, "%s", nic_unit_name(u));
    table_add(&t, "done");
    table_add_words(&t, f->ranks == 1 ? "rank" : "ranks");
    for (; rank < f->ranks && shown < RANKS_SHOWN; rank++)
        shown += add_rank(&t, f, rank);
    table_print(&t, out);
    if (rank < f->ranks)
        fprintf(out, "  and more ranks: --explain-file has all\n");
}

static int by_time(const void *one, const void *two)
{
    const struct nic_explained_charge *a = one, *b = two;

    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return strcmp(a->key, b->key);
}

/* The greatest of what keys of the profile have charged: of all ranks together. */
static void print_charges(FILE *out, const struct facts *f)
{
    struct nic_explained_charge sorted[NIC_EXPLAINED_CHARGES];
    unsigned count = 0;
    char ns[WORD];

    memcpy(sorted, f->sum.charge, sizeof sorted);
    while (count < NIC_EXPLAINED_CHARGES && sorted[count].key[0])
        count++;
    qsort(sorted, count, sizeof *sorted, by_time);
    if (count)
        fprintf(out, "mpirun: what keys of the profile charged most on all ranks, in ns\n");
    for (unsigned i = 0; i < count && i < CHARGES_SHOWN; i++) {
        print_ns(ns, sizeof ns, sorted[i].time);
        fprintf(out, "  %s (%s): %s, %" PRIu64 " time%s or bytes\n", sorted[i].key,
                nic_unit_name((unsigned)sorted[i].unit), ns, sorted[i].times,
                plural(sorted[i].times));
    }
    if (count > CHARGES_SHOWN)
        fprintf(out, "  and %u keys more: --explain-file has all\n", count - CHARGES_SHOWN);
}

/* What the program has charged by names of its own: of all ranks together. */
static void print_own(FILE *out, const struct facts *f)
{
    char ns[WORD];

    for (unsigned i = 0; i < NIC_EXPLAINED_OWN && f->sum.own[i].name[0]; i++) {
        const struct nic_explained_own *o = &f->sum.own[i];
        if (!o->count)
            continue;
        print_ns(ns, sizeof ns, o->time);
        fprintf(out, "mpirun: own.%s: charged %" PRIu64 " time%s, %s ns\n", o->name, o->count,
                plural(o->count), ns);
    }
}

/* In one piece, so that nothing of another program comes in between. */
void explain_tell(const struct facts *f)
{
    char *text = NULL, ns[WORD];
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    fprintf(out, "mpirun: the slowest of %" PRIu64 " message%s and %" PRIu64 " end%s of "
            "collectives, in ns from the sender's call\nmpirun: to the receiver's notice\n",
            f->sum.messages, plural(f->sum.messages), f->sum.collectives,
            plural(f->sum.collectives));
    if (f->sum.one_sided)
        fprintf(out, "mpirun: and of %" PRIu64 " one-sided operation%s, from the call to the "
                "answer of the other NIC\n", f->sum.one_sided, plural(f->sum.one_sided));
    print_messages(out, f);
    if (f->count)
        print_verdict(out, slowest_of(&f->slowest[0]), f->slowest[0].way.part,
                      total_of(&f->slowest[0]));
    if (f->sum.messages > 1)
        print_verdict(out, "the time of all messages", f->sum.part, f->sum.total);
    print_ns(ns, sizeof ns, f->sum.end);
    fprintf(out, "mpirun: of %s ns, in percent: what hosts did, and how long each part of the NIC "
            "was busy\n", ns);
    print_ranks(out, f);
    print_charges(out, f);
    print_own(out, f);
    fclose(out);
    say_text(need(text), size);
    free(text);
}
