/* Lists that grow to a limit. */
#include "check/messages.h"

#include <stdlib.h>
#include <string.h>

#include "check/caller.h"
#include "check/comms.h"
#include "mpi/door.h"

static size_t messages, collectives;    /* of all logs */

void check_log_ends(MPI_Comm comm)
{
    struct check_log *l = check_log(comm);

    if (l)
        l->sends_end = l->receives_end = true;
}

void check_log_cancelled(struct check_log *l)
{
    if (l) {
        l->sends_end = true;
        l->sents = 0;
    }
}

/* Room for one more in a list that doubles; NULL: there is none. */
static void *room(void *list, size_t count, size_t bytes, size_t *all, size_t most)
{
    if (*all == most)
        return NULL;
    ++*all;
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * bytes);
}

/* -- messages */

void check_log_sent_in(struct check_log *l, int dest, int tag, struct signature what, bool ready)
{
    if (!l || l->sends_end || dest == MPI_PROC_NULL)
        return;
    struct check_sent *list = room(l->sent, l->sents, sizeof *list, &messages, CHECK_MESSAGES);
    if (!list) {
        l->sends_end = true;
        return;
    }
    l->sent = list;
    list[l->sents++] = (struct check_sent){ l->number, check_log_world(l, dest), tag, what, ready };
}

void check_log_sent(MPI_Comm comm, int dest, int tag, MPI_Datatype type, MPI_Count count,
                    bool ready)
{
    struct check_log *l = dest == MPI_PROC_NULL ? NULL : check_log(comm);

    if (l && !l->sends_end)
        check_log_sent_in(l, dest, tag, check_signature_of(type, count), ready);
}

bool check_log_is_late(MPI_Comm comm, int source, int tag)
{
    struct check_log *l = source == MPI_PROC_NULL ? NULL : check_log(comm);

    return l && !l->receives_end && mpi_door.arrived(source, tag, comm);
}

struct check_posted check_log_posted_in(struct check_log *l, int source, struct signature one,
                                        const char *call, const void *caller, bool late)
{
    struct check_posted none = { .log = NULL };

    if (!l || l->receives_end || source == MPI_PROC_NULL)
        return none;
    struct check_received *list = room(l->received, l->receiveds, sizeof *list, &messages,
                                       CHECK_MESSAGES);
    if (!list) {
        l->receives_end = true;
        return none;
    }
    l->received = list;
    list[l->receiveds] = (struct check_received){ .one = one, .call = call,
                                                  .caller = caller, .late = late };
    return (struct check_posted){ l, l->receiveds++ };
}

struct check_posted check_log_posted(MPI_Comm comm, int source, MPI_Datatype type,
                                     const char *call, const void *caller, bool late)
{
    struct check_log *l = source == MPI_PROC_NULL ? NULL : check_log(comm);

    if (!l || l->receives_end)
        return (struct check_posted){ .log = NULL };
    return check_log_posted_in(l, source, check_signature(type), call, caller, late);
}

void check_log_done(const struct check_posted *posted, const MPI_Status *status, int error)
{
    struct check_log *l = posted->log;
    int cancelled = 0;

    if (!l)
        return;
    if (error) {
        l->receives_end = true;
        return;
    }
    PMPI_Test_cancelled(status, &cancelled);
    struct check_received *r = &l->received[posted->index];
    r->source = cancelled ? MPI_PROC_NULL : status->MPI_SOURCE;     /* it has got nothing */
    r->tag = status->MPI_TAG;
    r->done = true;
}

/* -- collectives */

static bool is_again(const struct check_collective *a, const struct check_collective *b)
{
    return a->call == b->call && a->op == b->op && a->root == b->root
           && a->caller == b->caller
           && !memcmp(&a->what, &b->what, sizeof a->what);
}

void check_log_collective(struct check_log *l, int call, int root, MPI_Op op,
                          struct signature what)
{
    /* Operations of the program have other handles in each rank. */
    uint64_t number = (uintptr_t)op < 4096 ? (uintptr_t)op : 1;
    struct check_collective c;
    memset(&c, 0, sizeof c);            /* it travels */
    c.comm = l->number;
    c.call = call;
    c.root = root;
    c.times = 1;
    c.op = number;
    c.what = what;
    c.caller = check_caller();
    if (l->collectives && is_again(&l->collective[l->collectives - 1], &c)) {
        l->collective[l->collectives - 1].times++;
        return;
    }
    struct check_collective *list = room(l->collective, l->collectives, sizeof *list,
                                         &collectives, CHECK_COLLECTIVES);
    if (!list) {
        l->collectives_end = true;
        return;
    }
    l->collective = list;
    list[l->collectives++] = c;
}
