/* Step packets that were refused, and those behind them; see steps_back.h. */
#include <stdlib.h>
#include <string.h>

#include "fw/steps_back.h"
#include "fw/stray.h"

struct list { struct fw_kept *first, **end; };      /* end: NULL where it is empty */

/* A packet that the peer waits for, and which has not been sent yet. */
struct want {
    struct want *next;
    uint64_t match;
    uint16_t round;
};

/* Of one peer.  In the order in which they are called for: what it asked for last and had no room
 * for; what it refused before; what was not sent because of these. */
struct fw_steps_back {
    struct list again, refused, unsent;
    struct want *wanted;
    bool told;                  /* that packets wait here: whoever says that it has refused some may
                                 * be another one */
};

/* -- lists */

static void append(struct fw *fw, struct list *l, struct fw_kept *k)
{
    *(l->first ? l->end : &l->first) = k;
    l->end = &k->next;
    fw->steps_back++;
}

static void again_come_first(struct fw_steps_back *b)
{
    if (!b->again.first)
        return;
    *b->again.end = b->refused.first;
    if (!b->refused.first)
        b->refused.end = b->again.end;
    b->refused.first = b->again.first;
    b->again.first = NULL;
}

static struct fw_kept *unlink_at(struct fw *fw, struct list *l, struct fw_kept **at)
{
    struct fw_kept *k = *at;
    *at = k->next;
    if (!k->next)
        l->end = at;
    fw->steps_back--;
    return k;
}

static struct fw_kept *find(struct fw *fw, struct list *l, const struct fw_again *again)
{
    for (struct fw_kept **at = &l->first; *at; at = &(*at)->next)
        if ((*at)->match == again->match && (*at)->packet.round == again->round)
            return unlink_at(fw, l, at);
    return NULL;
}

static struct fw_kept *first_of(struct fw *fw, struct fw_steps_back *b)
{
    struct list *l = b->refused.first ? &b->refused : &b->unsent;
    return l->first ? unlink_at(fw, l, &l->first) : NULL;
}

static bool is_empty(const struct fw_steps_back *b)
{
    return !b->again.first && !b->refused.first && !b->unsent.first;
}

/* -- of each peer */

static void *need(void *memory)
{
    if (!memory)
        abort();            /* as in sendq.c: there is no way on without it */
    return memory;
}

static struct fw_steps_back *back_of(struct fw *fw, uint32_t peer)
{
    if (!fw->back) {
        fw->back_ranks = nic_ranks(fw->nic);
        fw->back = need(calloc(fw->back_ranks, sizeof(struct fw_steps_back *)));
    }
    if (!fw->back[peer])
        fw->back[peer] = need(calloc(1, sizeof *fw->back[peer]));
    return fw->back[peer];
}

static void remember(struct fw_steps_back *b, const struct fw_again *again)
{
    struct want *w = need(malloc(sizeof *w));
    *w = (struct want){ .next = b->wanted, .match = again->match, .round = again->round };
    b->wanted = w;
}

static bool is_wanted(struct fw_steps_back *b, uint64_t match, uint16_t round)
{
    for (struct want **at = &b->wanted; *at; at = &(*at)->next) {
        struct want *w = *at;
        if (w->match != match || w->round != round)
            continue;
        *at = w->next;
        free(w);
        return true;
    }
    return false;
}

/* -- sending */

static struct fw_steps_back *found_back(const struct fw *fw, uint32_t peer)
{
    return __builtin_expect(fw->back != NULL, 0) ? fw->back[peer] : NULL;
}

bool mpi_fw_step_waits(const struct fw *fw, uint32_t peer)
{
    const struct fw_steps_back *b = found_back(fw, peer);
    return b && (b->wanted || !is_empty(b));
}

static void send_behind(struct fw *fw, uint32_t peer, uint64_t match,
                        const struct fw_step_packet *packet)
{
    struct fw_steps_back *b = fw->back[peer];
    struct fw_step_packet own = *packet;
    if (b->told) {
        append(fw, &b->unsent, mpi_fw_step_kept(match, packet));
        return;
    }
    b->told = true;
    own.flags = FW_STEP_MORE;
    mpi_fw_step_post(fw, peer, FW_PACKET_STEP, match, &own);
}

void mpi_fw_send_step(struct fw *fw, uint32_t peer, uint64_t match,
                      const struct fw_step_packet *packet)
{
    struct fw_steps_back *b = found_back(fw, peer);
    if (__builtin_expect(!b, 1) || is_wanted(b, match, packet->round) || is_empty(b))
        mpi_fw_step_post(fw, peer, FW_PACKET_STEP, match, packet);
    else
        send_behind(fw, peer, match, packet);
}

void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_step_packet packet;
    if (!mpi_fw_step_read(fw, p, &packet)) {
        fw_stray_packet(fw);
        return;
    }
    struct fw_steps_back *b = back_of(fw, packet.source);
    struct list *l = packet.flags & FW_STEP_ANSWER ? &b->again : &b->refused;
    packet.flags = 0;
    append(fw, l, mpi_fw_step_kept(p->match, &packet));
}

/* -- when it asks: what it names, and so many others */

static struct fw_kept *find_wanted(struct fw *fw, struct fw_steps_back *b,
                                   const struct fw_again *again)
{
    struct fw_kept *k = find(fw, &b->refused, again);
    if (!k)
        k = find(fw, &b->unsent, again);
    if (!k)
        remember(b, again);             /* it goes when it comes, past all others */
    return k;
}

static struct fw_kept *next_of(struct fw *fw, struct fw_steps_back *b, uint32_t *grant)
{
    return *grant && (*grant)-- ? first_of(fw, b) : NULL;
}

/* k: NULL where there is nothing to send, which is said too. */
static void send_answer(struct fw *fw, uint32_t peer, struct fw_kept *k, uint8_t flags)
{
    struct fw_step_packet packet = { .flags = FW_STEP_NOTHING };
    if (k)
        packet = k->packet;
    packet.flags |= FW_STEP_ANSWER | flags;
    mpi_fw_step_post(fw, peer, FW_PACKET_STEP, k ? k->match : 0, &packet);
    free(k);
}

static void answer(struct fw *fw, uint32_t peer, const struct fw_again *again)
{
    struct fw_steps_back *b = back_of(fw, peer);
    uint32_t grant = again->grant;
    again_come_first(b);
    struct fw_kept *k = again->wanted ? find_wanted(fw, b, again) : NULL, *next;
    if (!k)
        k = next_of(fw, b, &grant);
    for (; (next = next_of(fw, b, &grant)); k = next)
        send_answer(fw, peer, k, 0);
    b->told = !is_empty(b);
    send_answer(fw, peer, k, FW_STEP_LAST | (b->told ? FW_STEP_MORE : 0));
}

void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_again again;
    if (p->match >= nic_ranks(fw->nic) || p->head_bytes != sizeof again) {
        fw_stray_packet(fw);
        return;
    }
    memcpy(&again, p->head, sizeof again);
    answer(fw, (uint32_t)p->match, &again);
}

/* -- the end */

bool mpi_fw_steps_back_lose(struct fw *fw)
{
    const uint64_t before = fw->steps_back;
    for (uint32_t r = 0; before && r < fw->back_ranks; r++) {
        struct fw_steps_back *b = fw->back[r];
        if (!b || is_empty(b) || !nic_lost(fw->nic, r))
            continue;
        again_come_first(b);
        for (struct fw_kept *k; (k = first_of(fw, b));)
            free(k);
    }
    return fw->steps_back != before;
}

static void free_back(struct fw_steps_back *b)
{
    if (!b)
        return;
    mpi_fw_steps_free(b->again.first);
    mpi_fw_steps_free(b->refused.first);
    mpi_fw_steps_free(b->unsent.first);
    for (struct want *next; b->wanted; b->wanted = next) {
        next = b->wanted->next;
        free(b->wanted);
    }
    free(b);
}

void mpi_fw_steps_back_delete(struct fw *fw)
{
    for (uint32_t r = 0; r < fw->back_ranks; r++)
        free_back(fw->back[r]);
    free(fw->back);
}
