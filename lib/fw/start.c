#include "fw/start.h"

#include "fw/arrived.h"
#include "fw/data.h"
#include "fw/eager.h"
#include "fw/held.h"
#include "fw/posted.h"
#include "fw/queue.h"
#include "fw/request.h"
#include "fw/rndv.h"
#include "fw/sendq.h"
#include "fw/unexpected.h"

/* One that would be read where it lies, if the kernel's copies reached it there. */
static bool is_eager_far(const struct fw *fw, const struct fw_req *r)
{
    return r->bytes <= fw->far_eager_max && !nic_is_here(fw->nic, r->peer)
           && !fw_asks_first(fw, r->peer);
}

/* An eager one: what is read at once is not worth more lines of an inbox than its envelope takes,
 * where those are what all wait for. */
static bool is_crowded_out(struct fw *fw, const struct fw_req *r)
{
    return r->bytes > FW_ANNOUNCED_ABOVE && !r->sync && !fw_layout(r) && r->peer != fw->rank
           && !fw_is_blocked(fw, r->peer)
           && nic_crowded_out(fw->nic, r->peer, (uint32_t)r->bytes)
           && nic_rdma_paths(fw->nic, r->peer) & NIC_RDMA_READ;
}

static void start_send(struct fw *fw, struct fw_req *r)
{
    if (r->bytes > fw->eager_max && !is_eager_far(fw, r))
        mpi_fw_start_rndv(fw, r);
    else if (is_crowded_out(fw, r))
        mpi_fw_start_short(fw, r);
    else
        mpi_fw_start_eager(fw, r);
}

/* True: a message was there, and the receive has it. */
static inline bool find_message(struct fw *fw, struct fw_req *recv)
{
    FW_COUNT_DEPTH(fw, unexpected, fw->fast_path.unexpected);
    struct fw_unexpected *m = mpi_fw_unexpected_match(fw, recv->match, recv->mask);
    if (m)
        mpi_fw_deliver_message(fw, m, recv);
    return m;
}

/* `modelled` is a constant where this is inlined. */
static inline void post_receive(struct fw *fw, struct fw_req *recv, bool modelled)
{
    if (modelled || __builtin_expect(fw->fast_path.unexpected != 0, 0))
        if (find_message(fw, recv))
            return;
    if (fw_queue_append(&fw->posted, modelled, recv->match, recv->mask, recv->index)) {
        recv->error = FW_NO_MEMORY;
        mpi_fw_complete(fw, recv);
        return;
    }
    FW_HIGH_WATER(fw, posted_queue, ++fw->fast_path.posted);
    if (recv->bytes > fw->eager_max)
        mpi_fw_serve(fw, recv);
}

static inline void begin(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind == FW_RECV) {
        post_receive(fw, r, false);
    } else {
        fw->sends++;
        start_send(fw, r);
    }
}

void mpi_fw_begin_modelled(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind == FW_RECV)
        post_receive(fw, r, true);
    else
        start_send(fw, r);
}

/* The NIC begins when the command has crossed the bus; a send counts from here on. */
static __attribute__((noinline)) void submit(struct fw *fw, struct fw_req *r)
{
    bool send = r->object.kind == FW_SEND;
    fw->sends += send;
    nic_work(fw->nic, send ? NIC_WORK_SEND_BEFORE : NIC_WORK_RECV_BEFORE);
    if (send && r->bytes <= fw->eager_max)
        nic_gives_data(fw->nic, r->bytes);
    nic_submit(fw->nic, &(struct nic_command){ .op = FW_COMMAND_BEGIN, .object = r });
    if (!send)
        nic_work(fw->nic, NIC_WORK_POSTED);
}

void mpi_fw_start(struct fw *fw, struct fw_req *r)
{
    fw_req_prepare(r);
    if (__builtin_expect(fw->modelled, 0))
        submit(fw, r);
    else
        begin(fw, r);
}

/* Messages leave the inbox as long as posted receives wait for them: so the posted queue stays as
 * short as this rank is ahead of its senders, and no message becomes unexpected before its time. */
static void receive_awaited(struct fw *fw)
{
    uint64_t match;
    for (unsigned i = 0; i < FW_RECEIVE_MOST && fw->fast_path.posted; i++) {
        if (!nic_next_is(fw->nic, FW_EAGER_TYPE, &match) || !mpi_fw_posted_awaits(fw, match))
            return;
        nic_deliver_next(fw->nic);
    }
}

void mpi_fw_start_receive(struct fw *fw, struct fw_req *r)
{
    if (fw->modelled) {
        mpi_fw_start(fw, r);
        return;
    }
    if (fw->fast_path.posted)
        receive_awaited(fw);
    if (!fw_layout(r) && fw_recv_at_once(fw, fw->nic, r))
        return;
    fw_req_prepare(r);
    post_receive(fw, r, false);
}

static void start_here(struct fw *fw, struct fw_req *r, bool inside)
{
    fw_req_prepare(r);
    r->inside = inside;
    if (__builtin_expect(!fw->modelled, 1)) {
        begin(fw, r);
        return;
    }
    fw->sends += r->object.kind == FW_SEND;
    mpi_fw_begin_modelled(fw, r);
}

void mpi_fw_start_inside(struct fw *fw, struct fw_req *r) { start_here(fw, r, true); }

void mpi_fw_start_offer(struct fw *fw, struct fw_req *send, bool inside)
{
    fw_req_prepare(send);
    send->inside = inside;
    fw->sends++;
    mpi_fw_start_rndv(fw, send);
}

void mpi_fw_start_submitted(struct fw *fw, struct fw_req *r) { start_here(fw, r, false); }

void mpi_fw_receive_message(struct fw *fw, struct fw_unexpected *m, struct fw_req *recv)
{
    fw_req_prepare(recv);
    recv->match = m->match;
    recv->mask = 0;
    recv->message = m;
    if (fw->modelled)
        nic_submit(fw->nic, &(struct nic_command){ .op = FW_COMMAND_RECEIVE, .object = recv });
    else
        mpi_fw_deliver_message(fw, m, recv);
}
