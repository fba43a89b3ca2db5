/* Transfers of one-sided operations, from start to end. */
#include "rma/transfer.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/label.h"
#include "rma/ask.h"
#include "rma/explained.h"
#include "rma/failure.h"
#include "rma/lost.h"
#include "rma/outcome.h"
#include "rma/share.h"

/* Where a target's side counts from while its blocks are made: no memory is there. */
#define NOWHERE ((char *)((uintptr_t)1 << 45))

/* One that the NIC does.  Owner: the NIC, until its end. */
struct transfer {
    struct nic_outcome outcome;
    struct mpi_win *w;
    int target;
    bool put;
    size_t bytes;
    struct nic_block *local, *remote;
    struct mpi_rma_end *end;
};

static void delete(struct transfer *x)
{
    free(x->local);
    free(x->remote);
    free(x);
}

/* With the baton held, perhaps inside of nic_put. */
static void ended(void *context, int status)
{
    struct transfer *x = context;
    struct mpi_win *w = x->w;
    int class = mpi_rma_class_of(status);
    mpi_rma_explain_transfer(w, x->target, x->put ? "put" : "get", x->bytes);
    w->under_way--;
    w->part[x->target].under_way--;
    if (class)
        mpi_rma_note_failure(w, x->target, class);
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
    x->put = put;
    x->bytes = local->bytes;
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

/* Data side by side, from this byte on. */
static struct mpi_rma_side rest_of(const struct mpi_rma_side *s, size_t done)
{
    struct mpi_rma_side rest = *s;
    rest.at += done;
    rest.bytes -= done;
    return rest;
}

/* By packets of several lines: how many bytes are on their way, or there. */
static size_t by_bodies(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                        const struct mpi_rma_side *local)
{
    size_t done = 0;
    if (!put)
        return mpi_rma_ask_bodies(w, target, place, local->at, local->bytes);
    while (done < local->bytes) {
        const size_t left = local->bytes - done;
        const size_t part = left < MPI_RMA_BODY_BYTES ? left : MPI_RMA_BODY_BYTES;
        struct mpi_rma_place there = *place;
        there.address.offset += done;
        if (!mpi_rma_ask_put(w, target, &there, local->at + done, part))
            break;
        done += part;
    }
    return done;
}

/* By a small request.  False: not now, or not these data. */
static bool by_request(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                       const struct mpi_rma_side *local, const struct mpi_rma_side *remote)
{
    if (local->bytes > (put ? MPI_RMA_SMALL_BYTES : MPI_RMA_ANSWER_BYTES) || !mpi_rma_plain(local)
        || !mpi_rma_plain(remote) || !mpi_rma_asks(w, target, place, put))
        return false;
    return put ? mpi_rma_ask_put(w, target, place, local->at, local->bytes)
           : mpi_rma_ask_get(w, target, place, local->at, local->bytes);
}

static void tell(struct mpi_rma_end *end)
{
    if (!end)
        return;
    nic_enter(mpi_nic);
    end->ended(end, MPI_SUCCESS);
    nic_leave(mpi_nic);
}

/* To a target that waits, or whenever it can be, if that is asked for. */
static bool fits_bodies(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                        const struct mpi_rma_side *local, const struct mpi_rma_side *remote)
{
    const size_t most = put ? MPI_RMA_PUT_MOST : MPI_RMA_GET_MOST;
    return local->bytes <= most && mpi_rma_plain(local) && mpi_rma_plain(remote)
           && (w->way == MPI_RMA_PACKETS ? mpi_rma_asks(w, target, place, put)
               : w->way == MPI_RMA_AUTO && mpi_rma_attends(w, target, place));
}

/* All that was asked of the target so far is done: the class of what was not. */
static int answered(struct mpi_win *w, int target)
{
    nic_enter(mpi_nic);
    const int class = mpi_rma_ask_wait(w, target, true, "a one-sided operation");
    if (class)
        mpi_rma_note_failure(w, target, class);
    nic_leave(mpi_nic);
    return class;
}

/* Of a request that the program waits for by itself: the answer is near. */
static int tell_answered(struct mpi_win *w, int target, struct mpi_rma_end *end)
{
    const int class = answered(w, target);
    nic_enter(mpi_nic);
    end->ended(end, class);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}

int mpi_rma_start(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *local, const struct mpi_rma_side *remote,
                  struct mpi_rma_end *end)
{
    const bool away = !place->at && local->bytes;
    if (away && (!end || mpi_rma_attends(w, target, place))
        && by_request(w, target, place, put, local, remote))
        return end ? tell_answered(w, target, end) : MPI_SUCCESS;
    if (away && fits_bodies(w, target, place, put, local, remote)) {
        const size_t done = by_bodies(w, target, place, put, local);
        if (done == local->bytes)
            return end ? tell_answered(w, target, end) : MPI_SUCCESS;
        const struct mpi_rma_side rest = rest_of(local, done);
        struct mpi_rma_place there = *place;
        there.address.offset += done;
        if (end && done)
            answered(w, target);
        return by_nic(w, target, &there, put, &rest, &rest, end);
    }
    if (away && !mpi_rma_share(w, target, place, put, local, remote))
        return by_nic(w, target, place, put, local, remote, end);
    if (!away && local->bytes && !by_processor(place, put, local, remote))
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
        mpi_rma_lost(w, &watch);
    }
    mpi_rma_unwatch(watch);
}

/* All small requests to a target, or (target < 0) all targets, puts only if asked for. */
static void answers(struct mpi_win *w, int target, bool puts, const char *call)
{
    const int first = target < 0 ? 0 : target, end = target < 0 ? w->comm->size : target + 1;
    for (int i = first; i < end; i++) {
        int class = w->part[i].asked.open ? mpi_rma_ask_wait(w, i, puts, call)
                    : MPI_SUCCESS;
        if (class)
            mpi_rma_note_failure(w, i, class);
    }
}

/* Of all targets' failures the first is told, the others not any more. */
static struct mpi_rma_flushed take_failures(struct mpi_win *w, int target)
{
    struct mpi_rma_flushed f = { .target = target };
    if (target >= 0)
        f.class = mpi_rma_take_failure(w, target);
    for (int i = 0; target < 0 && w->failed; i++) {
        int class = mpi_rma_take_failure(w, i);
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
static struct mpi_rma_flushed flush(struct mpi_win *w, int target, bool puts, const char *call)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (target >= 0 && w->part[target].at)
        return (struct mpi_rma_flushed){ MPI_SUCCESS, target };
    nic_enter(mpi_nic);
    if (mpi_modelled) {
        nic_step(mpi_nic);
        nic_finish(mpi_nic);
    }
    if (w->asking)
        answers(w, target, puts, call);
    wait_for(w, target < 0 ? &w->under_way : &w->part[target].under_way, target, call);
    struct mpi_rma_flushed f = take_failures(w, target);
    nic_leave(mpi_nic);
    return f;
}

struct mpi_rma_flushed mpi_rma_flush(struct mpi_win *w, int target, const char *call)
{
    return flush(w, target, true, call);
}

struct mpi_rma_flushed mpi_rma_flush_local(struct mpi_win *w, int target, const char *call)
{
    return flush(w, target, false, call);
}

/* -- packed, and waited for */

static int fetch_by_nic(struct mpi_win *w, const struct mpi_rma_place *place, bool put,
                        const struct mpi_rma_side *remote, void *packed)
{
    struct nic_outcome outcome = { .done = mpi_modelled ? mpi_rma_explain_answer : NULL,
                                   .context = w };
    struct mpi_rma_side local;
    struct nic_transfer t;
    mpi_rma_side(&local, packed, remote->bytes, mpi_type_get(MPI_BYTE));
    struct transfer *x = prepare(place, &local, remote, &t);
    if (!x)
        return MPI_ERR_NO_MEM;
    nic_enter(mpi_nic);
    mpi_rma_explain_step(w);
    int rc = put ? nic_put(mpi_nic, &t, &outcome) : nic_get(mpi_nic, &t, &outcome);
    if (!rc)
        rc = mpi_rma_outcome_wait(w, &outcome);
    nic_leave(mpi_nic);
    delete(x);
    return mpi_rma_class_of(rc);
}

int mpi_rma_fetch(struct mpi_win *w, const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *remote, void *packed)
{
    struct mpi_rma_side there = *remote;
    if (!remote->bytes)
        return MPI_SUCCESS;
    if (!place->at)
        return fetch_by_nic(w, place, put, remote, packed);
    there.at = place->at - remote->low;
    if (put)
        mpi_rma_unpack(&there, packed);
    else
        mpi_rma_pack(&there, packed);
    return MPI_SUCCESS;
}
