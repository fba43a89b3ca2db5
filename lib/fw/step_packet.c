/* The packets of schedules' steps.  One that comes before its schedule is kept; when there are too
 * many it goes back to its sender, who keeps it until he is asked. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fw/sendq.h"
#include "fw/step_packet.h"
#include "fw/stray.h"

/* A packet that waits: at the receiver for its schedule, or at the sender to be asked for again. */
struct fw_kept {
    struct fw_kept *next;
    uint32_t peer;
    uint64_t match;
    struct fw_step_packet packet;
};

enum { HEAD_BYTES = offsetof(struct fw_step_packet, data) };

static struct fw_kept *kept(uint32_t peer, uint64_t match, const struct fw_step_packet *packet)
{
    struct fw_kept *k = malloc(sizeof *k);
    if (!k)
        abort();            /* as in sendq.c: there is no way on without it */
    *k = (struct fw_kept){ .peer = peer, .match = match, .packet = *packet };
    return k;
}

static void post(struct fw *fw, uint32_t peer, enum fw_packet type, uint64_t match,
                 const struct fw_step_packet *packet)
{
    struct fw_step_packet own = *packet;
    own.source = fw->rank;
    struct nic_tx m = { .type = (uint8_t)type, .match = match, .data = &own,
                        .data_bytes = HEAD_BYTES + (uint32_t)own.bytes };
    mpi_fw_post(fw, peer, &m, true, NULL);
}

void mpi_fw_send_step(struct fw *fw, uint32_t peer, uint64_t match,
                      const struct fw_step_packet *packet)
{
    post(fw, peer, FW_PACKET_STEP, match, packet);
}

/* False: not what a peer of ours would send. */
static bool read_packet(const struct fw *fw, const struct nic_packet *p,
                        struct fw_step_packet *packet)
{
    if (p->length < HEAD_BYTES || p->length > sizeof *packet || p->head_bytes != p->length)
        return false;
    memcpy(packet, p->head, p->length);
    return packet->source < nic_ranks(fw->nic) && packet->bytes == p->length - HEAD_BYTES;
}

/* -- receiver.  `refusing` has a bit per rank of which a packet was refused, and not asked for
 * since. */

static bool refuse(struct fw *fw, uint64_t match, const struct fw_step_packet *packet)
{
    if (!fw->refusing)
        fw->refusing = calloc((nic_ranks(fw->nic) + 63) / 64, sizeof *fw->refusing);
    if (!fw->refusing)
        return false;       /* then it is kept, past the bound */
    uint64_t *word = &fw->refusing[packet->source / 64];
    uint64_t bit = UINT64_C(1) << packet->source % 64;
    fw->refused_ranks += !(*word & bit);
    *word |= bit;
    FW_COUNT(fw, steps_refused, 1);
    post(fw, packet->source, FW_PACKET_REFUSED, match, packet);
    return true;
}

void mpi_fw_step_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_step_packet packet;
    if (!read_packet(fw, p, &packet)) {
        fw_stray_packet(fw);
        return;
    }
    if (fw->take_step(fw, p->match, &packet))
        return;
    if (fw->steps_kept >= fw->steps_kept_limit && refuse(fw, p->match, &packet))
        return;
    struct fw_kept *k = kept(packet.source, p->match, &packet);
    k->next = fw->early_steps;
    fw->early_steps = k;
    FW_HIGH_WATER(fw, steps_kept, ++fw->steps_kept);
}

void mpi_fw_ask_again(struct fw *fw, uint32_t source)
{
    uint64_t bit = UINT64_C(1) << source % 64;
    if (!fw->refused_ranks || !(fw->refusing[source / 64] & bit))
        return;
    fw->refusing[source / 64] &= ~bit;
    fw->refused_ranks--;
    mpi_fw_post_control(fw, source, FW_PACKET_AGAIN, fw->rank, NULL, 0);
}

/* There is room again: whoever was refused may try once more. */
static void ask_all(struct fw *fw)
{
    for (uint32_t r = 0; fw->refused_ranks && r < nic_ranks(fw->nic); r++)
        mpi_fw_ask_again(fw, r);
}

void mpi_fw_claim_steps(struct fw *fw, struct fw_sched *s, fw_take_step *take)
{
    for (struct fw_kept **at = &fw->early_steps; *at;) {
        struct fw_kept *k = *at;
        if (!take(s, k->match, &k->packet)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        free(k);
        fw->steps_kept--;
    }
    if (fw->refused_ranks && fw->steps_kept < fw->steps_kept_limit / 2)
        ask_all(fw);
}

/* Packets that came early, and wait for their schedule. */
bool mpi_fw_step_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found,
                        size_t *bytes)
{
    for (const struct fw_kept *k = fw->early_steps; k; k = k->next) {
        if (fw_is_unlike(look, k->match)) {
            *found = k->match;
            *bytes = k->packet.bytes;
            return true;
        }
    }
    return false;
}

/* -- sender.  What was refused goes again in the order in which it was sent first: the peer keeps
 * the first that come, which are those that it calls for first. */

static void append_refused(struct fw *fw, struct fw_kept *k)
{
    struct fw_kept **end = fw->refused ? &fw->refused_last->next : &fw->refused;
    k->next = NULL;
    *end = fw->refused_last = k;
}

void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_step_packet packet;
    if (read_packet(fw, p, &packet))
        append_refused(fw, kept(packet.source, p->match, &packet));
    else
        fw_stray_packet(fw);
}

/* The peer that p->match names asks for what it refused. */
void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_kept *again = fw->refused, *next;
    fw->refused = NULL;
    if (p->match >= nic_ranks(fw->nic))
        fw_stray_packet(fw);
    for (; again; again = next) {
        next = again->next;
        if (again->peer != p->match) {
            append_refused(fw, again);
            continue;
        }
        mpi_fw_send_step(fw, again->peer, again->match, &again->packet);
        free(again);
    }
}

void mpi_fw_steps_delete(struct fw *fw)
{
    struct fw_kept *lists[] = { fw->early_steps, fw->refused };
    for (unsigned i = 0; i < 2; i++)
        for (struct fw_kept *k = lists[i], *next; k; k = next) {
            next = k->next;
            free(k);
        }
    free(fw->refusing);
}
