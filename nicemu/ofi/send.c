/* Frames: blocks of memory, registered where the provider wants that, and their way out. */
#include "ofi/send.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ofi/endpoint.h"

static struct ofi_frame *of_frame(struct nic_wire_frame *f)
{
    return (struct ofi_frame *)(void *)((char *)f - offsetof(struct ofi_frame, frame));
}

static void give(struct nic_wire *w, struct ofi_frame *f)
{
    f->next = w->free;
    w->free = f;
}

static void free_block(struct ofi_block *b)
{
    if (b->region)
        fi_close(&b->region->fid);
    free(b->data);
    free(b);
}

static size_t stride(const struct nic_wire *w) { return (w->frame_bytes + 63) & ~(size_t)63; }

static bool more(struct nic_wire *w)
{
    struct ofi_block *b = w->blocks < OFI_BLOCKS ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return false;
    b->data = aligned_alloc(64, OFI_FRAMES * stride(w));
    if (!b->data || ofi_register(w, b->data, OFI_FRAMES * stride(w), FI_SEND, &b->region)) {
        free_block(b);
        return false;
    }
    for (unsigned i = 0; i < OFI_FRAMES; i++) {
        b->frame[i].op.kind = OFI_FRAME;
        b->frame[i].frame.data = b->data + i * stride(w);
        b->frame[i].descriptor = b->region ? fi_mr_desc(b->region) : NULL;
        give(w, &b->frame[i]);
    }
    w->block[w->blocks++] = b;
    return true;
}

struct nic_wire_frame *ofi_frame(struct nic_wire *w)
{
    if (!w->free && !more(w))
        return NULL;
    struct ofi_frame *f = w->free;
    w->free = f->next;
    return &f->frame;
}

int ofi_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *frame)
{
    struct ofi_frame *f = of_frame(frame);
    bool brief = !frame->told && frame->bytes <= w->info->tx_attr->inject_size;
    ssize_t rc = brief ? fi_inject(w->endpoint, frame->data, frame->bytes, peer)
                 : fi_send(w->endpoint, frame->data, frame->bytes, f->descriptor, peer,
                           &f->op.context);
    if (rc == -FI_EAGAIN)
        return -EAGAIN;
    bool lost = rc && w->datagrams;     /* no way to the peer: as if it were lost on its way */
    if (rc && !lost)
        return (int)rc;
    if (brief || lost)
        give(w, f);
    return brief || lost;
}

void ofi_drop(struct nic_wire *w, struct nic_wire_frame *frame) { give(w, of_frame(frame)); }

struct nic_wire_frame *ofi_frame_of(struct ofi_op *op) { return &((struct ofi_frame *)op)->frame; }

struct nic_wire_frame *ofi_sent(struct nic_wire *w, struct ofi_op *op)
{
    struct ofi_frame *f = (struct ofi_frame *)op;
    give(w, f);
    return &f->frame;
}

void ofi_frames_free(struct nic_wire *w)
{
    for (unsigned i = 0; i < w->blocks; i++)
        free_block(w->block[i]);
    w->blocks = 0;
    w->free = NULL;
}
