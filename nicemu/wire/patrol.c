/* Looking after ranks on other machines that are waited for.
 *
 * Whoever sends finds out from the provider that a peer is gone.  One that only waits asks: a peer
 * from which nothing has come for a while gets a ping, which its NIC answers while its host
 * computes.  A wire that stays silent for as long as the patience lasts has lost the peer; one that
 * is only out of order for less than that delivers what it has kept. */
#include "wire/patrol.h"

#include <stdio.h>

#include "nicemu/machines.h"
#include "wire/peer.h"
#include "wire/send.h"

enum {
    PATROL_NS = 250 * 1000 * 1000,
    PATROLS = 16,               /* at least, while the patience lasts */
    PINGS = 2,                  /* patrols between two of them */
};

static uint64_t interval(const struct nic_wires *w)
{
    uint64_t most = w->patience_ns / PATROLS;
    return most < PATROL_NS ? most : PATROL_NS;
}

/* No patrol for so long: this process had no time, and knows nothing of others' silence.  A host
 * that sleeps has one each PATROL_NS. */
static uint64_t asleep(const struct nic_wires *w)
{
    uint64_t least = 2 * (uint64_t)PATROL_NS;
    return w->patience_ns / 2 > least ? w->patience_ns / 2 : least;
}

void nic_on_patrol(struct nic *n, bool (*patrol)(struct nic *nic, void *context), void *context)
{
    if (!n->wires)
        return;
    n->wires->patrol = patrol;
    n->wires->patrol_context = context;
}

/* It was not waited for in the last patrol, or has said something since. */
static bool begins_now(const struct nic_wires *w, const struct nic_wire_peer *p)
{
    return p->heard || !p->silent_since
           || (p->awaited != w->patrols && p->awaited + 1 != w->patrols);
}

/* Where no thread answers for a host that computes, silence means nothing. */
static void judge(struct nic *n, struct nic_wire_peer *p)
{
    struct nic_wires *w = n->wires;
    uint64_t now = w->watched, silence = now - p->silent_since;
    char why[64];
    if (silence + interval(w) > w->patience_ns && n->progress != NIC_PROGRESS_HOST) {
        snprintf(why, sizeof why, "nothing has come from it for %g s", (double)silence / 1e9);
        nic_wire_lose(n, p, why);
    } else if (silence && now - p->pinged >= PINGS * interval(w)) {
        p->pinged = now;
        nic_wire_say(n, p, NIC_FRAME_PING);
    }
}

void nic_await(struct nic *n, unsigned rank)
{
    struct nic_wires *w = n->wires;
    if (!w || rank >= n->ranks || nic_job_here(n->job, rank))
        return;
    struct nic_wire_peer *p = nic_wire_peer(n, rank);
    if (!p || p->gone || p->bye)
        return;
    if (begins_now(w, p)) {
        p->heard = false;
        p->silent_since = p->pinged = w->watched;
    }
    p->awaited = w->patrols;
    judge(n, p);
}

bool nic_gone(const struct nic *n, unsigned rank)
{
    return nic_is_here(n, rank) ? nic_job_rank_gone(n->job, rank) : nic_lost(n, rank) != NULL;
}

const char *nic_lost(const struct nic *n, unsigned rank)
{
    const struct nic_wire_peer *p = n->wires && rank < n->ranks ? n->peer[rank].wire : NULL;
    return p ? p->why : NULL;
}

unsigned nic_losses(const struct nic *n) { return n->wires ? n->wires->lost : 0; }

/* Of a lost peer, whose bytes may come into the program's memory as long as a read is under way: no
 * provider can be told to stop one.  Most end with the connection. */
static void end_stuck_reads(const struct nic *n)
{
    const struct nic_wires *w = n->wires;
    for (const struct nic_wire_peer *p = w->all; p; p = p->next)
        if (p->gone && p->reads && w->patrolled - p->gone_since > w->patience_ns) {
            char text[320];
            snprintf(text, sizeof text, "%s; memory of this rank waits for its bytes",
                     p->why ? p->why : "a rank is lost");
            nic_wire_end_process(n, text);
        }
}

bool nic_wire_patrol(struct nic *n)
{
    struct nic_wires *w = n->wires;
    uint64_t now = nic_now(), since = now - w->patrolled;
    if (!w->patrol || w->closing || (since < interval(w) && !w->patrol_due))
        return false;
    if (since >= interval(w))
        w->patrols += since > asleep(w) ? 2 : 1;
    /* Nor is it silence of others what several short stops add up to. */
    w->watched += since < 2 * (uint64_t)PATROL_NS ? since : 2 * (uint64_t)PATROL_NS;
    w->patrolled = now;
    w->patrol_due = false;
    if (w->lost)
        end_stuck_reads(n);
    const bool moved = w->lost && n->units->lose(n);
    return w->patrol(n, w->patrol_context) || moved;
}
