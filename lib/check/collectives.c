/* Types and operations of collectives: roots, lengths and kinds of calls are compared by the
 * library itself, when it happens. */
#include "check/collectives.h"

#include <stdio.h>
#include <stdlib.h>

#include "check/objects.h"
#include "check/report.h"
#include "check/requests.h"
#include "check/caller.h"

enum { BCAST, REDUCE, ALLREDUCE, SCAN, EXSCAN };
static const char *const names[] = { "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan",
                                     "MPI_Exscan" };

/* -- the calls */

#define BUFFER_CALL(name, count_t, which) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int root, MPI_Comm comm) \
    { \
        int rc = PMPI_##name(buf, count, type, root, comm); \
        if (!rc) \
            check_log_collective(comm, which, MPI_OP_NULL, type, count); \
        return rc; \
    }
BUFFER_CALL(Bcast, int, BCAST)
BUFFER_CALL(Bcast_c, MPI_Count, BCAST)

#define BUFFER_START(name, count_t, which, call) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int root, MPI_Comm comm, \
                   MPI_Request *request) \
    { \
        int rc = PMPI_##name(buf, count, type, root, comm, request); \
        if (!rc) { \
            check_log_collective(comm, which, MPI_OP_NULL, type, count); \
            check_made(CHECK_REQUEST, (uintptr_t)*request, call, CHECK_CALLER); \
        } \
        return rc; \
    }
BUFFER_START(Ibcast, int, BCAST, "MPI_Ibcast")
BUFFER_START(Ibcast_c, MPI_Count, BCAST, "MPI_Ibcast")

#define ROOTED(name, count_t) \
    int MPI_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   int root, MPI_Comm comm) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, root, comm); \
        if (!rc) \
            check_log_collective(comm, REDUCE, op, type, count); \
        return rc; \
    }
ROOTED(Reduce, int)
ROOTED(Reduce_c, MPI_Count)

#define REDUCTION(name, count_t, which) \
    int MPI_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   MPI_Comm comm) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, comm); \
        if (!rc) \
            check_log_collective(comm, which, op, type, count); \
        return rc; \
    }
REDUCTION(Allreduce, int, ALLREDUCE)
REDUCTION(Allreduce_c, MPI_Count, ALLREDUCE)
REDUCTION(Scan, int, SCAN)
REDUCTION(Scan_c, MPI_Count, SCAN)
REDUCTION(Exscan, int, EXSCAN)
REDUCTION(Exscan_c, MPI_Count, EXSCAN)

#define REDUCTION_START(name, count_t) \
    int MPI_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, comm, request); \
        if (!rc) { \
            check_log_collective(comm, ALLREDUCE, op, type, count); \
            check_made(CHECK_REQUEST, (uintptr_t)*request, "MPI_Iallreduce", CHECK_CALLER); \
        } \
        return rc; \
    }
REDUCTION_START(Iallreduce, int)
REDUCTION_START(Iallreduce_c, MPI_Count)

#define ROOTED_START(name, count_t) \
    int MPI_##name(const void *send, void *recv, count_t count, MPI_Datatype type, MPI_Op op, \
                   int root, MPI_Comm comm, MPI_Request *request) \
    { \
        int rc = PMPI_##name(send, recv, count, type, op, root, comm, request); \
        if (!rc) { \
            check_log_collective(comm, REDUCE, op, type, count); \
            check_made(CHECK_REQUEST, (uintptr_t)*request, "MPI_Ireduce", CHECK_CALLER); \
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

static const char *describe(const struct check_collective *c, char *text, size_t size)
{
    char kind[64];
    bool known = !c->what.unknown && c->what.count;

    snprintf(text, size, "%s%s%s%s", names[c->call], op_name(c->op), known ? " of " : "",
             known ? check_signature_name(&c->what, kind) : "");
    return text;
}

/* What is not known fits all. */
static bool alike(const struct check_collective *a, const struct check_collective *b)
{
    if (a->call != b->call || a->op != b->op)
        return false;
    return a->what.unknown || b->what.unknown || a->what.hash == b->what.hash;
}

void check_collectives_compare(MPI_Comm comm, const struct check_log *log)
{
    unsigned long long count = log ? log->collectives : 0, least = 0;
    char here[160], there[160], name[MPI_MAX_OBJECT_NAME];
    int length = 0;

    if (PMPI_Allreduce(&count, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm) || !least)
        return;
    struct check_collective *first = malloc(least * sizeof *first);
    if (!first)
        abort();        /* the others would wait for this rank */
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    for (size_t i = 0; !rank && i < least; i++)
        first[i] = log->collective[i];
    PMPI_Bcast_c(first, (MPI_Count)(least * sizeof *first), MPI_BYTE, 0, comm);
    for (size_t i = 0; i < least; i++)
        if (!alike(&first[i], &log->collective[i])) {
            PMPI_Comm_get_name(comm, name, &length);
            check_report("calls of collectives on %s differ: rank 0 of it called %s where this "
                         "rank called %s", length ? name : "a communicator",
                         describe(&first[i], there, sizeof there),
                         describe(&log->collective[i], here, sizeof here));
            break;
        }
    free(first);
}
