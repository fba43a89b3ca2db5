/* Transfers of one-sided operations, from start to end. */
#include "rma/transfer.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/label.h"
#include "rma/lost.h"
#include "rma/outcome.h"

/* Where a target's side counts from while its blocks are made: no memory is there. */
#define NOWHERE ((char *)((uintptr_t)1 << 45))

/* One that the NIC does.  Owner: the NIC, until its end. */
struct transfer {
    struct nic_outcome outcome;
    struct mpi_win *w;
    int target;
    struct nic_block *local, *remote;
    struct mpi_rma_end *end;
};

static void delete(struct transfer *x)
{
    free(x->local);
    free(x->remote);
    free(x);
}

/* The first of a target that a flush has not told of. */
static void note_failure(struct mpi_win *w, int target, int class)
{
    if (w->part[target].failed)
        return;
    w->part[target].failed = class;
    w->failed++;
}

/* With the baton held, perhaps inside of nic_put. */
static void ended(void *context, int status)
{
    struct transfer *x = context;
    struct mpi_win *w = x->w;
    int class = mpi_rma_class_of(status);
    w->under_way--;
    w->part[x->target].under_way--;
    if (class)
        note_failure(w, x->target, class);
    if (x->end)
        x->end->ended(x->end, class);
    delete(x);
}

/* -- starting */

/* NULL: no memory. */
static struct transfer *prepare(const struct mpi_rma_place *place,
                                const struct mpi_rma_side *local,
                                const struct mpi_rma_side *remote, struct nic_transfer *t)
{
    struct mpi_rma_side there = *remote;
    struct transfer *x = calloc(1, sizeof *x);
    there.at = NOWHERE;
    *t = nic_transfer_of(local->at + local->low, place->address, local->bytes);
    t->quiet = true;            /* targets wait for words and messages, never for data */
    if (x && mpi_rma_shape(local, &t->local_shape, &x->local)
        && mpi_rma_shape(&there, &t->remote_shape, &x->remote))
        return x;
    if (x)
        delete(x);
    return NULL;
}

static int by_nic(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *local, const struct mpi_rma_side *remote,
                  struct mpi_rma_end *end)
{
    struct nic_transfer t;
    struct transfer *x = prepare(place, local, remote, &t);
    if (!x)
        return MPI_ERR_NO_MEM;
    x->w = w;
    x->target = target;
    x->end = end;
    x->outcome = (struct nic_outcome){ .done = ended, .context = x };
    nic_enter(mpi_nic);
    w->under_way++;
    w->part[target].under_way++;
    int rc = put ? nic_put(mpi_nic, &t, &x->outcome) : nic_get(mpi_nic, &t, &x->outcome);
    if (rc) {                   /* it has no end, then */
        w->under_way--;
        w->part[target].under_way--;
        delete(x);
    }
    nic_leave(mpi_nic);
    return mpi_rma_class_of(rc);
}

static bool by_processor(const struct mpi_rma_place *place, bool put,
                         const struct mpi_rma_side *local, const struct mpi_rma_side *remote)
{
    struct mpi_rma_side there = *remote;
    there.at = place->at - remote->low;
    return put ? mpi_rma_copy(local, &there) : mpi_rma_copy(&there, local);
}

static void tell(struct mpi_rma_end *end)
{
    if (!end)
        return;
    nic_enter(mpi_nic);
    end->ended(end, MPI_SUCCESS);
    nic_leave(mpi_nic);
}

int mpi_rma_start(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *local, const struct mpi_rma_side *remote,
                  struct mpi_rma_end *end)
{
    if (!place->at && local->bytes)
        return by_nic(w, target, place, put, local, remote, end);
    if (local->bytes && !by_processor(place, put, local, remote))
        return MPI_ERR_NO_MEM;
    tell(end);
    return MPI_SUCCESS;
}

/* -- waiting */

struct waiting { const struct mpi_win *w; int target; const char *call; };

static const char *note(void *argument, char *text, size_t size)
{
    const struct waiting *g = argument;
    char label[MPI_LABEL_LONG], to[32] = "all ranks";
    if (g->target >= 0)
        snprintf(to, sizeof to, "rank %d", g->target);
    snprintf(text, size, "%s(%s): transfers with %s are under way", g->call,
             mpi_label_long(g->w->comm, label, sizeof label), to);
    return text;
}

static void wait_for(struct mpi_win *w, const unsigned *under_way, int target, const char *call)
{
    struct waiting waiting = { w, target, call };
    struct nic_wait wait = { .note = note, .argument = &waiting };
    struct fw_req *watch = *under_way ? mpi_rma_watch(w) : NULL;
    while (*under_way) {
        nic_wait_turn(mpi_nic, &wait);
        mpi_rma_check(w, watch);
    }
    mpi_rma_unwatch(watch);
}

/* The class of what has failed of one target, which is told now; MPI_SUCCESS: nothing. */
static int take_failure(struct mpi_win *w, int target)
{
    int class = w->part[target].failed;
    w->part[target].failed = MPI_SUCCESS;
    w->failed -= class != MPI_SUCCESS;
    return class;
}

/* Of all targets' failures the first is told, the others not any more. */
static struct mpi_rma_flushed take_failures(struct mpi_win *w, int target)
{
    struct mpi_rma_flushed f = { .target = target };
    if (target >= 0)
        f.class = take_failure(w, target);
    for (int i = 0; target < 0 && w->failed; i++) {
        int class = take_failure(w, i);
        if (class && !f.class)
            f = (struct mpi_rma_flushed){ class, i };
    }
    return f;
}

/* On the model clock each takes time, as programs poll: also where nothing is under way.
 *
 * What was stored by the processor is there before anything that comes behind the flush.  Where all
 * memory is mapped the NIC has nothing to do, and the baton is not needed: `local` windows start no
 * transfers to parts that are. */
struct mpi_rma_flushed mpi_rma_flush(struct mpi_win *w, int target, const char *call)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (target >= 0 && w->part[target].at)
        return (struct mpi_rma_flushed){ MPI_SUCCESS, target };
    nic_enter(mpi_nic);
    if (mpi_modelled) {
        nic_step(mpi_nic);
        nic_finish(mpi_nic);
    }
    wait_for(w, target < 0 ? &w->under_way : &w->part[target].under_way, target, call);
    struct mpi_rma_flushed f = take_failures(w, target);
    nic_leave(mpi_nic);
    return f;
}

/* -- packed, and waited for */

static int fetch_by_nic(const struct mpi_rma_place *place, bool put,
                        const struct mpi_rma_side *remote, void *packed)
{
    struct nic_outcome outcome = { .done = NULL };
    struct mpi_rma_side local;
    struct nic_transfer t;
    mpi_rma_side(&local, packed, remote->bytes, mpi_type_get(MPI_BYTE));
    struct transfer *x = prepare(place, &local, remote, &t);
    if (!x)
        return MPI_ERR_NO_MEM;
    nic_enter(mpi_nic);
    int rc = put ? nic_put(mpi_nic, &t, &outcome) : nic_get(mpi_nic, &t, &outcome);
    if (!rc)
        rc = nic_outcome_wait(mpi_nic, &outcome);
    nic_leave(mpi_nic);
    delete(x);
    return mpi_rma_class_of(rc);
}

int mpi_rma_fetch(const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *remote, void *packed)
{
    struct mpi_rma_side there = *remote;
    if (!remote->bytes)
        return MPI_SUCCESS;
    if (!place->at)
        return fetch_by_nic(place, put, remote, packed);
    there.at = place->at - remote->low;
    if (put)
        mpi_rma_unpack(&there, packed);
    else
        mpi_rma_pack(&there, packed);
    return MPI_SUCCESS;
}
