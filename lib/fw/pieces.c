#include "fw/pieces.h"

#include <stdlib.h>

#include "fw/tuning.h"

void mpi_fw_pieces_want(struct fw_req *r)
{
    struct fw_layout *l = fw_layout(r);
    if (l && r->bytes >= FW_PIECES_MIN)
        l->list = l->list_them(l, r->bytes);
}

bool mpi_fw_pieces_able(struct fw *fw, const struct fw_transfer *t)
{
    const struct fw_layout *to = fw_layout(t->recv);
    return t->recv->address != FW_NO_ADDRESS && (!to || to->list)
           && (nic_rdma_paths(fw->nic, t->recv->peer) & NIC_RDMA_READ);
}

/* -- the peer's list */

static bool is_sound(const struct fw_pieces *l, size_t bytes)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i < l->count; before = l->piece[i++].before)
        if (i ? l->piece[i].before <= before : l->piece[i].before != 0)
            return false;
    return before < l->bytes && bytes <= l->bytes;
}

static struct fw_pieces *fetch(struct fw *fw, const struct fw_req *r, uint64_t address)
{
    struct fw_pieces head, *l = NULL;
    if (nic_rdma_read(fw->nic, r->peer, address, &head, sizeof head) || !head.count
        || head.count > FW_PIECES_MOST)
        return NULL;
    size_t size = sizeof head + head.count * sizeof *head.piece;
    l = malloc(size);
    if (l && !nic_rdma_read(fw->nic, r->peer, address, l, size) && l->count == head.count
        && is_sound(l, r->bytes))
        return l;
    free(l);
    return NULL;
}

bool mpi_fw_pieces_fetch(struct fw *fw, struct fw_req *r)
{
    if (!fw_is_list(r->address))
        return true;
    struct fw_pieces *l = r->address == FW_NO_ADDRESS ? NULL
                          : fetch(fw, r, r->address & ~FW_LIST_ADDRESS);
    if (!l)
        return false;
    l->next = fw->fetched;
    fw->fetched = l;
    r->address = (uint64_t)(uintptr_t)l | FW_LIST_ADDRESS;
    return true;
}

void mpi_fw_pieces_forget(struct fw *fw, struct fw_req *r)
{
    if (!fw_is_list(r->address))
        return;
    struct fw_pieces *l = (void *)(uintptr_t)(r->address & ~FW_LIST_ADDRESS), **at = &fw->fetched;
    while (*at && *at != l)
        at = &(*at)->next;
    if (*at) {
        *at = l->next;
        free(l);
    }
    r->address = FW_NO_ADDRESS;
}

void mpi_fw_pieces_delete(struct fw *fw)
{
    for (struct fw_pieces *l; (l = fw->fetched); free(l))
        fw->fetched = l->next;
}

/* -- copies */

/* One of the two: a list, or the address of the first byte. */
struct side { const struct fw_pieces *list; uint64_t address; };

static struct side side_of(uint64_t address)
{
    uint64_t at = address & ~FW_LIST_ADDRESS;
    return fw_is_list(address) ? (struct side){ .list = (const void *)(uintptr_t)at }
           : (struct side){ .address = at };
}

/* The last piece that begins at or before a place. */
static uint64_t piece_at(const struct fw_pieces *l, size_t place)
{
    uint64_t low = 0, high = l->count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (l->piece[middle].before <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Data from a place on: to `end`, or as far as so many pieces reach, which end becomes. */
static unsigned fill(const struct side *s, size_t from, size_t *end, struct iovec *v)
{
    const struct fw_pieces *l = s->list;
    unsigned n = 0;
    if (!l) {
        v[0] = (struct iovec){ (void *)(uintptr_t)(s->address + from), *end - from };
        return 1;
    }
    for (uint64_t i = piece_at(l, from); from < *end && n < NIC_RDMA_PIECES; i++) {
        uint64_t last = i + 1 < l->count ? l->piece[i + 1].before : l->bytes;
        size_t bytes = (last < *end ? last : *end) - from;
        uint64_t at = l->piece[i].at + (from - l->piece[i].before);
        v[n++] = (struct iovec){ (void *)(uintptr_t)at, bytes };
        from += bytes;
    }
    *end = from;
    return n;
}

typedef int list_fn(struct nic *nic, unsigned peer, const struct iovec *from, unsigned froms,
                    const struct iovec *to, unsigned tos, size_t bytes);

/* From one side to the other, as many pieces at a time as the NIC takes. */
static int copy(struct fw *fw, unsigned peer, list_fn *list, const struct side *out,
                const struct side *in, size_t from, size_t bytes)
{
    struct iovec outs[NIC_RDMA_PIECES], ins[NIC_RDMA_PIECES];
    int rc = 0;
    for (size_t stop = from + bytes, end; from < stop && !rc; from = end) {
        end = stop;
        fill(out, from, &end, outs);
        unsigned in_count = fill(in, from, &end, ins), out_count = fill(out, from, &end, outs);
        rc = list(fw->nic, peer, outs, out_count, ins, in_count, end - from);
    }
    return rc;
}

int mpi_fw_pieces_read(struct fw *fw, struct fw_req *recv, size_t from, size_t bytes)
{
    struct side there = side_of(recv->address), here = side_of(fw_address(recv));
    return copy(fw, recv->peer, nic_rdma_read_list, &there, &here, from, bytes);
}

int mpi_fw_pieces_write(struct fw *fw, struct fw_req *send, size_t from, size_t bytes)
{
    struct side there = side_of(send->address), here = side_of(fw_address(send));
    return copy(fw, send->peer, nic_rdma_write_list, &here, &there, from, bytes);
}
