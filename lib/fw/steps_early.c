/* Step packets that come before their schedule; see steps_early.h. */
#include <stdlib.h>

#include "fw/sendq.h"
#include "fw/steps_early.h"
#include "fw/stray.h"

/* What this rank knows of each other one, in fw->holders. */
enum {
    HOLDS = 1,          /* it has packets for us that we have refused, or that are behind those */
    ASKED = 2,          /* and has been asked for them; the last packet of its answer comes */
    SINCE = 4,          /* refused since then: the answer does not know of it */
};

/* -- asking */

/* So many more may come from one of those who hold some. */
static uint32_t room_for_each(const struct fw *fw)
{
    uint32_t room = fw->steps_kept_limit - fw->steps_kept;
    if (fw->steps_kept >= fw->steps_kept_limit / 2)
        return 0;
    return room / 2 > fw->holder_count ? room / 2 / fw->holder_count : 1;
}

static void ask(struct fw *fw, uint32_t source)
{
    struct fw_again again = { .match = 0 };
    if (!(fw->holders[source] & HOLDS) || fw->holders[source] & ASKED)
        return;
    again.wanted = fw->want_step(fw, source, &again.match, &again.round);
    again.grant = (uint16_t)room_for_each(fw);
    if (!again.wanted && !again.grant)
        return;
    fw->holders[source] = HOLDS | ASKED;
    mpi_fw_post_control(fw, source, FW_PACKET_AGAIN, fw->rank, &again, sizeof again);
}

void mpi_fw_ask_again(struct fw *fw, uint32_t source)
{
    if (fw->holder_count)
        ask(fw, source);
}

static void ask_all(struct fw *fw)
{
    uint32_t left = fw->holder_count;
    for (uint32_t r = 0; left && r < nic_ranks(fw->nic); r++)
        if (fw->holders[r]) {
            ask(fw, r);
            left--;
        }
}

static bool know_holders(struct fw *fw)
{
    if (!fw->holders)
        fw->holders = calloc(nic_ranks(fw->nic), sizeof *fw->holders);
    return fw->holders != NULL;
}

static void set_holds(struct fw *fw, uint32_t source, uint8_t since)
{
    fw->holder_count += !fw->holders[source];
    fw->holders[source] |= HOLDS | since;
}

/* The last packet of an answer has come, or one that says that others wait. */
static void told(struct fw *fw, uint32_t source, uint8_t flags)
{
    if (!know_holders(fw))
        return;
    if (flags & FW_STEP_LAST && fw->holders[source] & ASKED && !(fw->holders[source] & SINCE)) {
        fw->holders[source] = 0;
        fw->holder_count--;
    }
    if (flags & FW_STEP_LAST)
        fw->holders[source] &= HOLDS;
    if (flags & FW_STEP_MORE)
        set_holds(fw, source, 0);
    ask(fw, source);
}

/* -- what comes */

static bool refuse(struct fw *fw, uint64_t match, const struct fw_step_packet *packet)
{
    if (!know_holders(fw))
        return false;       /* then it is kept, past the bound */
    set_holds(fw, packet->source, SINCE);
    FW_COUNT(fw, steps_refused, 1);
    mpi_fw_step_post(fw, packet->source, FW_PACKET_REFUSED, match, packet);
    return true;
}

static void keep(struct fw *fw, uint64_t match, const struct fw_step_packet *packet)
{
    struct fw_kept *k = mpi_fw_step_kept(match, packet);
    k->next = fw->early_steps;
    fw->early_steps = k;
    FW_HIGH_WATER(fw, steps_kept, ++fw->steps_kept);
}

static void take(struct fw *fw, uint64_t match, const struct fw_step_packet *packet)
{
    if (fw->take_step(fw, match, packet))
        return;
    if (fw->steps_kept < fw->steps_kept_limit || !refuse(fw, match, packet))
        keep(fw, match, packet);
}

void mpi_fw_step_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_step_packet packet;
    if (!mpi_fw_step_read(fw, p, &packet)) {
        fw_stray_packet(fw);
        return;
    }
    const uint8_t flags = packet.flags;
    packet.flags &= FW_STEP_ANSWER;
    if (!(flags & FW_STEP_NOTHING))
        take(fw, p->match, &packet);
    if (flags & (FW_STEP_LAST | FW_STEP_MORE))
        told(fw, packet.source, flags);
}

void mpi_fw_claim_steps(struct fw *fw, struct fw_sched *s, fw_take_step *take_step)
{
    for (struct fw_kept **at = &fw->early_steps; *at;) {
        struct fw_kept *k = *at;
        if (!take_step(s, k->match, &k->packet)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        free(k);
        fw->steps_kept--;
    }
    if (fw->holder_count && room_for_each(fw))
        ask_all(fw);
}

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

void mpi_fw_steps_early_delete(struct fw *fw)
{
    mpi_fw_steps_free(fw->early_steps);
    free(fw->holders);
}
