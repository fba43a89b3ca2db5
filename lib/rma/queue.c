/* Queues by remote atomic operations. */
#include "rma/queue.h"

#include "rma/word.h"

#define QUEUE(member, place) \
    { offsetof(struct mpi_rma_control, member), offsetof(struct mpi_rma_node, place.next), \
      offsetof(struct mpi_rma_node, place.go) }
const struct mpi_rma_queue mpi_rma_lock_queue = QUEUE(tail, lock);
const struct mpi_rma_queue mpi_rma_busy_queue = QUEUE(busy, busy);

static size_t next_of(const struct mpi_rma_queue *q, const struct mpi_rma_waiter *g)
{
    return mpi_rma_node_at(g->target, q->next);
}

static size_t go_of(const struct mpi_rma_queue *q, const struct mpi_rma_waiter *g)
{
    return mpi_rma_node_at(g->target, q->go);
}

/* For a word of this rank's place.  Who has told and ended then has told. */
static int queue_wait(struct mpi_rma_waiter *g, size_t at, uint64_t *value)
{
    g->waited = true;
    if (likely(!g->w->breaks)) {
        *value = mpi_rma_word_wait(g->w, at, g->note, g);
        return *value ? MPI_SUCCESS : MPI_ERR_PROC_ABORTED;
    }
    int class = MPI_SUCCESS;
    while (!class && !(*value = mpi_rma_word_wait_some(g->w, at, g->note, g)))
        class = mpi_rma_broken(g);
    *value = mpi_rma_word_own(g->w, at);
    return *value ? MPI_SUCCESS : class;
}

static void prepare(const struct mpi_rma_queue *q, const struct mpi_rma_waiter *g)
{
    mpi_rma_word_set(g->w, next_of(q, g), 0);
    mpi_rma_word_set(g->w, go_of(q, g), 0);
}

int mpi_rma_queue_enter(const struct mpi_rma_queue *q, struct mpi_rma_waiter *g)
{
    struct mpi_win *w = g->w;
    uint64_t before;
    prepare(q, g);
    int class = mpi_rma_word(w, g->target, q->tail, NIC_ATOMIC_WRITE, mpi_rma_own_name(w), 0,
                             &before);
    if (class || !before)
        return class;
    if (!mpi_rma_is_name(w, before))
        return MPI_ERR_INTERN;
    g->before = (int)before - 1;
    class = mpi_rma_word_tell(w, g->before, next_of(q, g), mpi_rma_own_name(w));
    return class ? class : queue_wait(g, go_of(q, g), &before);
}

int mpi_rma_queue_try(const struct mpi_rma_queue *q, struct mpi_rma_waiter *g, uint64_t *last)
{
    *last = 0;
    prepare(q, g);
    return mpi_rma_word(g->w, g->target, q->tail, NIC_ATOMIC_COMPARE, mpi_rma_own_name(g->w), 0,
                        last);
}

/* The queue ends here, or the next one, who is about to say who it is, is the first. */
int mpi_rma_queue_leave(const struct mpi_rma_queue *q, struct mpi_rma_waiter *g)
{
    struct mpi_win *w = g->w;
    uint64_t next = mpi_rma_word_own(w, next_of(q, g)), last;
    if (!next) {
        int class = mpi_rma_word(w, g->target, q->tail, NIC_ATOMIC_COMPARE, 0,
                                 mpi_rma_own_name(w), &last);
        if (class || last == mpi_rma_own_name(w))
            return class;
        if (!mpi_rma_is_name(w, last))
            return MPI_ERR_INTERN;      /* nobody is about to say anything */
        g->before = (int)last - 1;
        g->anybody = true;
        class = queue_wait(g, next_of(q, g), &next);
        if (class)
            return class;
    }
    return mpi_rma_is_name(w, next) ? mpi_rma_word_tell(w, (int)next - 1, go_of(q, g), 1)
           : MPI_ERR_INTERN;
}
