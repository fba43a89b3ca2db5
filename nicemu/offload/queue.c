/* Hardware queues, as programs use them: what writers and readers
 * say, and waiting.  The edges are in queue_ring.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "offload/queue_credit.h"
#include "offload/queue_ring.h"
#include "offload/queues.h"
#include "remote/reach.h"

/* -- writers */

int nic_queue_send(struct nic *n, uint32_t rank, uint64_t queue, const uint64_t *words,
                   unsigned count)
{
    struct nic_words m = { .source = n->rank, .count = count };
    nic_baton_check(n);
    nic_catch_up(n);
    if (count > NIC_WORDS_MAX)
        return -EMSGSIZE;
    if (count)
        memcpy(m.word, words, count * sizeof *words);
    return nic_in_reach(n, rank) ? nic_queue_put(n, rank, queue, &m)
           : nic_queue_send_packet(n, rank, queue, &m);
}

/* -- a writer that waits for room */

struct sending { struct nic *nic; uint32_t rank; uint64_t queue; };

/* Also says that we wait, before it looks: the reader takes
 * such a word back when it has made room (Q4). */
static bool has_room(void *argument)
{
    const struct sending *s = argument;
    uint32_t capacity;
    struct nic_queue_header *h = nic_queue_at(s->nic, s->rank, s->queue, &capacity);
    if (!h)
        return true;
    atomic_fetch_or_explicit(&h->wanted, UINT64_C(1) << s->nic->rank % 64, memory_order_seq_cst);
    uint64_t p = atomic_load_explicit(&h->tail, memory_order_relaxed);
    return (int64_t)(atomic_load_explicit(&h->cell[p & (capacity - 1)].sequence,
                                          memory_order_acquire) - p) >= 0;
}

static const char *note_room(void *argument, char *text, size_t size)
{
    const struct sending *s = argument;
    snprintf(text, size, "room in the queue at %llu of rank %u", (unsigned long long)s->queue,
             s->rank);
    return text;
}

int nic_queue_send_wait(struct nic *n, uint32_t rank, uint64_t queue, const uint64_t *words,
                        unsigned count)
{
    struct sending s = { n, rank, queue };
    /* credits come in packets */
    struct nic_wait w = { .note = note_room, .ready = nic_in_reach(n, rank) ? has_room : NULL,
                          .argument = &s };
    int rc;
    while ((rc = nic_queue_send(n, rank, queue, words, count)) == -EAGAIN)
        nic_wait_turn(n, &w);
    return rc;
}

/* -- the reader */

/* Wakes the hosts that wait for room; each looks and says so again if it finds none. */
static void tell_writers(struct nic *n, struct nic_queue_header *h)
{
    atomic_thread_fence(memory_order_seq_cst);      /* Q4 */
    if (likely(!atomic_load_explicit(&h->wanted, memory_order_relaxed)))
        return;
    uint64_t wanted = atomic_exchange_explicit(&h->wanted, 0, memory_order_seq_cst);
    for (uint32_t r = 0; r < n->ranks; r++)
        if (wanted >> r % 64 & 1)
            nic_notify(n, r);
}

static uint64_t head_of(const struct nic_queue *q)
{
    return atomic_load_explicit(&q->head, memory_order_relaxed);
}

static struct nic_queue_cell *cell_at(const struct nic_queue *q, uint64_t p)
{
    return &q->header->cell[p & (q->capacity - 1)];
}

static bool filled(const struct nic_queue *q)
{
    uint64_t p = head_of(q);
    /* Q1 */
    return atomic_load_explicit(&cell_at(q, p)->sequence, memory_order_acquire) == p + 1;
}

int nic_queue_receive(struct nic *n, uint64_t queue, struct nic_words *m)
{
    nic_baton_check(n);
    nic_catch_up(n);
    struct nic_queue *q = nic_queue_own(n, queue);
    if (!q)
        return -EINVAL;
    if (!filled(q))
        return -EAGAIN;
    uint64_t p = head_of(q);
    struct nic_queue_cell *c = cell_at(q, p);
    *m = c->message;
    if (m->count > NIC_WORDS_MAX)       /* a peer's garbage */
        m->count = NIC_WORDS_MAX;
    atomic_store_explicit(&c->sequence, p + q->capacity, memory_order_release);     /* Q2 */
    atomic_store_explicit(&q->head, p + 1, memory_order_relaxed);
    nic_queue_refill(n, q);
    tell_writers(n, q->header);
    return 0;
}

static bool has_come(void *argument) { return filled(argument); }

static const char *note_message(void *argument, char *text, size_t size)
{
    const struct nic_queue *q = argument;
    snprintf(text, size, "a message in the queue at %llu", (unsigned long long)q->offset);
    return text;
}

int nic_queue_receive_wait(struct nic *n, uint64_t queue, struct nic_words *m)
{
    struct nic_wait w = { .note = note_message, .ready = has_come,
                          .argument = nic_queue_own(n, queue) };
    int rc;
    while ((rc = nic_queue_receive(n, queue, m)) == -EAGAIN)
        nic_wait_turn(n, &w);
    return rc;
}

/* -- making */

static void fill(struct nic_queue_header *h, uint32_t capacity)
{
    atomic_store_explicit(&h->tail, 0, memory_order_relaxed);
    atomic_store_explicit(&h->wanted, 0, memory_order_relaxed);
    atomic_store_explicit(&h->capacity, capacity, memory_order_relaxed);
    for (uint32_t i = 0; i < capacity; i++)
        atomic_store_explicit(&h->cell[i].sequence, i, memory_order_relaxed);
    /* pairs with the acquire in queue_at */
    atomic_store_explicit(&h->kind, NIC_QUEUE_MAGIC, memory_order_release);
}

int nic_queue_create(struct nic *n, unsigned capacity, uint64_t *queue)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (capacity < 2 || capacity > NIC_QUEUE_CAPACITY_MAX || (capacity & (capacity - 1)))
        return -EINVAL;
    size_t bytes = sizeof(struct nic_queue_header) + capacity * sizeof(struct nic_queue_cell);
    struct nic_queue *q = malloc(sizeof *q);
    uint64_t at = q ? nic_spad_alloc(n, NIC_SPAD_QUEUES, bytes, 64) : NIC_SPAD_NONE;
    if (at == NIC_SPAD_NONE) {
        free(q);
        return -ENOMEM;
    }
    *q = (struct nic_queue){ .next = n->queues, .offset = at, .capacity = capacity,
                             .header = nic_spad_at(n, n->rank, at, bytes) };
    q->kept_end = &q->first_kept;
    n->queues = q;
    fill(q->header, capacity);
    *queue = at;
    return 0;
}

static void drop(struct nic *n, struct nic_queue **link)
{
    struct nic_queue *q = *link;
    *link = q->next;
    nic_queue_refuse_kept(n, q);
    atomic_store_explicit(&q->header->kind, 0, memory_order_relaxed);
    nic_spad_free(n, q->offset);
    free(q);
}

int nic_queue_destroy(struct nic *n, uint64_t queue)
{
    nic_baton_check(n);
    nic_catch_up(n);
    for (struct nic_queue **link = &n->queues; *link; link = &(*link)->next)
        if ((*link)->offset == queue) {
            drop(n, link);
            return 0;
        }
    return -EINVAL;
}
