/* See reliable/window.h.  tests/model/window.pml has the same states for spin. */
#include "reliable/window.h"

#include <stddef.h>

static uint32_t out(const struct nic_window *w) { return w->sent - w->oldest; }

void nic_window_init(struct nic_window *w, const struct nic_window_config *config, void **kept,
                     uint32_t first)
{
    *w = (struct nic_window){ .config = config, .kept = kept, .oldest = first, .again = first,
                              .sent = first, .next = first, .expected = first,
                              .wait = config->wait, .deadline = NIC_WINDOW_NEVER,
                              .ack_by = NIC_WINDOW_NEVER };
}

/* -- sending */

/* Nobody answers what has not left, nor is silent meanwhile. */
static void wait_from(struct nic_window *w, uint64_t now)
{
    uint64_t from = now > w->leaves ? now : w->leaves;
    w->deadline = from + w->wait;
    w->silent_since += from - now;
    if (w->silent_since > from)     /* counted before a NACK brought us back */
        w->silent_since = from;
}

bool nic_window_has_room(const struct nic_window *w)
{
    return w->next - w->oldest < w->config->frames;
}

void nic_window_add(struct nic_window *w, void *frame)
{
    w->kept[w->next++ % w->config->frames] = frame;
}

void *nic_window_pop(struct nic_window *w, uint64_t now, uint32_t *number)
{
    if (w->again == w->next)
        return NULL;
    if (!out(w))
        w->silent_since = now;
    if (w->deadline == NIC_WINDOW_NEVER)
        wait_from(w, now);
    *number = w->again++;
    if (w->again - w->oldest > out(w))
        w->sent = w->again;
    return w->kept[*number % w->config->frames];
}

/* It may have counted as sent: then an acknowledgment of it would be believed, which does no harm
 * to anybody but a peer that makes them up. */
void nic_window_unpop(struct nic_window *w) { w->again--; }

void nic_window_leaves(struct nic_window *w, uint64_t time)
{
    if (time <= w->leaves)
        return;
    w->leaves = time;
    if (w->deadline != NIC_WINDOW_NEVER && w->deadline < time + w->wait) {
        w->silent_since += time + w->wait - w->deadline;
        w->deadline = time + w->wait;
    }
}

static void go_back(struct nic_window *w)
{
    w->again = w->oldest;
    w->deadline = NIC_WINDOW_NEVER;
}

uint32_t nic_window_acked(struct nic_window *w, uint32_t number, bool nack, uint64_t now,
                          uint32_t *first)
{
    uint32_t gone = number - w->oldest;
    *first = w->oldest;
    if (gone > out(w))
        return 0;
    if (gone) {
        if (w->again - w->oldest < gone)
            w->again = number;
        w->oldest = number;
        w->wait = w->config->wait;
        w->silent_since = now;
        w->deadline = NIC_WINDOW_NEVER;
        if (w->again != number)
            wait_from(w, now);
        w->gone_back = false;
    }
    if (nack && (!w->gone_back || w->config->each) && out(w)) {
        w->gone_back = true;
        go_back(w);
    }
    return gone;
}

bool nic_window_tick(struct nic_window *w, uint64_t now)
{
    if (w->deadline > now)
        return true;
    /* Who looks late had no time itself, stopped or out of turn, and knows of no silence meanwhile:
     * an answer may be there that nobody has read. */
    w->silent_since += now - w->deadline;
    if (now - w->silent_since > w->config->give_up)
        return false;
    w->wait = w->wait < w->config->wait_most / 2 ? w->wait * 2 : w->config->wait_most;
    w->gone_back = false;
    go_back(w);
    return true;
}

/* -- receiving */

enum nic_window_verdict nic_window_arrived(struct nic_window *w, uint32_t number, uint64_t now)
{
    uint32_t ahead = number - w->expected;
    if (!ahead) {
        w->expected++;
        w->nacked = false;
        w->nack_now = false;
        if (!w->unanswered++)
            w->ack_by = now + w->config->ack_delay;
        w->ack_now |= w->unanswered >= w->config->ack_every;
        return NIC_WINDOW_NEXT;
    }
    if (ahead < w->config->frames) {
        w->nack_now |= !w->nacked;
        return NIC_WINDOW_GAP;
    }
    if (ahead < UINT32_C(1) << 31)
        return NIC_WINDOW_SENSELESS;
    w->ack_now = true;
    return NIC_WINDOW_OLD;
}

void nic_window_expect(struct nic_window *w, uint32_t number)
{
    w->expected = number;
    w->unanswered = 0;
    w->ack_by = NIC_WINDOW_NEVER;
    w->ack_now = w->nack_now = w->nacked = false;
}

void nic_window_refused(struct nic_window *w, uint32_t number)
{
    if (number == w->expected)
        w->nack_now |= !w->nacked || w->config->each;
}

uint32_t nic_window_answer_now(const struct nic_window *w, bool *nack)
{
    *nack = w->nack_now;
    return w->expected;
}

uint32_t nic_window_answered(struct nic_window *w, bool *nack)
{
    uint32_t number = nic_window_answer_now(w, nack);
    w->nacked |= w->nack_now;
    w->nack_now = w->ack_now = false;
    w->unanswered = 0;
    w->ack_by = NIC_WINDOW_NEVER;
    return number;
}

enum nic_window_answer nic_window_answer(const struct nic_window *w, uint64_t now)
{
    return w->nack_now ? NIC_WINDOW_NACK
           : w->ack_now || w->ack_by <= now ? NIC_WINDOW_ACK : NIC_WINDOW_NOTHING;
}

/* -- both */

uint64_t nic_window_due(const struct nic_window *w, uint64_t now)
{
    if (w->again != w->next || nic_window_answer(w, now) != NIC_WINDOW_NOTHING)
        return now;
    return w->ack_by < w->deadline ? w->ack_by : w->deadline;
}

bool nic_window_is_idle(const struct nic_window *w)
{
    return w->oldest == w->next && !w->unanswered && !w->ack_now && !w->nack_now;
}
