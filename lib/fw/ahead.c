/* How far eager messages run ahead of their receives, on the model clock.
 *
 * Who sends short messages does not wait for their receives.  Where a receiver takes longer for
 * each of them in virtual time than its sender, it keeps ever more of them.  So a sender counts,
 * per peer, its eager messages of which it does not know that they are matched.  The receiver tells
 * it of them by quarters of protocol.eager_ahead: with the next eager message that goes back
 * (TELLS), which costs nothing, or by a packet (MATCHED), if the sender has asked by one of its
 * messages (ASKS), which it does for each quarter from the half of the limit on.  What is sent
 * beyond the limit leaves too, but its send is *held*: it is done when enough others are known to
 * be matched.
 *
 *  - Nothing waits in front of anything else: the message of a send that is held is at its
 *    receiver, and may be received in any order.  A program that does not rely on MPI's buffers
 *    ends as it did.
 *  - A peer that receives all in order keeps at most protocol.eager_ahead messages of one sender,
 *    and those whose sends are held, of which there is one where the sender's calls block.
 *  - Who gets a message back for each quarter never asks, and no packet is sent for all this.
 *  - A receiver that is asked tells as soon as it has a quarter to tell.  When all is matched less
 *    than the half is not told: so no send is held for ever (tests/model/ahead.pml). */
#include "fw/ahead.h"

#include <errno.h>
#include <stdlib.h>

#include "fw/req_list.h"
#include "fw/request.h"
#include "fw/sendq.h"
#include "fw/stray.h"

int mpi_fw_ahead_attach(struct fw *fw)
{
    fw->ahead_most = fw->modelled ? (uint32_t)fw->profile->protocol.eager_ahead : 0;
    if (!fw->ahead_most)
        return 0;
    fw->ahead = calloc(nic_ranks(fw->nic), sizeof *fw->ahead);
    return fw->ahead ? 0 : -ENOMEM;
}

void mpi_fw_ahead_delete(struct fw *fw) { free(fw->ahead); }

static uint32_t quarter(const struct fw *fw)
{
    return fw->ahead_most < 4 ? 1 : fw->ahead_most / 4;
}

static uint32_t least_to_ask(const struct fw *fw)
{
    return fw->ahead_most < 2 ? 1 : 2 * quarter(fw);
}

/* -- sender */

static void hold(struct fw *fw, struct fw_ahead *a, struct fw_req *send)
{
    if (!a->held.end)
        fw_req_list_init(&a->held);
    fw_req_list_append(&a->held, send);
    send->held = true;
    FW_COUNT(fw, eager_held, 1);
}

/* A rank's messages to itself end by its own receives only: nobody else could be held for them. */
enum fw_packet mpi_fw_ahead_count(struct fw *fw, struct fw_req *send)
{
    if (__builtin_expect(!fw->ahead, 1) || send->peer == fw->rank)
        return FW_PACKET_EAGER;
    struct fw_ahead *a = &fw->ahead[send->peer];
    if (++a->sent > fw->ahead_most)
        hold(fw, a, send);
    if (++a->since >= quarter(fw) && a->sent >= least_to_ask(fw)) {
        a->since = 0;
        FW_COUNT(fw, eager_asked, 1);
        return FW_PACKET_ASKS;
    }
    if (a->matched < quarter(fw))
        return FW_PACKET_AHEAD;
    a->matched -= quarter(fw);
    return FW_PACKET_TELLS;
}

static void release(struct fw *fw, struct fw_req *send)
{
    send->held = false;
    if (send->offset)
        mpi_fw_complete(fw, send);
}

void mpi_fw_ahead_release(struct fw *fw, struct fw_req *send)
{
    fw_req_list_remove(&fw->ahead[send->peer].held, send);
    release(fw, send);
}

static uint32_t too_many(const struct fw *fw, const struct fw_ahead *a)
{
    return a->sent > fw->ahead_most ? a->sent - fw->ahead_most : 0;
}

static void release_some(struct fw *fw, struct fw_ahead *a, uint32_t most)
{
    for (struct fw_req *send; most && (send = fw_req_list_take(&a->held)); most--)
        release(fw, send);
}

/* Those that are held longest go on. */
static void told(struct fw *fw, uint32_t peer)
{
    struct fw_ahead *a = &fw->ahead[peer];
    uint32_t before = too_many(fw, a);
    if (a->sent < quarter(fw)) {
        fw_stray_packet(fw);
        return;
    }
    a->sent -= quarter(fw);
    release_some(fw, a, before - too_many(fw, a));
}

void mpi_fw_matched_arrived(struct fw *fw, const struct nic_packet *p)
{
    if (fw->ahead && !p->length)
        told(fw, nic_packet_source(fw->nic));
    else
        fw_stray_packet(fw);
}

/* It will not be matched.  Nobody is told of what it should have asked for, so nobody is held for
 * that; what it should have told the next one does. */
void mpi_fw_ahead_dropped(struct fw *fw, uint32_t peer, const struct nic_tx *packet)
{
    if (!fw->ahead || !fw_is_counted(packet->type))
        return;
    struct fw_ahead *a = &fw->ahead[peer];
    if (packet->type == FW_PACKET_TELLS)
        a->matched += quarter(fw);
    if (packet->type == FW_PACKET_ASKS) {
        a->since = quarter(fw);
        release_some(fw, a, UINT32_MAX);
    }
    a->sent -= a->sent > 0;
}

/* -- receiver */

bool mpi_fw_ahead_arrived(struct fw *fw, const struct nic_packet *p)
{
    if (!fw->ahead) {
        fw_stray_packet(fw);
        return false;
    }
    if (p->type == FW_PACKET_TELLS)
        told(fw, nic_packet_source(fw->nic));
    return true;
}

void mpi_fw_ahead_matched(struct fw *fw, uint32_t source, bool asks)
{
    struct fw_ahead *a = &fw->ahead[source];
    a->matched++;
    a->asked += asks;
    if (!a->asked || a->matched < quarter(fw))
        return;
    a->asked--;
    a->matched -= quarter(fw);
    mpi_fw_post_control(fw, source, FW_PACKET_MATCHED, 0, NULL, 0);
}
