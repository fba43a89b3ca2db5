/* Hardware queues out of the writer's reach: credits.
 *
 * A writer has at most NIC_QUEUE_WINDOW messages under way to a queue.  The owner's NIC puts each
 * into the queue, or, while that is full, behind those which it keeps for it; the reply that gives
 * the credit back leaves when the message has found its place. So what an owner has to keep is
 * bounded by its writers' credits, and order is kept: packets of one writer arrive in order, and
 * nothing overtakes what is kept. */
#include "offload/queue_credit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "core/scratchpad.h"
#include "offload/queue_ring.h"
#include "remote/packets.h"

/* wire, after the queue's offset in the match bits */
struct queue_reply { uint64_t owner; int64_t status; };
static_assert(sizeof(struct queue_reply) == 16, "wire layout");

/* A writer's credits with one queue. */
struct nic_queue_flow {
    struct nic_queue_flow *next;
    uint64_t queue;
    uint32_t rank, under_way;
    /* of the last message that could not be delivered, until it has been reported */
    int error;
};

struct nic_queue_kept { struct nic_queue_kept *next; struct nic_words message; };

/* -- the writer */

static struct nic_queue_flow **find(struct nic *n, uint32_t rank, uint64_t queue)
{
    struct nic_queue_flow **link = &n->peer[rank].flows;
    while (*link && (*link)->queue != queue)
        link = &(*link)->next;
    return link;
}

static struct nic_queue_flow *flow_to(struct nic *n, uint32_t rank, uint64_t queue)
{
    struct nic_queue_flow **link = find(n, rank, queue);
    if (!*link && (*link = calloc(1, sizeof **link))) {
        (*link)->rank = rank;
        (*link)->queue = queue;
    }
    return *link;
}

int nic_queue_send_packet(struct nic *n, uint32_t rank, uint64_t queue, const struct nic_words *m)
{
    if (queue % 64 || !nic_spad_holds(n, rank, queue, NIC_QUEUE_HEADER_BYTES))
        return -EINVAL;
    struct nic_queue_flow *f = flow_to(n, rank, queue);
    if (!f)
        return -ENOMEM;
    if (f->error) {
        int error = f->error;
        f->error = 0;
        return error;
    }
    if (f->under_way == NIC_QUEUE_WINDOW)
        return -EAGAIN;
    uint64_t source = m->source;
    f->under_way++;
    nic_hold_service(n, 1);
    nic_hw_send(n, rank, NIC_HW_QUEUE, queue, &source, sizeof source, m->word,
                m->count * sizeof *m->word);
    return 0;
}

/* A credit comes back. */
void nic_queue_replied(struct nic *n, const struct nic_packet *p)
{
    struct queue_reply reply = { .owner = UINT64_MAX };
    if (!nic_hw_whole(n, p, nic_queue_replied))
        return;
    if (p->length == sizeof reply)
        memcpy(&reply, p->head, sizeof reply);
    struct nic_queue_flow **link = reply.owner < n->ranks
                                   ? find(n, (uint32_t)reply.owner, p->match) : NULL;
    struct nic_queue_flow *f = link ? *link : NULL;
    if (!f || !f->under_way) {
        nic_hw_drop(n);
        return;
    }
    nic_hold_service(n, -1);
    f->under_way--;
    if (reply.status)
        f->error = reply.status == -ENOMEM ? -ENOMEM : -EINVAL;
    if (!f->under_way && !f->error) {
        *link = f->next;
        free(f);
    }
}

/* -- the owner */

static void reply(struct nic *n, const struct nic_words *m, uint64_t queue, int status)
{
    struct queue_reply r = { .owner = n->rank, .status = status };
    nic_hw_send(n, m->source, NIC_HW_QUEUE_REPLY, queue, &r, sizeof r, NULL, 0);
}

static int keep(struct nic *n, struct nic_queue *q, const struct nic_words *m)
{
    struct nic_queue_kept *k = q->kept < (uint64_t)n->ranks * NIC_QUEUE_WINDOW ? malloc(sizeof *k)
                               : NULL;
    if (!k)
        return -ENOMEM;         /* the writer is told */
    *k = (struct nic_queue_kept){ .message = *m };
    *q->kept_end = k;
    q->kept_end = &k->next;
    q->kept++;
    return 0;
}

static void deliver(struct nic *n, const struct nic_words *m, uint64_t queue)
{
    struct nic_queue *q = nic_queue_own(n, queue);
    int rc = !q ? -EINVAL : q->kept ? -EAGAIN : nic_queue_put(n, n->rank, queue, m);
    if (rc == -EAGAIN && !(rc = keep(n, q, m)))
        return;
    reply(n, m, queue, rc);
}

static bool message_of(const struct nic *n, const struct nic_packet *p, struct nic_words *m)
{
    uint64_t source;
    if (p->length < sizeof source || p->length > sizeof source + sizeof m->word
        || p->length % sizeof source)
        return false;
    memcpy(&source, p->head, sizeof source);
    m->source = (uint32_t)source;
    m->count = p->length / sizeof source - 1;
    memcpy(m->word, (const char *)p->head + sizeof source, m->count * sizeof *m->word);
    return source < n->ranks;
}

void nic_queue_arrived(struct nic *n, const struct nic_packet *p)
{
    struct nic_words m = { .count = 0 };
    if (!nic_hw_whole(n, p, nic_queue_arrived))
        return;
    if (message_of(n, p, &m))
        deliver(n, &m, p->match);
    else
        nic_hw_drop(n);
}

static struct nic_queue_kept *take_kept(struct nic_queue *q)
{
    struct nic_queue_kept *k = q->first_kept;
    if (!(q->first_kept = k->next))
        q->kept_end = &q->first_kept;
    q->kept--;
    return k;
}

void nic_queue_refill(struct nic *n, struct nic_queue *q)
{
    int rc;
    while (q->kept
           && (rc = nic_queue_put(n, n->rank, q->offset, &q->first_kept->message)) != -EAGAIN) {
        struct nic_queue_kept *k = take_kept(q);
        reply(n, &k->message, q->offset, rc);
        free(k);
    }
}

/* -- the end */

void nic_queue_refuse_kept(struct nic *n, struct nic_queue *q)
{
    while (q->kept) {
        struct nic_queue_kept *k = take_kept(q);
        reply(n, &k->message, q->offset, -EINVAL);
        free(k);
    }
}

void nic_queues_close(struct nic *n)
{
    for (struct nic_queue *q; (q = n->queues); free(q)) {
        n->queues = q->next;
        while (q->kept)
            free(take_kept(q));
        atomic_store_explicit(&q->header->kind, 0, memory_order_relaxed);
    }
    for (uint32_t r = 0; n->peer && r < n->ranks; r++)
        for (struct nic_queue_flow *f; (f = n->peer[r].flows); free(f))
            n->peer[r].flows = f->next;
}
