/* Types, operations and roots of collectives, and whether they block.  Lengths and other kinds of
 * calls, and roots of which some rank waits for another one, are compared by the library itself,
 * when it happens. */
#include "check/collectives.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/comms.h"
#include "check/exchange.h"
#include "check/messages.h"
#include "check/report.h"
#include "check/signature.h"

static_assert(offsetof(struct check_collective, peer) == offsetof(struct check_addressed, peer),
              "the same");

/* -- the calls.  What all ranks say alike is what one of them sends, or gets. */

struct side { MPI_Datatype type; MPI_Count count; };

/* Of one count per rank. */
static bool is_any(const struct check_counts *counts, MPI_Comm comm)
{
    int ranks = 0;

    PMPI_Comm_size(comm, &ranks);
    for (int i = 0; counts->array && i < ranks; i++)
        if (counts->wide ? ((const MPI_Count *)counts->array)[i]
                         : ((const int *)counts->array)[i])
            return true;
    return false;
}

static struct side block(const void *buf, MPI_Count count, MPI_Datatype type)
{
    return (struct side){ buf == MPI_IN_PLACE ? MPI_DATATYPE_NULL : type, count };
}

static struct side blocks(const struct check_counts *counts, MPI_Datatype type, MPI_Comm comm)
{
    return (struct side){ type, is_any(counts, comm) };
}

static bool is_root(const struct check_called *c)
{
    int rank;

    return !PMPI_Comm_rank(c->comm, &rank) && rank == c->root;
}

static struct side find_side(enum check_which which, const struct check_called *c)
{
    switch (which) {
    case CHECK_Gather: return block(c->send, c->sends, c->send_type);
    case CHECK_Scatter: return block(c->recv, c->receives, c->recv_type);
    case CHECK_Allgather: case CHECK_Alltoall:
        return (struct side){ c->recv_type, c->receives };
    case CHECK_Gatherv:
        return is_root(c) ? blocks(&c->receive_counts, c->recv_type, c->comm)
                          : block(c->send, c->sends, c->send_type);
    case CHECK_Scatterv:
        return is_root(c) ? blocks(&c->send_counts, c->send_type, c->comm)
                          : block(c->recv, c->receives, c->recv_type);
    case CHECK_Allgatherv: return blocks(&c->receive_counts, c->recv_type, c->comm);
    case CHECK_Reduce_scatter: return blocks(&c->receive_counts, c->type, c->comm);
    default: return (struct side){ c->type, c->count };
    }
}

/* Ranks give of different lengths: what they have in common is what it is made of, if that is one
 * type.  Nothing fits all. */
static struct signature of_vector(struct side s)
{
    struct signature one = check_signature(s.type);

    if (!s.count || !one.kind)
        one.unknown = true;
    return one.unknown ? check_signature(MPI_DATATYPE_NULL)
                       : (struct signature){ .hash = one.kind, .count = 1, .kind = one.kind };
}

struct check_log *check_collective_begins(MPI_Comm comm)
{
    struct check_log *log = check_log(comm);

    if (!log || log->inter || log->collectives_end)
        return NULL;
    log->collectives_end = true;
    return log;
}

void check_collective(struct check_log *log, enum check_which which, enum check_form form,
                      const struct check_called *c)
{
    bool vector = which == CHECK_Gatherv || which == CHECK_Scatterv || which == CHECK_Allgatherv
                  || which == CHECK_Reduce_scatter;

    if (!log)
        return;
    log->collectives_end = false;
    struct side s = find_side(which, c);
    if (s.type == MPI_DATATYPE_NULL)            /* in place; unknown, and so is how many */
        s.count = 1;
    check_log_collective(log, (int)which * CHECK_FORMS + (int)form, c->root, c->op,
                         vector ? of_vector(s) : check_signature_of(s.type, s.count));
}

/* -- comparing */

static const char *op_name(uint64_t op)
{
    static const struct { MPI_Op op; const char *name; } known[] = {
        { MPI_OP_NULL, "" }, { MPI_SUM, " MPI_SUM" }, { MPI_MIN, " MPI_MIN" },
        { MPI_MAX, " MPI_MAX" }, { MPI_PROD, " MPI_PROD" }, { MPI_BAND, " MPI_BAND" },
        { MPI_BOR, " MPI_BOR" }, { MPI_BXOR, " MPI_BXOR" }, { MPI_LAND, " MPI_LAND" },
        { MPI_LOR, " MPI_LOR" }, { MPI_LXOR, " MPI_LXOR" }, { MPI_MINLOC, " MPI_MINLOC" },
        { MPI_MAXLOC, " MPI_MAXLOC" }, { MPI_REPLACE, " MPI_REPLACE" },
        { MPI_NO_OP, " MPI_NO_OP" },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((uintptr_t)known[i].op == op)
            return known[i].name;
    return " an operation of its own";
}

/* "MPI_Bcast", "MPI_Ibcast" or "MPI_Bcast_init" */
static const char *call_name(int call)
{
#define NAMES(name, started) { "MPI_" #name, "MPI_" #started, "MPI_" #name "_init" },
    static const char *const names[][CHECK_FORMS] = { CHECK_COLLECTIVE_CALLS(NAMES) };
#undef NAMES
    return names[call / CHECK_FORMS][call % CHECK_FORMS];
}

/* The root only where that is what differs. */
static const char *describe(const struct check_collective *c, bool roots, char *text, size_t size)
{
    char kind[64], root[32] = "";
    bool known = !c->what.unknown && c->what.count;

    if (roots)
        snprintf(root, sizeof root, " with root %d", c->root);
    snprintf(text, size, "%s%s%s%s%s", call_name(c->call), root, op_name(c->op),
             known ? " of " : "", known ? check_signature_name(&c->what, false, kind) : "");
    return text;
}

/* What is not known fits all. */
static bool alike(const struct check_collective *a, const struct check_collective *b)
{
    if (a->call != b->call || a->op != b->op || a->root != b->root)
        return false;
    return a->what.unknown || b->what.unknown || a->what.hash == b->what.hash;
}

/* The same number of calls of both, one by one. */
static void compare(const struct check_log *log, const struct check_collective *first,
                    size_t count)
{
    char here[160], there[160], place[CHECK_PLACE_BYTES];
    unsigned a = 0, b = 0;      /* of the entries at which both stand, how many are behind */

    for (size_t i = 0, j = 0; i < count && j < log->collectives;) {
        const struct check_collective *theirs = &first[i], *own = &log->collective[j];
        bool roots = theirs->call == own->call && theirs->root != own->root;
        if (!alike(theirs, own)) {
            check_report("calls of collectives on %s differ: rank 0 of it called %s where this "
                         "rank called %s at %s", check_log_name(log),
                         describe(theirs, roots, there, sizeof there),
                         describe(own, roots, here, sizeof here),
                         check_place(own->caller, place, sizeof place));
            return;
        }
        unsigned step = theirs->times - a < own->times - b ? theirs->times - a : own->times - b;
        a += step;
        b += step;
        if (a == theirs->times) {
            i++;
            a = 0;
        }
        if (b == own->times) {
            j++;
            b = 0;
        }
    }
}

/* Of those communicators of which this is rank 0, to all their other ranks. */
static struct check_collective *gather(size_t *count)
{
    struct check_collective *list = NULL, *entry;

    *count = 0;
    for (const struct check_log *l = check_log_first(); l; l = l->later)
        *count += l->rank ? 0 : l->collectives * (size_t)(l->peers - 1);
    entry = list = malloc(*count * sizeof *list + 1);
    if (!list)
        abort();                /* the others would wait for this rank */
    for (const struct check_log *l = check_log_first(); l; l = l->later)
        for (int peer = 1; !l->rank && peer < l->peers; peer++)
            for (size_t i = 0; i < l->collectives; i++) {
                *entry = l->collective[i];
                entry++->peer = check_log_world(l, peer);
            }
    return list;
}

/* What one rank has sent: a communicator's entries stand behind each other. */
static void compare_rank(const struct check_collective *list, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        const struct check_log *log = check_log_numbered(list[i].comm);
        for (end = i; end < count && list[end].comm == list[i].comm;)
            end++;
        if (log)
            compare(log, list + i, end - i);
    }
}

void check_collectives_compare(const char *call)
{
    struct check_dealt d;
    size_t count;
    struct check_collective *list = gather(&count);

    if (check_deal(&d, list, count, sizeof *list, call, MPI_COMM_WORLD))
        for (int r = 0; r < d.ranks; r++)
            compare_rank((const void *)d.list[r], d.count[r]);
    check_dealt_free(&d);
    free(list);
}
