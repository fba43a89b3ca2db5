/* nic_post: see nicemu.h.  While packets for a peer are kept, nic_send to it is refused, so that
 * they stay in order.  While many are kept, others are told so in our public line, and refuse to
 * send to us: what comes is then only what handlers answer, for which there is always memory, so
 * nobody waits in a circle. */
#include "remote/post.h"

#include <errno.h>

#include "core/baton.h"
#include "core/demand.h"
#include "remote/backlog.h"

static void keep(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    if (nic_backlog_keep(&n->posts, &n->peer[peer].posts, peer, m)) {
        n->held++;
        nic_hw_busy(n, 1);
    }
    if (++n->posted == NIC_POSTS_MANY)
        atomic_fetch_or(&n->own->attention, NIC_CLOGGED);
}

/* The program's data are copied now, as all others are. */
static nic_noinline void keep_gathered(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    unsigned char data[NIC_MESSAGE_BYTES_MAX];
    struct nic_tx plain = *m;
    plain.gathered = false;
    plain.data = data;
    n->program->gaps->gather(n, n->context, m, 0, data, m->data_bytes);
    keep(n, peer, &plain);
}

int nic_post(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    nic_baton_check(n);
    if (unlikely(m->type >= NIC_HW_FIRST))
        return -EINVAL;
    if (m->head_bytes > NIC_BACKLOG_HEAD_MAX || m->data_bytes > NIC_MESSAGE_BYTES_MAX)
        return -EMSGSIZE;
    int rc = n->peer[peer].posts ? -EAGAIN : n->link->send(n, peer, m, true);
    if (rc != -EAGAIN)
        return rc;
    if (m->gathered)
        keep_gathered(n, peer, m);
    else
        keep(n, peer, m);
    return 0;
}

bool nic_posts_advance(struct nic *n)
{
    unsigned ended, sent = nic_backlogs_send(n, &n->posts, &ended);
    bool many = n->posted >= NIC_POSTS_MANY;
    n->posted -= sent;
    n->held -= ended;
    if (ended)
        nic_hw_busy(n, -(int)ended);
    if (many && n->posted < NIC_POSTS_MANY)
        atomic_fetch_and(&n->own->attention, ~(uint32_t)NIC_CLOGGED);
    return sent;
}

void nic_posts_close(struct nic *n)
{
    nic_backlogs_free(&n->posts);
    atomic_fetch_and(&n->own->attention, ~(uint32_t)NIC_CLOGGED);
}
