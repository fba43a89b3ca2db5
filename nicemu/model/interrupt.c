/* Interrupts: each packet, or what asks the host to serve a peer (Buntinas, chapters 5 and 6).
 *
 * A handler that is interrupted for one packet handles all that have come, as a signal handler does
 * that calls the progress engine.  Packets that interrupt nobody wait meanwhile.  They count as
 * events of the time at which the computation ends or is interrupted: nothing is sent because of
 * them before, which is what this rank has promised. */
#include "model/interrupt.h"

#include "remote/packets.h"

bool nic_model_is_for_host(const struct nic_event *e)
{
    enum { STORED = NIC_PACKET_CARRIED | NIC_PACKET_STORED };
    return e->kind == NIC_EVENT_FORWARD_END
           || (e->kind == NIC_EVENT_PACKET && (e->flags & STORED) != STORED);
}

static bool asks_for_service(const struct nic_event *e)
{
    return e->kind == NIC_EVENT_PACKET && nic_hw_is_request(e->type);
}

/* A signal is for who has something to pass on: the rest can wait until its host calls (6.2.3). */
static bool is_urgent(const struct nic_event *e)
{
    return asks_for_service(e) && e->type != NIC_HW_MULTI_LAST;
}

bool nic_model_is_interrupted(const struct nic_model *m, const struct nic_event *e)
{
    switch ((enum nic_completion_kind)m->interrupts) {
    case NIC_COMPLETION_INTERRUPT: return nic_model_is_for_host(e);
    case NIC_COMPLETION_BLOCKING: return asks_for_service(e);
    case NIC_COMPLETION_SIGNAL: return is_urgent(e) && m->computing;
    default: return false;
    }
}

/* -- packets that wait */

bool nic_model_defer(struct nic_model *m, struct nic_event *e)
{
    if (!nic_model_is_for_host(e) || nic_model_is_interrupted(m, e))
        return false;
    if (!m->deferred)
        m->deferred_end = &m->deferred;
    e->next = NULL;
    *m->deferred_end = e;
    m->deferred_end = &e->next;
    return true;
}

struct nic_event *nic_model_take_deferred(struct nic_model *m, uint64_t time)
{
    struct nic_event *e = m->deferred;
    if (!e)
        return NULL;
    m->deferred = e->next;
    e->next = NULL;
    if (m->explain)
        nic_explain_waited(m->explain, e->way, time);
    e->key.time = time;
    return e;
}
