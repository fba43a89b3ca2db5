/* Who draws what a NIC does on the model clock. */
#include "model/tracer.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "model/forward.h"
#include "nicemu/trace.h"

int nic_trace(struct nic *n, void (*told)(void *context, const struct nic_trace_event *event),
              void *context)
{
    struct nic_model *m = n->model;
    if (!m)
        return -ENOSYS;
    m->tracer = (struct nic_tracer){ .event = told, .context = context };
    m->clock.tracer = told ? &m->tracer : NULL;
    nic_trace_host(m);
    return 0;
}

/* What a host does itself it may leave its call for, or a handler. */
void nic_trace_host(struct nic_model *m)
{
    m->tracer.processor = m->on_host ? (unsigned)NIC_TRACE_BESIDE : NIC_UNIT_PROCESSOR;
}

static unsigned handler_of(const struct nic_model *m, const struct nic_event *e)
{
    return m->on_host && !(m->forwards && nic_is_forwarding(e)) ? (unsigned)NIC_TRACE_HANDLERS
           : NIC_UNIT_PROCESSOR;
}

/* What ends beside the host's processor keeps off its handlers; the NIC's takes time for it. */
void nic_trace_begin(struct nic_model *m, const struct nic_event *e, bool off_processor)
{
    m->tracer.handler = off_processor ? (unsigned)NIC_TRACE_BESIDE : handler_of(m, e);
    m->tracer.processor = m->on_host ? m->tracer.handler : NIC_UNIT_PROCESSOR;
}

void nic_trace_handled(struct nic_model *m, const struct nic_event *e, uint64_t start)
{
    struct nic_trace_event t = { .kind = NIC_TRACE_EVENT, .what = e->kind,
                                 .unit = m->tracer.handler, .begin = start, .end = m->clock.now,
                                 .bytes = e->length, .source = e->key.source,
                                 .sequence = e->key.sequence };
    m->tracer.event(m->tracer.context, &t);
    nic_trace_host(m);
}

/* "COPY_BYTE" becomes "copy byte". */
static const char *in_words(const char *name, char *text, size_t room)
{
    size_t n = 0;
    for (; name[n] && n + 1 < room; n++)
        text[n] = name[n] == '_' ? ' ' : (char)tolower((unsigned char)name[n]);
    text[n] = '\0';
    return text;
}

const char *nic_trace_name(enum nic_trace_kind kind, unsigned what, char *text, size_t room)
{
    switch (kind) {
    case NIC_TRACE_WORK: return in_words(nic_cost_name((enum nic_cost)what), text, room);
    case NIC_TRACE_PACKET: return "packet";
    case NIC_TRACE_MOVE: return "data";
    case NIC_TRACE_EVENT: return in_words(nic_event_name(what), text, room);
    }
    return "?";
}
