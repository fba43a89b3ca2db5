/* Types, operations and roots of collectives.  Lengths and kinds of calls, and roots of which some
 * rank waits for another one, are compared by the library itself, when it happens. */
#include "check/collectives.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/comms.h"
#include "check/exchange.h"
#include "check/messages.h"
#include "check/objects.h"
#include "check/report.h"
#include "check/by_hand.h"
#include "check/caller.h"

enum { BCAST, REDUCE, ALLREDUCE, SCAN, EXSCAN, BLOCK, GATHER, SCATTER, ALLGATHER, ALLTOALL };
enum { NO_ROOT = -1 };
static const char *const names[] = { "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan",
                                     "MPI_Exscan", "MPI_Reduce_scatter_block", "MPI_Gather",
                                     "MPI_Scatter", "MPI_Allgather", "MPI_Alltoall" };
static_assert(offsetof(struct check_collective, peer) == offsetof(struct check_addressed, peer),
              "the same");

/* -- the calls */

#define BUFFER_CALL(name, count_t, which) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, int root, MPI_Comm comm) \
    { \
        int rc = PMPI_##name(buf, count, type, root, comm); \
        if (!rc) \
            check_log_collective(comm, which, root, MPI_OP_NULL, type, count); \
        return rc; \
    }
BUFFER_CALL(Bcast, int, BCAST)
BUFFER_CALL(Bcast_c, MPI_Count, BCAST)

#define BUFFER_START(name, count_t, which, call) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, int root, MPI_Comm comm, \
                   MPI_Request *request) \
    { \
        int rc = PMPI_##name(buf, count, type, root, comm, request); \
        if (!rc) { \
            check_log_collective(comm, which, root, MPI_OP_NULL, type, count); \
            check_made(CHECK_REQUEST, (uintptr_t)*request, call, check_caller()); \
        } \
        return rc; \
    }
BUFFER_START(Ibcast, int, BCAST, "MPI_Ibcast")
BUFFER_START(Ibcast_c, MPI_Count, BCAST, "MPI_Ibcast")

#define ROOTED(name, count_t) \
    int check_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   int root, MPI_Comm comm) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, root, comm); \
        if (!rc) \
            check_log_collective(comm, REDUCE, root, op, type, count); \
        return rc; \
    }
ROOTED(Reduce, int)
ROOTED(Reduce_c, MPI_Count)

#define REDUCTION(name, count_t, which) \
    int check_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   MPI_Comm comm) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, comm); \
        if (!rc) \
            check_log_collective(comm, which, NO_ROOT, op, type, count); \
        return rc; \
    }
REDUCTION(Allreduce, int, ALLREDUCE)
REDUCTION(Allreduce_c, MPI_Count, ALLREDUCE)
REDUCTION(Scan, int, SCAN)
REDUCTION(Scan_c, MPI_Count, SCAN)
REDUCTION(Exscan, int, EXSCAN)
REDUCTION(Exscan_c, MPI_Count, EXSCAN)
REDUCTION(Reduce_scatter_block, int, BLOCK)
REDUCTION(Reduce_scatter_block_c, MPI_Count, BLOCK)

/* Blocks of one length: what all ranks say alike is what one of them sends or gets. */
#define BLOCKS(name, count_t, which, of, type) \
    int check_##name(const void *send, count_t sends, MPI_Datatype send_type, void *recv, \
                     count_t receives, MPI_Datatype recv_type, MPI_Comm comm) \
    { \
        int rc = PMPI_##name(send, sends, send_type, recv, receives, recv_type, comm); \
        if (!rc) \
            check_log_collective(comm, which, NO_ROOT, MPI_OP_NULL, type, of); \
        return rc; \
    }
BLOCKS(Allgather, int, ALLGATHER, receives, recv_type)
BLOCKS(Allgather_c, MPI_Count, ALLGATHER, receives, recv_type)
BLOCKS(Alltoall, int, ALLTOALL, receives, recv_type)
BLOCKS(Alltoall_c, MPI_Count, ALLTOALL, receives, recv_type)

/* In place there is no type: that is not known, which fits all. */
#define ROOTED_BLOCKS(name, count_t, which, place, of, type) \
    int check_##name(const void *send, count_t sends, MPI_Datatype send_type, void *recv, \
                     count_t receives, MPI_Datatype recv_type, int root, MPI_Comm comm) \
    { \
        int rc = PMPI_##name(send, sends, send_type, recv, receives, recv_type, root, comm); \
        bool known = place != MPI_IN_PLACE; \
        if (!rc) \
            check_log_collective(comm, which, root, MPI_OP_NULL, known ? type : MPI_DATATYPE_NULL, \
                                 of); \
        return rc; \
    }
ROOTED_BLOCKS(Gather, int, GATHER, send, sends, send_type)
ROOTED_BLOCKS(Gather_c, MPI_Count, GATHER, send, sends, send_type)
ROOTED_BLOCKS(Scatter, int, SCATTER, recv, receives, recv_type)
ROOTED_BLOCKS(Scatter_c, MPI_Count, SCATTER, recv, receives, recv_type)

#define REDUCTION_START(name, count_t) \
    int check_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, comm, request); \
        if (!rc) { \
            check_log_collective(comm, ALLREDUCE, NO_ROOT, op, type, count); \
            check_made(CHECK_REQUEST, (uintptr_t)*request, "MPI_Iallreduce", check_caller()); \
        } \
        return rc; \
    }
REDUCTION_START(Iallreduce, int)
REDUCTION_START(Iallreduce_c, MPI_Count)

#define ROOTED_START(name, count_t) \
    int check_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   int root, MPI_Comm comm, MPI_Request *request) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, root, comm, request); \
        if (!rc) { \
            check_log_collective(comm, REDUCE, root, op, type, count); \
            check_made(CHECK_REQUEST, (uintptr_t)*request, "MPI_Ireduce", check_caller()); \
        } \
        return rc; \
    }
ROOTED_START(Ireduce, int)
ROOTED_START(Ireduce_c, MPI_Count)

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

/* The root only where that is what differs. */
static const char *describe(const struct check_collective *c, bool roots, char *text, size_t size)
{
    char kind[64], root[32] = "";
    bool known = !c->what.unknown && c->what.count;

    if (roots)
        snprintf(root, sizeof root, " with root %d", c->root);
    snprintf(text, size, "%s%s%s%s%s", names[c->call], root, op_name(c->op), known ? " of " : "",
             known ? check_signature_name(&c->what, false, kind) : "");
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
