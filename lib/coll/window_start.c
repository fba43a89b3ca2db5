/* Calls through windows that do not block: the exchange, then turns, as steps of a schedule. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/window.h"
#include "coll/window_price.h"
#include "fw/schedule.h"

/* What outlives the call, in the schedule's memory.  The arrays of counts are the caller's, who
 * leaves them alone until the call is complete. */
struct pending {
    struct mpi_window_op o;
    struct mpi_coll x;
    struct mpi_coll_plan p;
    struct mpi_blocks send, recv;
    struct mpi_reduction r;
    mpi_coll_steps *otherwise;
    bool found;                 /* the others' windows */
};

static void keep(struct pending *w, const struct mpi_coll_plan *p)
{
    w->p = *p;
    if (p->send) {
        w->send = *p->send;
        w->p.send = &w->send;
    }
    if (p->recv) {
        w->recv = *p->recv;
        w->p.recv = &w->recv;
    }
    if (p->r) {
        w->r = *p->r;
        w->p.r = &w->r;
    }
}

/* With the request, as all that comes of the call. */
static void tell(struct fw_sched *s, const struct mpi_coll *x)
{
    struct mpi_mismatch *m = malloc(sizeof *m);
    s->error = FW_MISMATCH;
    if (!m)
        return;
    m->class = x->class;
    m->together = false;
    snprintf(m->text, sizeof m->text, "%s", x->why.text);
    s->req->host.mismatch = m;
    s->req->host.extra = FW_EXTRA_MISMATCH;
}

/* True: there is nothing left to do here. */
static bool find(struct pending *w, struct fw_sched *s)
{
    enum mpi_window_met met = mpi_window_find(&w->o);
    if (met == MPI_WINDOW_FAILED) {
        tell(s, &w->x);
    } else if (met == MPI_WINDOW_MISSING) {
        mpi_window_was_refused(&w->o);
        w->otherwise(s, &w->p);
    }
    w->found = met == MPI_WINDOW_MET;
    return !w->found;
}

/* The NIC's thread does one turn at a time: a host may want the baton. */
static bool advance(struct pending *w, struct fw_sched *s)
{
    struct mpi_window_op *o = &w->o;
    bool on_thread = nic_on_thread(mpi_nic);
    while (o->turn < o->turns && mpi_window_advance(o)) {
        s->moved = true;
        if (on_thread && o->arrived)
            return false;
    }
    if (o->turn == o->turns)
        mpi_fw_count_windows(mpi_fw);
    return o->turn == o->turns;
}

static bool turn(void *context, struct fw_sched *s)
{
    struct pending *w = context;
    bool nothing = s->shm->mismatch || (!w->found && find(w, s));
    if (!nothing && !advance(w, s))
        return false;
    if (!nothing) {
        mpi_window_compare(&w->o);
        if (w->x.class)
            tell(s, &w->x);
    }
    mpi_window_end(&w->o);
    return true;
}

void mpi_coll_windows_build(struct fw_sched *s, const struct mpi_coll_plan *p,
                            mpi_coll_steps *otherwise)
{
    struct pending *w = mpi_fw_sched_memory(s, sizeof *w);
    s->shm = mpi_fw_sched_memory(s, sizeof *s->shm);
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_SHM });
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_TURNS });
    s->turn = turn;
    s->turn_context = w;
    if (s->failed)
        return;
    keep(w, p);
    w->x = (struct mpi_coll){ .call = p->call, .c = p->c, .match = s->match, .rank = p->c->rank,
                              .size = p->c->size, .bytes = p->bytes, .root = p->root };
    w->otherwise = otherwise;
    w->found = false;
}

void mpi_coll_windows_begin(struct fw_sched *s)
{
    struct pending *w = s->turn_context;
    struct mpi_blocks all;
    mpi_window_begin(&w->o, &w->x, &w->p);
    struct mpi_coll_plan exchange = mpi_window_exchange(&w->o, &all);
    mpi_coll_shm_begin(s->shm, &exchange, s->match, NULL);
}
