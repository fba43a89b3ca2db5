/* Logs, one for each communicator, which grow to a limit. */
#include "check/messages.h"

#include <stdlib.h>

#include "check/caller.h"

enum { MOST = 1 << 18, BUCKETS = 256 };

static struct check_log *bucket[BUCKETS];
static uint64_t serials;
static bool several;

void check_log_several(void) { several = true; }
bool check_log_is_several(void) { return several; }

static struct check_log **find(MPI_Comm comm)
{
    struct check_log **l = &bucket[((uintptr_t)comm >> 4 ^ (uintptr_t)comm) % BUCKETS];

    while (*l && (*l)->comm != comm)
        l = &(*l)->next;
    return l;
}

struct check_log *check_log(MPI_Comm comm)
{
    struct check_log **l = !several && (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
                           ? find(comm) : NULL;

    if (l && !*l && (*l = calloc(1, sizeof **l))) {
        (*l)->comm = comm;
        (*l)->serial = ++serials;
    }
    return l ? *l : NULL;
}

struct check_log *check_log_take(MPI_Comm comm)
{
    struct check_log **l = find(comm), *found = *l;

    if (found)
        *l = found->next;
    return found;
}

void check_log_free(struct check_log *log)
{
    if (!log)
        return;
    free(log->sent);
    free(log->received);
    free(log->collective);
    free(log);
}

void check_log_ends(MPI_Comm comm)
{
    struct check_log *l = check_log(comm);

    if (l)
        l->sends_end = l->receives_end = true;
}

void check_log_cancelled(MPI_Comm comm)
{
    struct check_log *l = check_log(comm);

    if (l) {
        l->sends_end = true;
        l->sents = 0;
    }
}

/* Room for one more in a list that doubles; NULL: there is none. */
static void *room(void *list, size_t count, size_t bytes)
{
    if (count == MOST)
        return NULL;
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * bytes);
}

/* -- sending */

void check_log_sent(MPI_Comm comm, int dest, int tag, MPI_Datatype type, MPI_Count count)
{
    struct check_log *l = dest == MPI_PROC_NULL ? NULL : check_log(comm);

    if (!l || l->sends_end)
        return;
    struct check_sent *list = room(l->sent, l->sents, sizeof *list);
    if (!list) {
        l->sends_end = true;
        return;
    }
    l->sent = list;
    list[l->sents++] = (struct check_sent){ dest, tag, check_signature_of(type, count) };
}

/* -- receiving */

struct check_posted check_log_posted(MPI_Comm comm, int source, MPI_Datatype type,
                                     const char *call, const void *caller)
{
    struct check_log *l = source == MPI_PROC_NULL ? NULL : check_log(comm);
    struct check_posted none = { .serial = 0 };

    if (!l || l->receives_end)
        return none;
    struct check_received *list = room(l->received, l->receiveds, sizeof *list);
    if (!list) {
        l->receives_end = true;
        return none;
    }
    l->received = list;
    list[l->receiveds] = (struct check_received){ .one = check_signature(type), .call = call,
                                                  .caller = caller };
    return (struct check_posted){ comm, l->serial, l->receiveds++ };
}

void check_log_done(const struct check_posted *posted, const MPI_Status *status, int error)
{
    struct check_log *l = posted->serial ? *find(posted->comm) : NULL;
    int cancelled = 0;

    if (!l || l->serial != posted->serial)
        return;
    PMPI_Test_cancelled(status, &cancelled);
    if (error || cancelled) {
        l->receives_end = true;
        return;
    }
    struct check_received *r = &l->received[posted->index];
    r->source = status->MPI_SOURCE;
    r->tag = status->MPI_TAG;
    r->done = true;
}

/* -- collectives */

void check_log_collective(MPI_Comm comm, int call, MPI_Op op, MPI_Datatype type, MPI_Count count)
{
    struct check_log *l = check_log(comm);

    if (!l)
        return;
    struct check_collective *list = room(l->collective, l->collectives, sizeof *list);
    if (!list)
        return;
    l->collective = list;
    /* Operations of the program have other handles in each rank. */
    uint64_t number = (uintptr_t)op < 4096 ? (uintptr_t)op : 1;
    list[l->collectives++] = (struct check_collective){ call, type != MPI_DATATYPE_NULL, number,
                                                        check_signature_of(type, count) };
}
