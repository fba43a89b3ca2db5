/* Memory to receive in: a few large buffers, each of which the provider fills with frames until the
 * next one might not fit, and then gives up; for datagrams many small ones, of a frame each.  It is
 * posted again when its last frame has been read. */
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
    struct iovec v = { b->data, w->buffer_bytes };
    void *descriptor = w->region ? fi_mr_desc(w->region) : NULL;
    struct fi_msg m = { .msg_iov = &v, .desc = &descriptor, .iov_count = 1,
                        .addr = FI_ADDR_UNSPEC, .context = &b->op.context };
    b->posted = !fi_recvmsg(w->endpoint, &m, w->datagrams ? 0 : FI_MULTI_RECV);
}

/* Those that the provider had no room for. */
static void post_more(struct nic_wire *w)
{
    for (unsigned i = 0; i < w->buffers; i++)
        if (!w->buffer[i].posted)
            post(w, &w->buffer[i]);
}

static size_t page_up(size_t bytes) { return (bytes + 4095) & ~(size_t)4095; }

int ofi_buffers_open(struct nic_wire *w)
{
    w->buffers = w->datagrams ? OFI_DATAGRAM_BUFFERS : OFI_BUFFERS;
    w->buffer_bytes = w->datagrams ? (w->frame_bytes + 63) & ~(size_t)63 : OFI_BUFFER_BYTES;
    size_t bytes = page_up(w->buffers * w->buffer_bytes);
    w->buffer = calloc(w->buffers, sizeof *w->buffer);
    w->memory = aligned_alloc(4096, bytes);
    if (!w->buffer || !w->memory)
        return -FI_ENOMEM;
    int rc = ofi_register(w, w->memory, bytes, FI_RECV, &w->region);
    if (rc)
        return rc;
    for (unsigned i = 0; i < w->buffers; i++) {
        w->buffer[i].op.kind = OFI_BUFFER;
        w->buffer[i].data = w->memory + i * w->buffer_bytes;
    }
    post_more(w);
    return w->buffer[0].posted ? 0 : -FI_EAGAIN;
}

void ofi_buffers_close(struct nic_wire *w)
{
    if (w->region)
        fi_close(&w->region->fid);
    free(w->memory);
    free(w->buffer);
    w->buffer = NULL;
    w->memory = NULL;
    w->region = NULL;
}

/* In use until then: as if it were posted.  What has waited for room comes at once. */
void ofi_give_back(struct nic_wire *w, void *buffer)
{
    post(w, buffer);
    ofi_sleep_leave(w);
}

static bool in_buffer(const struct nic_wire *w, const struct ofi_buffer *b,
                      const struct fi_cq_data_entry *c)
{
    const unsigned char *at = c->buf;
    return at >= b->data && c->len <= w->buffer_bytes
           && (size_t)(at - b->data) <= w->buffer_bytes - c->len;
}

static bool take_datagram(const struct nic_wire *w, struct ofi_buffer *b,
                          const struct fi_cq_data_entry *c, struct nic_wire_event *e)
{
    bool whole = c->len <= w->frame_bytes;
    *e = (struct nic_wire_event){ .kind = NIC_WIRE_CAME, .data = b->data, .buffer = b,
                                  .bytes = whole ? (uint32_t)c->len : 0 };
    return true;
}

/* One of many in a buffer, or the end of that. */
static bool take_message(const struct nic_wire *w, struct ofi_buffer *b,
                         const struct fi_cq_data_entry *c, struct nic_wire_event *e)
{
    bool last = c->flags & FI_MULTI_RECV, frame = c->flags & FI_RECV && in_buffer(w, b, c);
    *e = (struct nic_wire_event){ .kind = NIC_WIRE_CAME, .data = c->buf,
                                  .bytes = frame ? (uint32_t)c->len : 0,
                                  .buffer = last ? b : NULL };
    return frame || last;
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
    return (w->datagrams ? take_datagram : take_message)(w, (struct ofi_buffer *)op, c, e);
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

/* A look of a provider of datagrams takes one off its socket. */
static ssize_t look(struct nic_wire *w, struct fi_cq_data_entry *entry, unsigned most)
{
    ssize_t n = 0, more;
    if (!w->datagrams)
        return fi_cq_read(w->queue, entry, most);
    do {
        more = fi_cq_read(w->queue, entry + n, most - (size_t)n);
        n += more > 0 ? more : 0;
    } while (more > 0 && n < (ssize_t)most);
    return n ? n : more;
}

unsigned ofi_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    struct fi_cq_data_entry entry[EVENTS];
    unsigned count = 0;
    most = most < EVENTS ? most : EVENTS;
    ofi_sleep_look(w);
    ssize_t n = look(w, entry, most);
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
