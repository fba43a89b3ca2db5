/* Memory to receive in: a few large buffers, each of which the provider fills with frames until the
 * next one might not fit, and then gives up.  It is posted again when its last frame has been
 * read. */
#include "ofi/receive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofi/endpoint.h"
#include "ofi/read.h"
#include "ofi/send.h"
#include "ofi/sleep.h"

enum { EVENTS = 32 };

static void post(struct nic_wire *w, struct ofi_buffer *b)
{
    struct iovec v = { b->data, OFI_BUFFER_BYTES };
    void *descriptor = w->region ? fi_mr_desc(w->region) : NULL;
    struct fi_msg m = { .msg_iov = &v, .desc = &descriptor, .iov_count = 1,
                        .addr = FI_ADDR_UNSPEC, .context = &b->op.context };
    b->posted = !fi_recvmsg(w->endpoint, &m, FI_MULTI_RECV);
}

/* Those that the provider had no room for. */
static void post_more(struct nic_wire *w)
{
    for (unsigned i = 0; i < OFI_BUFFERS; i++)
        if (!w->buffer[i].posted)
            post(w, &w->buffer[i]);
}

int ofi_buffers_open(struct nic_wire *w)
{
    if (!(w->memory = aligned_alloc(4096, OFI_BUFFERS * OFI_BUFFER_BYTES)))
        return -FI_ENOMEM;
    int rc = ofi_register(w, w->memory, OFI_BUFFERS * OFI_BUFFER_BYTES, FI_RECV, &w->region);
    if (rc)
        return rc;
    for (unsigned i = 0; i < OFI_BUFFERS; i++) {
        w->buffer[i].op.kind = OFI_BUFFER;
        w->buffer[i].data = w->memory + (size_t)i * OFI_BUFFER_BYTES;
    }
    post_more(w);
    return w->buffer[0].posted ? 0 : -FI_EAGAIN;
}

void ofi_buffers_close(struct nic_wire *w)
{
    if (w->region)
        fi_close(&w->region->fid);
    free(w->memory);
    w->memory = NULL;
    w->region = NULL;
}

/* In use until then: as if it were posted.  What has waited for room comes at once. */
void ofi_give_back(struct nic_wire *w, void *buffer)
{
    post(w, buffer);
    ofi_sleep_leave(w);
}

static bool in_buffer(const struct ofi_buffer *b, const struct fi_cq_data_entry *c)
{
    const unsigned char *at = c->buf;
    return at >= b->data && c->len <= OFI_BUFFER_BYTES
           && (size_t)(at - b->data) <= OFI_BUFFER_BYTES - c->len;
}

/* True: the completion is an event. */
static bool event_of(struct nic_wire *w, const struct fi_cq_data_entry *c,
                     struct nic_wire_event *e)
{
    struct ofi_op *op = c->op_context;
    if (op->kind == OFI_FRAME) {
        *e = (struct nic_wire_event){ .kind = NIC_WIRE_SENT, .owner = ofi_sent(w, op)->owner };
        return true;
    }
    if (op->kind == OFI_READ) {
        *e = (struct nic_wire_event){ .kind = NIC_WIRE_READ, .owner = ofi_read_ended(w, op) };
        return true;
    }
    struct ofi_buffer *b = (struct ofi_buffer *)op;
    bool last = c->flags & FI_MULTI_RECV, frame = c->flags & FI_RECV && in_buffer(b, c);
    *e = (struct nic_wire_event){ .kind = NIC_WIRE_CAME, .data = c->buf,
                                  .bytes = frame ? (uint32_t)c->len : 0,
                                  .buffer = last ? b : NULL };
    return frame || last;
}

/* The completion of something that failed; true: it is an event. */
static bool failure_of(struct nic_wire *w, struct nic_wire_event *e)
{
    struct fi_cq_err_entry c = { 0 };
    if (fi_cq_readerr(w->queue, &c, 0) != 1 || !c.op_context)
        return false;
    struct ofi_op *op = c.op_context;
    if (op->kind == OFI_BUFFER) {       /* what was to come there is lost with its sender */
        ((struct ofi_buffer *)op)->posted = false;
        return false;
    }
    char text[96] = "";
    const char *said = fi_cq_strerror(w->queue, c.prov_errno, c.err_data, text, sizeof text);
    snprintf(w->why, sizeof w->why, "%s%s%s", fi_strerror(c.err), said && *said ? ": " : "",
             said ? said : "");
    if (op->kind == OFI_READ)
        *e = (struct nic_wire_event){ .kind = NIC_WIRE_READ, .why = w->why,
                                      .owner = ofi_read_ended(w, op) };
    else
        *e = (struct nic_wire_event){ .kind = NIC_WIRE_LOST, .why = w->why,
                                  .frame = ofi_frame_of(op),
                                  .owner = ofi_frame_of(op)->owner };
    return true;
}

unsigned ofi_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    struct fi_cq_data_entry entry[EVENTS];
    unsigned count = 0;
    most = most < EVENTS ? most : EVENTS;
    ofi_sleep_look(w);
    ssize_t n = fi_cq_read(w->queue, entry, most);
    if (n == (ssize_t)most || n == -FI_EAVAIL)
        ofi_sleep_leave(w);
    for (ssize_t i = 0; i < n; i++)
        count += event_of(w, &entry[i], &events[count]);
    if (n == -FI_EAVAIL)
        count += failure_of(w, events);
    else if (n == -FI_EAGAIN)
        post_more(w);
    return count;
}
