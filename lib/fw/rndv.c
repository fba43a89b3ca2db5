/* Rendezvous: the sender asks with an RTS; once the message is matched the receiver's side chooses
 * how the bytes travel. */
#include "fw/rndv.h"

#include <stdlib.h>
#include <string.h>

#include "fw/accept.h"
#include "fw/claims.h"
#include "fw/claim_word.h"
#include "fw/data.h"
#include "fw/far_get.h"
#include "fw/message.h"
#include "fw/modelled.h"
#include "fw/pieces.h"
#include "fw/posted.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/sendq.h"
#include "fw/stray.h"
#include "fw/tuning.h"
#include "fw/watch.h"

#define FW_PROTOCOL_ENTRY(name) [FW_PROTOCOL_##name] = &mpi_fw_protocol_##name,
const struct fw_protocol *const mpi_fw_protocols[FW_PROTOCOL_COUNT] = {
    FW_PROTOCOLS(FW_PROTOCOL_ENTRY)
};

const char *mpi_fw_protocol_name(unsigned id)
{
    return id < FW_PROTOCOL_COUNT ? mpi_fw_protocols[id]->name : NULL;
}

/* -- sender */

/* Only where either end may copy. */
static uint16_t claim_word_for(struct fw *fw, const struct fw_req *send)
{
    bool useful = send->peer != fw->rank && !fw->modelled
                  && fw_address(send) != FW_NO_ADDRESS && nic_is_here(fw->nic, send->peer);
    return useful ? mpi_fw_claim_word_new(fw) : 0;
}

static void start(struct fw *fw, struct fw_req *send, enum fw_packet type)
{
    if (send->peer != fw->rank && nic_is_here(fw->nic, send->peer))
        mpi_fw_pieces_want(send);
    struct fw_rts rts = { .source = (uint16_t)fw->rank, .request = fw_req_id(send),
                          .bytes = send->bytes, .address = fw_address(send) };
    FW_COUNT(fw, rendezvous_sent, 1);
    send->protocol = NULL;
    send->pending = NULL;
    send->offset = 0;
    send->finished = send->withdrawing = false;
    send->claim = rts.claim = mpi_fw_claim_new(fw, send);
    send->claim_word = rts.claim_word = claim_word_for(fw, send);
    mpi_fw_far_offer(fw, send, &rts);
    mpi_fw_serve(fw, send);
    fw_control(fw);
    struct fw_pending *waits =
        mpi_fw_post_control(fw, send->peer, type, send->match, &rts, sizeof rts);
    mpi_fw_envelope_waits(send, waits);
}

void mpi_fw_start_rndv(struct fw *fw, struct fw_req *send) { start(fw, send, FW_PACKET_RTS); }

void mpi_fw_start_short(struct fw *fw, struct fw_req *send)
{
    FW_COUNT(fw, eager_announced, 1);
    start(fw, send, FW_PACKET_SHORT_RTS);
}

/* -- receiver */

/* An RTS from this rank itself names one of its own sends: nobody else's word makes us read our own
 * memory. */
static bool is_own_send(const struct fw *fw, const struct fw_rts *rts)
{
    const struct fw_req *send = mpi_fw_req_by_id(fw, rts->request, FW_SEND);
    return send && send->served && send->peer == fw->rank
           && fw_address(send) == rts->address && send->bytes == rts->bytes;
}

static bool rts_is_sound(const struct fw *fw, const struct nic_packet *p, struct fw_rts *rts)
{
    if (p->length != sizeof *rts)
        return false;
    memcpy(rts, p->head, sizeof *rts);
    return rts->source < nic_ranks(fw->nic) && (rts->source != fw->rank || is_own_send(fw, rts));
}

static bool can_read(struct fw *fw, const struct fw_rts *rts)
{
    return rts->bytes && rts->bytes <= fw->eager_max && rts->source != fw->rank
           && !fw_is_list(rts->address)
           && nic_rdma_reach(fw->nic, rts->source, rts->address, rts->bytes) & NIC_RDMA_READ;
}

/* Before its receive is there, as the message would lie here too if there had been room for it: its
 * sender goes on whatever this rank does next.  False: it stays there. */
static bool read_early(struct fw *fw, const struct fw_rts *rts, uint64_t match)
{
    void *data = can_read(fw, rts) ? malloc(rts->bytes) : NULL;
    if (!data || nic_rdma_read(fw->nic, rts->source, rts->address, data, rts->bytes)) {
        free(data);
        return false;
    }
    /* behind the copy: one that cannot be read can still be withdrawn, and of one that is withdrawn
     * meanwhile nothing is kept */
    if (mpi_fw_claim_take(fw, rts->source, rts->claim)) {
        mpi_fw_message_read(fw, match, data, rts->bytes);       /* has the data */
        mpi_fw_send_fin_to(fw, rts->source, rts->request, FW_OK);
    } else {
        free(data);
    }
    return true;
}

void mpi_fw_rts_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_rts rts;
    if (!rts_is_sound(fw, p, &rts)) {
        fw_stray_packet(fw);
        return;
    }
    fw_control(fw);
    bool withdrawn = false;
    struct fw_req *recv =
        mpi_fw_match_posted_if(fw, p->match, rts.source, rts.claim, &withdrawn);
    if (recv)
        mpi_fw_rts_matched(fw, &rts, p->match, recv);
    else if (!withdrawn && !(p->type == FW_PACKET_SHORT_RTS && read_early(fw, &rts, p->match)))
        mpi_fw_message_keep(fw, p, FW_PACKET_RTS);
}

/* Nothing of the machine decides there. */
static enum fw_protocol_id choose_modelled(const struct fw *fw)
{
    if (fw->forced && !fw->forced->races)
        return fw->forced->id;
    bool put = fw->profile->protocol.rendezvous == NIC_RENDEZVOUS_PUT;
    return put ? FW_PROTOCOL_put : FW_PROTOCOL_get;
}

/* The first of these that is the best one for a message takes it; the last works everywhere. */
static const enum fw_protocol_id preference[] = {
    FW_PROTOCOL_far, FW_PROTOCOL_staged, FW_PROTOCOL_both_ends, FW_PROTOCOL_get, FW_PROTOCOL_put,
    FW_PROTOCOL_staged,
};
enum { LAST = sizeof preference / sizeof *preference - 1 };

static enum fw_protocol_id choose_live(struct fw *fw, struct fw_req *recv)
{
    struct fw_transfer t = { .recv = recv, .from_gaps = fw_is_list(recv->address),
                             .to_gaps = fw_layout(recv) };
    if (recv->claim_word)
        mpi_fw_pieces_want(recv);
    if (!t.from_gaps)
        t.paths = nic_rdma_reach(fw->nic, recv->peer, recv->address, recv->bytes);
    if (fw->forced && fw->forced->able(fw, &t))
        return fw->forced->id;
    unsigned i = 0;
    while (i < LAST && !mpi_fw_protocols[preference[i]]->best(fw, &t))
        i++;
    return preference[i];
}

static enum fw_protocol_id choose(struct fw *fw, struct fw_req *recv)
{
    if (recv->peer == fw->rank)
        return fw_is_list(recv->address) || fw_layout(recv) ? FW_PROTOCOL_staged
                                                            : FW_PROTOCOL_get;
    return fw->modelled ? choose_modelled(fw) : choose_live(fw, recv);
}

#define STAT_OF(name) [FW_PROTOCOL_##name] = FW_STAT_rendezvous_##name,
static const enum fw_stat stat_of[FW_PROTOCOL_COUNT] = { FW_PROTOCOLS(STAT_OF) };

static void begin(struct fw *fw, struct fw_req *recv)
{
    mpi_fw_serve(fw, recv);
    recv->protocol = mpi_fw_protocols[choose(fw, recv)];
    fw->stats.value[stat_of[recv->protocol->id]]++;
    fw_notice(fw, FW_NOTICE_RNDV_BEGUN,
              &(struct fw_notice){ .match = recv->match, .bytes = recv->bytes,
                                   .peer = (int)recv->peer, .protocol = (int)recv->protocol->id });
    recv->protocol->matched(fw, recv);
}

void mpi_fw_rts_matched(struct fw *fw, const struct fw_rts *rts, uint64_t match,
                        struct fw_req *recv)
{
    recv->bytes = fw_accept(fw, recv, match, rts->bytes);
    recv->peer = rts->source;
    recv->remote = rts->request;
    recv->address = rts->address;
    recv->claim_word = rts->claim_word;
    mpi_fw_far_note(fw, recv, rts);
    recv->offset = 0;
    fw_data_expect(recv, recv->bytes);
    if (recv->bytes) {
        begin(fw, recv);
    } else {
        mpi_fw_send_fin(fw, recv);
        mpi_fw_complete(fw, recv);
    }
}

/* -- names */

/* MPILITE_RNDV names a protocol for tests; it is taken where it can work. */
const struct fw_protocol *mpi_fw_protocol_by_name(const char *name)
{
    for (unsigned i = 0; name && i < FW_PROTOCOL_COUNT; i++)
        if (!strcmp(mpi_fw_protocols[i]->name, name))
            return mpi_fw_protocols[i];
    return NULL;
}

const char *mpi_fw_protocol_of(const struct fw_req *r)
{
    return r->protocol ? r->protocol->name : NULL;
}
