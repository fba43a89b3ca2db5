/* What travels on the model clock by RDMA with counters, or by remote stores,
 * in place of packets; see include/nicemu/model.h. */
#include <errno.h>

#include "link/copy.h"
#include "model/host.h"
#include "model/node.h"
#include "model/notified_rdma.h"
#include "model/send.h"

static int begin(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    if (!n->model)
        return -ENOSYS;
    if (m->flags > NIC_PACKET_FLAGS)
        return -EINVAL;
    if (n->model->share && !n->model->has_share)
        nic_model_act(n);
    nic_model_begin_sending(n);
    nic_node_aim(n, peer);
    return 0;
}

static void deliver(struct nic *n, unsigned peer, const struct nic_tx *m, unsigned flags,
                    uint64_t time, uint64_t bytes)
{
    struct nic_tx carried = *m;
    carried.flags |= (uint8_t)flags;
    nic_model_packet_at(n, peer, &carried, time, n->model->clock.header + bytes);
}

typedef uint64_t transfer_fn(struct nic_clock *clock, uint64_t bytes);

/* Each piece has a counter of its own; the last to land is the last that was started. */
static uint64_t in_pieces(struct nic_clock *c, const struct nic_transfer_mode *how,
                          transfer_fn *carry)
{
    uint64_t left = how->bytes, landed;
    do {
        uint64_t piece = how->piece && left > how->piece ? how->piece : left;
        nic_clock_charge(c, NIC_COST_PRESET, 1);
        landed = carry(c, piece);
        left -= piece;
    } while (left);
    return landed;
}

static int carry_message(struct nic *n, unsigned peer, const struct nic_tx *m,
                         const struct nic_transfer_mode *how, transfer_fn *carry)
{
    int rc = begin(n, peer, m);
    if (rc || (rc = nic_rdma_copy(n, peer, how)))
        return rc;
    struct nic_clock *c = &n->model->clock;
    uint64_t here = c->now, there = c->now;
    if (peer != n->rank) {
        uint64_t landed = in_pieces(c, how, carry);
        there = landed + nic_clock_delay(c, NIC_COST_NOTICE_REMOTE);
        here = landed + (how->landed ? nic_clock_delay(c, NIC_COST_NOTICE_LOCAL) : 0);
    }
    /* what is read has come the other way */
    deliver(n, peer, m, NIC_PACKET_CARRIED, there, carry == nic_clock_write ? how->bytes : 0);
    if (how->landed)
        nic_model_command_at(n, here, how->landed);
    return 0;
}

int nic_put_notify(struct nic *n, unsigned peer, const struct nic_tx *m,
                   const struct nic_transfer_mode *how)
{
    return carry_message(n, peer, m, how, nic_clock_write);
}

int nic_get_notify(struct nic *n, unsigned peer, const struct nic_tx *m,
                   const struct nic_transfer_mode *how)
{
    return carry_message(n, peer, m, how, nic_clock_read);
}

int nic_store_notify(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    int rc = begin(n, peer, m);
    if (rc)
        return rc;
    struct nic_clock *c = &n->model->clock;
    nic_clock_charge(c, NIC_COST_STORE_ISSUE, 1);
    nic_clock_tell(c, NIC_COST_DOORBELL, 1, peer == n->rank ? 0 : c->to_engine);
    uint64_t way = peer == n->rank ? 0 : c->to_engine + nic_clock_delay(c, NIC_COST_STORE_WAY)
                   + nic_clock_over(c);
    deliver(n, peer, m, NIC_PACKET_CARRIED | NIC_PACKET_STORED, c->now + way, c->word);
    return 0;
}

void nic_model_read(struct nic *n, unsigned peer, uint64_t bytes)
{
    struct nic_model *m = n->model;
    nic_node_aim(n, peer);
    uint64_t landed = nic_clock_read(&m->clock, bytes);
    if (landed > m->clock.dma_done)
        m->clock.dma_done = landed;
    if (m->explain)
        nic_explain_read_moves(m->explain);
}
