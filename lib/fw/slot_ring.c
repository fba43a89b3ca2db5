/* Rings of slots, model clock only: how messages travel on a NIC that has RDMA between scratchpads
 * and counters, but no engine for packets.  After Katsamani's thesis, 4.2: each pair of ranks has
 * a ring of slots per direction, whose slots at the sender belong to those at the receiver.  The
 * sender fills the slot at the tail and starts an RDMA write; a counter's notifications tell the
 * receiver that the slot is ready, and the sender that it has landed.  The receiver gives slots
 * back in order, by one store of the head into the sender's scratchpad for each message.
 * Everything the firmware sends goes that way; what a rank sends to itself needs no ring.
 *
 * Beyond the thesis, for programs that MPI allows: a message that no receive waits for stays in its
 * slot, but when no room would be left behind it the messages at the head are copied out, so that
 * whatever comes behind them gets through.  So at the end of each handler the sender may fill
 * `most` slots more, as many as any packet takes.
 *
 * The slots are accounted, and no more than that: the bytes of a message travel with the event that
 * says that it is ready. */
#define _GNU_SOURCE
#include "fw/slot_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fw/ahead.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/sendq.h"
#include "fw/stray.h"

/* A message in the ring of its source, at the receiver. */
struct fw_ring_slot {
    struct fw_ring_slot *next;      /* of the same source, in the order of the ring; free list */
    uint32_t source, slots;
    bool read;                      /* nobody needs it any more */
    size_t bytes;                   /* of data */
    struct fw_unexpected *message;     /* that lies here */
};

/* The rings of one other rank. */
struct peer {
    uint32_t tail;                  /* to that rank: slots ever filled */
    uint32_t head;                  /* slots that it gave back, as it last stored here */
    uint32_t arrived, returned;     /* from there: slots ever filled, given back, as we see it */
    struct fw_ring_slot *first, **last;     /* from there: not given back */
};

struct fw_slot_ring {
    uint32_t ranks;
    uint32_t capacity, most;        /* slots that may be full; that a message takes at most */
    uint32_t slot_bytes, header, control;
    bool landed;                    /* a send returns when its data have landed, not when copied */
    bool get;                       /* the RTS names the sender's buffer */
    struct fw_ring_slot *free, *arriving;
    size_t eager;                   /* bytes of the eager message being handled, until copied */
    struct peer peer[];
};

/* -- what a packet is in the protocol modelled.  Ours: bytes of our own head, which that protocol
 * does not have.  Control: it carries an address or the like behind the header. */

static const struct { uint8_t ours; bool control; } kinds[FW_PACKET_COUNT] = {
    [FW_PACKET_SYNC] = { sizeof(struct fw_origin), true },
    [FW_PACKET_RTS] = { sizeof(struct fw_rts), false },
    [FW_PACKET_CTS] = { sizeof(struct fw_cts), true },
    [FW_PACKET_DATA] = { sizeof(struct fw_data), true },
    [FW_PACKET_DONE] = { 2 * sizeof(uint64_t), true },
    [FW_PACKET_FIN] = { sizeof(uint64_t), false },
    [FW_PACKET_STEP] = { offsetof(struct fw_step_packet, data), false },
    [FW_PACKET_REFUSED] = { offsetof(struct fw_step_packet, data), false },
    [FW_PACKET_AGAIN] = { sizeof(struct fw_again), false },
    [FW_PACKET_WITHDRAW] = { sizeof(struct fw_origin), true },
    [FW_PACKET_WITHDRAWN] = { sizeof(uint64_t), true },
};

static bool travels_in_slot(unsigned type)
{
    return type != FW_PACKET_NONE && type < FW_PACKET_COUNT && type != FW_PACKET_SLOT
           && type != FW_PACKET_HEAD && type != FW_PACKET_NOTICE;
}

struct size { uint32_t data, payload, slots; };

static struct size size_of(const struct fw_slot_ring *r, unsigned type, uint32_t length)
{
    bool control = kinds[type].control || (type == FW_PACKET_RTS && r->get);
    uint32_t room = r->slot_bytes - r->header;
    struct size s = { .data = length > kinds[type].ours ? length - kinds[type].ours : 0 };
    s.payload = s.data + (control ? r->control : 0);
    s.slots = s.payload > room ? (s.payload + room - 1) / room : 1;
    return s;
}

/* A message longer than the ring passes through it, slot after slot: it takes all that any may. */
static uint32_t slots_held(const struct fw_slot_ring *r, const struct size *s)
{
    return s->slots < r->most ? s->slots : r->most;
}

/* -- sender */

/* Copied into its slot, and handed to the NIC: one write per slot. */
static void fill(struct fw *fw, uint32_t peer, const struct nic_tx *m, const struct size *s,
                 struct fw_req *landing)
{
    struct fw_slot_ring *r = fw->slot_ring;
    const struct nic_command end = { .op = FW_COMMAND_LANDED, .object = landing };
    struct nic_tx slot = *m;
    slot.flags = m->type;
    slot.type = FW_PACKET_SLOT;
    if (peer != fw->rank) {
        nic_copied(fw->nic, s->data);
        r->peer[peer].tail += slots_held(r, s);
    }
    const struct nic_transfer_mode c = { .bytes = (uint64_t)s->slots * r->header + s->payload,
                                    .piece = r->slot_bytes, .landed = landing ? &end : NULL };
    nic_put_notify(fw->nic, peer, &slot, &c);
}

/* A synchronous send hears of the end by its acknowledgment. */
static bool send_message(struct fw *fw, uint32_t peer, const struct nic_tx *m,
                         struct fw_req *carries)
{
    struct fw_slot_ring *r = fw->slot_ring;
    struct peer *p = &r->peer[peer];
    struct size s = size_of(r, m->type, m->head_bytes + m->data_bytes);
    bool wait = carries && r->landed && (!carries->sync || carries->served);
    if (peer != fw->rank && p->tail - p->head + slots_held(r, &s) > r->capacity)
        return false;
    fill(fw, peer, m, &s, wait ? carries : NULL);
    if (carries && !wait)
        mpi_fw_message_left(fw, carries);
    return true;
}

/* The peer has stored its head here. */
void mpi_fw_slot_ring_head_arrived(struct fw *fw, const struct nic_packet *packet)
{
    if (!fw->slot_ring) {
        fw_stray_packet(fw);
        return;
    }
    struct peer *p = &fw->slot_ring->peer[nic_packet_source(fw->nic)];
    if ((uint32_t)packet->match - p->head > p->tail - p->head)      /* more than was filled */
        fw_stray_packet(fw);
    else
        p->head = (uint32_t)packet->match;
}

/* The notification to the side that owns the counter. */
static void landed(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind == FW_SEND)
        mpi_fw_message_left(fw, r);
    else
        mpi_fw_complete(fw, r);
}

/* -- receiver */

static struct fw_ring_slot *slot_new(struct fw_slot_ring *r, uint32_t source, const struct size *s)
{
    struct fw_ring_slot *slot = r->free;
    struct peer *p = &r->peer[source];
    if (slot)
        r->free = slot->next;
    else if (!(slot = malloc(sizeof *slot)))
        abort();        /* as in sendq.c */
    *slot = (struct fw_ring_slot){ .source = source, .slots = slots_held(r, s), .read = true,
                                   .bytes = s->data };
    *p->last = slot;
    p->last = &slot->next;
    p->arrived += slot->slots;
    return slot;
}

static void move_head(struct fw_slot_ring *r, struct peer *p)
{
    while (p->first && p->first->read) {
        struct fw_ring_slot *slot = p->first;
        p->returned += slot->slots;
        if (!(p->first = slot->next))
            p->last = &p->first;
        slot->next = r->free;
        r->free = slot;
    }
}

/* The message goes on without its slot. */
static void move_out(struct fw *fw, struct fw_ring_slot *slot)
{
    nic_copied(fw->nic, slot->bytes);
    slot->message->unread = NULL;
    slot->read = true;
    FW_COUNT(fw, slots_emptied, 1);
}

static void store_head(struct fw *fw, uint32_t source, uint32_t returned)
{
    const struct nic_tx head = { .type = FW_PACKET_HEAD, .match = returned };
    nic_store_notify(fw->nic, source, &head);
}

/* Gives back what has been read, and as much more as the sender may need. */
static void give_back(struct fw *fw, uint32_t source)
{
    struct fw_slot_ring *r = fw->slot_ring;
    struct peer *p = &r->peer[source];
    uint32_t before = p->returned;
    for (move_head(r, p); p->arrived - p->returned + r->most > r->capacity; move_head(r, p))
        move_out(fw, p->first);
    if (p->returned != before)
        store_head(fw, source, p->returned);
}

/* Data of other packets than eager ones are copied where they belong at once. */
static void open_packet(struct fw *fw, const struct nic_packet *p, uint32_t source,
                        const struct size *s)
{
    struct fw_slot_ring *r = fw->slot_ring;
    r->arriving = source == fw->rank ? NULL : slot_new(r, source, s);
    bool eager = p->type == FW_PACKET_EAGER || p->type == FW_PACKET_SYNC || fw_is_counted(p->type);
    r->eager = eager ? s->data : 0;
    if (!r->eager && source != fw->rank)
        nic_copied(fw->nic, s->data);
    fw->packet(fw, p);
    r->arriving = NULL;
    r->eager = 0;
    if (source != fw->rank)
        give_back(fw, source);
}

void mpi_fw_slot_arrived(struct fw *fw, const struct nic_packet *slot)
{
    uint32_t source = nic_packet_source(fw->nic);
    struct nic_packet p = *slot;
    p.type = slot->flags;
    p.flags = 0;
    if (!fw->slot_ring || !travels_in_slot(p.type)) {
        fw_stray_packet(fw);
        return;
    }
    struct size s = size_of(fw->slot_ring, p.type, p.length);
    open_packet(fw, &p, source, &s);
}

/* An eager message of the ring is copied to the receive. */
static void matched(struct fw *fw, const struct fw_req *recv)
{
    size_t eager = fw->slot_ring->eager;
    nic_copied(fw->nic, eager < recv->bytes ? eager : recv->bytes);
}

/* What a rank sends to itself has no slot to stay in. */
static void keep(struct fw *fw, struct fw_unexpected *m)
{
    struct fw_slot_ring *r = fw->slot_ring;
    m->unread = r->arriving;
    if (m->unread) {
        m->unread->message = m;
        m->unread->read = false;
    } else {
        nic_copied(fw->nic, r->eager);
    }
}

/* Slots of the source whose packet is being handled are given back at the end of the handler. */
static void read_message(struct fw *fw, struct fw_unexpected *m)
{
    struct fw_ring_slot *slot = m->unread;
    const struct fw_ring_slot *arriving = fw->slot_ring->arriving;
    m->unread = NULL;
    slot->read = true;
    if (!arriving || arriving->source != slot->source)
        give_back(fw, slot->source);
}

/* -- rendezvous: the bytes go from buffer to buffer, and the counter's remote notification, in the
 * ring's next slot, is the FIN.  A counter has 24 bits. */

enum { PIECE = 4 * 1024 * 1024 };

static const uint64_t no_error = FW_OK;

static struct nic_tx notice_of(const struct fw_req *r)
{
    return (struct nic_tx){ .type = FW_PACKET_NOTICE, .match = r->remote, .head = &no_error,
                            .head_bytes = sizeof no_error };
}

static void copy_failed(struct fw *fw, struct fw_req *r)
{
    r->error = FW_COPY_FAILED;
    r->count = 0;
    mpi_fw_send_fin(fw, r);
    landed(fw, r);
}

static void put(struct fw *fw, struct fw_req *send)
{
    const struct nic_command end = { .op = FW_COMMAND_LANDED, .object = send };
    const struct nic_tx notice = notice_of(send);
    const struct nic_transfer_mode c = { .bytes = send->bytes, .piece = PIECE, .landed = &end,
                                         .from = send->buffer, .remote = send->address,
                                         .data_bytes = send->bytes };
    if (nic_put_notify(fw->nic, send->peer, &notice, &c))
        copy_failed(fw, send);
}

/* From oneself it is a plain copy. */
static void get(struct fw *fw, struct fw_req *recv)
{
    const struct nic_command end = { .op = FW_COMMAND_LANDED, .object = recv };
    const struct nic_tx notice = notice_of(recv);
    const struct nic_transfer_mode c = { .bytes = recv->bytes, .piece = PIECE, .landed = &end,
                                         .to = recv->buffer, .remote = recv->address,
                                         .data_bytes = recv->bytes };
    if (recv->peer == fw->rank)
        nic_copied(fw->nic, recv->bytes);
    if (nic_get_notify(fw->nic, recv->peer, &notice, &c))
        copy_failed(fw, recv);
}

/* -- life */

/* Own lines of the scratchpad: a counter, a command buffer, the word polled. */
enum { ALIGN = 32, WORD_BYTES = 4, OWN_LINES = 3 };

static uint64_t slots_bytes(const struct nic_profile *p, uint64_t ranks)
{
    return 2 * p->scratchpad.slot_bytes * p->scratchpad.slots * (ranks - 1);
}

static uint64_t words_bytes(uint64_t ranks)
{
    uint64_t heads = ((ranks - 1) * WORD_BYTES + ALIGN - 1) / ALIGN * ALIGN;
    return (uint64_t)OWN_LINES * ALIGN + heads;
}

/* Rings in both directions, and what 4.3.1 lists besides; nothing is ever stored there. */
static bool take_scratchpad(struct fw *fw, uint64_t ranks)
{
    struct nic *nic = fw->nic;
    uint64_t slots = slots_bytes(fw->profile, ranks), words = words_bytes(ranks);
    return nic_spad_alloc(nic, NIC_SPAD_BUFFERS, slots, ALIGN) != NIC_SPAD_NONE
           && nic_spad_alloc(nic, NIC_SPAD_COUNTERS, words, ALIGN) != NIC_SPAD_NONE;
}

static int exhausted(struct fw *fw, uint64_t ranks)
{
    const char *format = "the rings of %llu ranks take %llu bytes of scratchpad and there are %zu "
                         "(set scratchpad.bytes to more, scratchpad.slots or scratchpad.slot_bytes "
                         "to less, or protocol.eager to packet)";
    unsigned long long bytes = slots_bytes(fw->profile, ranks) + words_bytes(ranks);
    if (asprintf(&fw->why, format, (unsigned long long)ranks, bytes, nic_spad_size(fw->nic)) < 0)
        fw->why = NULL;
    return -ENOSPC;
}

/* An eager message that asks for an acknowledgment is the longest packet but for staged chunks. */
static void set_limits(struct fw *fw)
{
    const struct nic_profile *p = fw->profile;
    struct fw_slot_ring *r = fw->slot_ring;
    r->slot_bytes = (uint32_t)p->scratchpad.slot_bytes;
    r->header = (uint32_t)p->protocol.header;
    r->control = (uint32_t)p->protocol.control;
    r->capacity = (uint32_t)p->scratchpad.slots - 1;
    r->landed = p->protocol.send_returns == NIC_SEND_LANDED;
    r->get = p->protocol.rendezvous == NIC_RENDEZVOUS_GET;
    uint32_t longest = (uint32_t)(fw->eager_max + sizeof(struct fw_origin));
    r->most = size_of(r, FW_PACKET_SYNC, longest).slots;
    if (r->most > r->capacity)
        r->most = r->capacity;
}

static void free_slots(struct fw_ring_slot *s)
{
    for (struct fw_ring_slot *next; s; s = next) {
        next = s->next;
        free(s);
    }
}

static void delete(struct fw *fw)
{
    struct fw_slot_ring *r = fw->slot_ring;
    fw->carrier = NULL;
    fw->slot_ring = NULL;
    for (uint32_t i = 0; i < r->ranks; i++)
        free_slots(r->peer[i].first);
    free_slots(r->free);
    free(r);
}

static const struct fw_carrier slot_ring = {
    .send = send_message, .put = put, .get = get, .matched = matched, .keep = keep,
    .read = read_message, .landed = landed, .delete = delete,
};

int mpi_fw_slot_ring_attach(struct fw *fw)
{
    uint64_t ranks = nic_ranks(fw->nic);
    struct fw_slot_ring *r;
    if (!fw->modelled || fw->profile->protocol.eager != NIC_EAGER_RING)
        return 0;
    if (!(fw->slot_ring = calloc(1, sizeof *r + ranks * sizeof *r->peer)))
        return -ENOMEM;
    fw->carrier = &slot_ring;
    r = fw->slot_ring;
    r->ranks = (uint32_t)ranks;
    for (uint64_t i = 0; i < ranks; i++)
        r->peer[i].last = &r->peer[i].first;
    set_limits(fw);
    return ranks == 1 || take_scratchpad(fw, ranks) ? 0 : exhausted(fw, ranks);
}
