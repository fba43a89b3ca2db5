/* Ranks that are lost.  Nothing is told of it where messages begin: several times a second a patrol
 * goes through all that is under way, says whom it waits for, and ends what waits for a rank that
 * is lost, whenever that was started. */
#include "fw/lost.h"

#include "fw/claims.h"
#include "fw/far_get.h"
#include "fw/posted.h"
#include "fw/req_list.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/schedule.h"
#include "fw/sendq.h"
#include "fw/staged.h"
#include "fw/steps_back.h"

/* Also notes that this rank is waited for. */
static bool is_lost(struct fw *fw, uint32_t rank)
{
    nic_await(fw->nic, rank);
    return nic_lost(fw->nic, rank);
}

/* Of all those that have to do their part, the first on each machine are waited for, as their parts
 * are laid out in most jobs. */
static bool some_are_lost(struct fw *fw, const struct fw_req *r)
{
    int rank, machine = -1;
    for (unsigned i = 0; (rank = fw->partner(r, i)) >= 0; i++) {
        int its = (int)nic_machine(fw->nic, (unsigned)rank);
        if (its != machine)
            nic_await(fw->nic, (unsigned)rank);
        if (nic_lost(fw->nic, (unsigned)rank))
            return true;
        machine = its;
    }
    return false;
}

/* -- requests */

static void take_out(struct fw_req_list *list, struct fw_req *r)
{
    struct fw_req **at = &list->first;
    while (*at && *at != r)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = r->next;
    if (!*at)
        list->end = at;
}

/* Out of all lists that it may be in. */
static void end(struct fw *fw, struct fw_req *r)
{
    r->error = FW_LOST;
    if (r->active) {
        take_out(&fw->active, r);
        r->active = false;
        nic_hold_polling(fw->nic, -1);
    }
    take_out(&fw->waiting_for_buffer, r);
    take_out(&fw->waiting_far, r);
    take_out(&fw->waiting_reads, r);
    if (r->object.kind == FW_SEND && r->served)
        mpi_fw_finish_send(fw, r);
    else
        mpi_fw_complete(fw, r);
}

/* A rendezvous, or a synchronous one whose acknowledgment is still to come; others have left.  One
 * to a living rank may be taken yet, though others whom it needs are lost: its host leaves it. */
static bool ends_send(struct fw *fw, struct fw_req *r)
{
    bool waits = r->served || (r->sync && r->offset == 1);
    if (!waits || r->pending)
        return false;
    if (!is_lost(fw, r->peer))
        return some_are_lost(fw, r);
    if (!r->served)
        mpi_fw_claim_end(fw, r);
    end(fw, r);
    return true;
}

static bool ends_receive(struct fw *fw, struct fw_req *r)
{
    if (r->served && r->protocol) {
        if (!is_lost(fw, r->peer) || mpi_fw_far_reads(r))
            return false;
    } else if (r->inside || !some_are_lost(fw, r) || !mpi_fw_posted_remove(fw, r)) {
        return false;
    }
    end(fw, r);
    return true;
}

static bool ends_own(struct fw *fw, struct fw_req *r)
{
    if (!some_are_lost(fw, r))
        return false;
    r->error = FW_LOST;
    mpi_fw_done(fw, r);
    return true;
}

static bool end_requests(struct fw *fw)
{
    bool moved = false;
    for (uint32_t i = 0; i < fw->fast_path.requests.used; i++) {
        struct fw_req *r = fw_req_at(fw, i);
        if (!r || fw_req_done(r))
            continue;
        if (r->object.kind == FW_SEND)
            moved |= ends_send(fw, r);
        else if (r->object.kind == FW_RECV)
            moved |= ends_receive(fw, r);
        else if (r->object.kind == FW_HOST && !r->host.extra)
            moved |= ends_own(fw, r);
    }
    return moved;
}

/* -- schedules */

static bool waits_for_lost(struct fw *fw, const struct fw_sched *s)
{
    for (uint32_t i = s->begun; i < s->steps; i++) {
        const struct fw_step *t = &s->step[i];
        if (t->kind <= FW_STEP_RECV
            && is_lost(fw, s->world ? (uint32_t)s->world[t->peer] : t->peer))
            return true;
    }
    return some_are_lost(fw, s->req);
}

/* One at a time: whoever is told of an end may start another one. */
static bool end_schedules(struct fw *fw)
{
    struct fw_sched *s = fw->scheds;
    while (s && !waits_for_lost(fw, s))
        s = s->next;
    if (s)
        mpi_fw_sched_lose(fw, s->req);
    return s;
}

/* -- all of it */

void mpi_fw_on_loss(struct fw *fw, int (*partner)(const struct fw_req *req, unsigned i))
{
    fw->partner = partner;
}

bool mpi_fw_patrol(struct nic *nic, void *context)
{
    struct fw *fw = context;
    bool moved = nic_losses(nic) && (mpi_fw_drop_backlogs(fw) | mpi_fw_steps_back_lose(fw));
    while (end_schedules(fw))
        moved = true;
    moved |= end_requests(fw);
    return (nic_losses(nic) && mpi_fw_credits_lose(fw)) || moved;
}
