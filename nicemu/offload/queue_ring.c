/* Hardware queues: rings of messages in a scratchpad, many writers, the owner reads.
 *
 * Edges:
 *   Q0 release of a cell's sequence (writer)   -> Q1 acquire of it by the reader: the message
 *   Q2 release of a cell's sequence (reader)   -> Q3 acquire of it by a writer: the message has
 *   been read
 *   Q4 fence after Q2, then the look at `wanted` (reader) | setting of `wanted`, then the fence of
 *   the sleeper and its look at
 *   the cell: a writer that waits for room sees the room, or the reader sees that it waits */
#include "offload/queue_ring.h"

#include <errno.h>

struct nic_queue *nic_queue_own(const struct nic *n, uint64_t offset)
{
    struct nic_queue *q = n->queues;
    while (q && q->offset != offset)
        q = q->next;
    return q;
}

/* A queue in somebody's scratchpad; its capacity is read once, and the whole of it lies inside. */
struct nic_queue_header *nic_queue_at(struct nic *n, uint32_t rank, uint64_t offset,
                                      uint32_t *capacity)
{
    struct nic_queue_header *h = offset % 64 ? NULL : nic_spad_at(n, rank, offset, sizeof *h);
    if (!h || atomic_load_explicit(&h->kind, memory_order_acquire) != NIC_QUEUE_MAGIC)
        return NULL;
    uint32_t c = atomic_load_explicit(&h->capacity, memory_order_relaxed);
    if (c < 2 || c > NIC_QUEUE_CAPACITY_MAX || (c & (c - 1))
        || !nic_spad_at(n, rank, offset, sizeof *h + c * sizeof *h->cell))
        return NULL;
    *capacity = c;
    return h;
}

/* Multiple writers.  Takes the next position if its cell is free. */
static int reserve(struct nic_queue_header *h, uint32_t capacity, uint64_t *position)
{
    uint64_t p = atomic_load_explicit(&h->tail, memory_order_relaxed);
    for (;;) {
        /* Q3 */
        uint64_t sequence = atomic_load_explicit(&h->cell[p & (capacity - 1)].sequence,
                                                 memory_order_acquire);
        if (sequence == p) {
            if (!atomic_compare_exchange_weak_explicit(&h->tail, &p, p + 1, memory_order_relaxed,
                                                       memory_order_relaxed))
                continue;
            *position = p;
            return 0;
        }
        if ((int64_t)(sequence - p) < 0)
            return -EAGAIN;
        /* whoever filled it had moved the tail first, and Q3 shows us that */
        uint64_t before = p;
        if ((p = atomic_load_explicit(&h->tail, memory_order_relaxed)) == before)
            return -EPROTO;
    }
}

int nic_queue_put(struct nic *n, uint32_t rank, uint64_t queue, const struct nic_words *m)
{
    uint32_t capacity;
    uint64_t p;
    struct nic_queue_header *h = nic_queue_at(n, rank, queue, &capacity);
    int rc = h ? reserve(h, capacity, &p) : -EINVAL;
    if (rc)
        return rc;
    NIC_CHARGE(n, QUEUE, 1);
    struct nic_queue_cell *c = &h->cell[p & (capacity - 1)];
    c->message = *m;
    atomic_store_explicit(&c->sequence, p + 1, memory_order_release);      /* Q0 */
    nic_notify(n, rank);
    return 0;
}
