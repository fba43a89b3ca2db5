#include "fw/arrived.h"

#include "fw/accept.h"
#include "fw/ahead.h"
#include "fw/data.h"
#include "fw/eager.h"
#include "fw/message.h"
#include "fw/modelled.h"
#include "fw/request.h"
#include "fw/rndv.h"
#include "fw/staged.h"

static void copy_out(struct fw *fw, struct fw_unexpected *m, struct fw_req *recv)
{
    size_t take = fw_accept(fw, recv, m->match, m->bytes);
    fw_data_expect(recv, take);
    if (take)
        fw_data_in(recv, 0, m->data, take);
    if (fw->modelled)
        nic_copied(fw->nic, take);
    mpi_fw_message_free(fw, m);
    mpi_fw_complete(fw, recv);
}

void mpi_fw_deliver_message(struct fw *fw, struct fw_unexpected *m, struct fw_req *recv)
{
    fw_critical_path_join(fw, &m->way, NIC_PART_LATE);
    if (m->type == FW_PACKET_RTS) {
        struct fw_rts rts = m->rts;
        uint64_t match = m->match;
        mpi_fw_message_free(fw, m);
        mpi_fw_rts_matched(fw, &rts, match, recv);
        return;
    }
    if (m->type == FW_PACKET_SYNC)
        mpi_fw_acknowledge(fw, &m->origin);
    if (m->counted_by)
        mpi_fw_ahead_matched(fw, m->counted_by - 1, m->asks);
    if (m->landing)
        m->claimed = recv;      /* mpi_fw_landed goes on */
    else
        copy_out(fw, m, recv);
}

/* A whole eager message, or a chunk of a rendezvous. */
static void receive_landed(struct fw *fw, struct fw_req *recv)
{
    if (recv->protocol)
        mpi_fw_chunk_landed(fw, recv);
    else
        mpi_fw_complete(fw, recv);
}

static void message_landed(struct fw *fw, struct fw_unexpected *m)
{
    m->landing = false;
    if (m->claimed)
        copy_out(fw, m, m->claimed);
    else if (m->withdrawn)
        mpi_fw_message_free(fw, m);
}

void mpi_fw_landed(struct fw *fw, struct fw_object *object)
{
    if (object->kind == FW_RECV)
        receive_landed(fw, (struct fw_req *)object);
    else if (object->kind == FW_WINDOW)
        fw->window_landed();
    else
        message_landed(fw, (struct fw_unexpected *)object);
}
