/* Turns of ranks that want a lock.
 *
 * Edges:  T0 store of `done` by who goes      -> T1 acquire load by who waits behind it
 * Waking: W0 who waits leaves its name in `next`, fence, looks at `done`, and sleeps
 *         W1 who goes stores `done`, then looks at `next`, both sequentially consistent: one of
 *            the two sees the other */
#include "rma/turns.h"

#include "nicemu/threads.h"

enum { LOOK_MS = 50 };

struct turn { const struct mpi_rma_waiter *g; struct mpi_rma_node *node; uint32_t number; };

static uint64_t word_of(uint32_t number, uint64_t name) { return (uint64_t)number << 32 | name; }
static uint32_t number_in(uint64_t word) { return (uint32_t)(word >> 32); }
static uint64_t name_in(uint64_t word) { return word & UINT32_MAX; }

static struct mpi_rma_node *node_of(const struct mpi_rma_waiter *g, int rank)
{
    return (struct mpi_rma_node *)((char *)g->w->part[rank].control
                                   + mpi_rma_node_at(g->target, 0));
}

static uint64_t *tail_of(const struct mpi_rma_waiter *g)
{
    return &g->w->part[g->target].control->tail;
}

static bool is_over(void *turn)
{
    const struct turn *t = turn;
    const uint32_t done = __atomic_load_n(&t->node->done, __ATOMIC_ACQUIRE);        /* T1 */
    return (int32_t)(done - t->number) >= 0;
}

static const char *note(void *turn, char *text, size_t size)
{
    const struct turn *t = turn;
    return t->g->note((void *)(uintptr_t)t->g, text, size);
}

/* The number of this rank's turn, which is not over.  Nothing is written before the turn ends: the
 * line is read by who waits behind it. */
static uint32_t own_turn(const struct mpi_rma_waiter *g)
{
    return node_of(g, g->w->comm->rank)->done + 1;
}

/* Whose turn is in front.  False: the word names nobody, or a turn that has not begun. */
static bool read_word(struct mpi_rma_waiter *g, uint64_t word, struct turn *front)
{
    const uint64_t name = name_in(word);
    if (!mpi_rma_is_name(g->w, name))
        return false;
    g->before = (int)name - 1;
    *front = (struct turn){ g, node_of(g, g->before), number_in(word) };
    const uint32_t done = __atomic_load_n(&front->node->done, __ATOMIC_ACQUIRE);
    return (int32_t)(done + 1 - front->number) >= 0;
}

/* -- waiting */

/* Behind a turn that is over already there may be somebody who waits for a later one, whose name
 * stays.  While it is not over what is seen is of an earlier turn, however old: numbers would not
 * tell, as nobody may have slept behind this rank for 2^31 turns. */
static void ask_to_be_woken(struct turn *front)
{
    uint64_t *next = &front->node->next, seen = __atomic_load_n(next, __ATOMIC_ACQUIRE);
    const uint64_t me = word_of(front->number, mpi_rma_own_name(front->g->w));
    while (!is_over(front)
           && !__atomic_compare_exchange_n(next, &seen, me, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_ACQUIRE))
        ;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);                                        /* W0 */
}

/* Of windows that break: some time has gone by.  The clock is only read by who is slow anyway. */
static bool is_time_to_look(const struct nic_wait *wait, uint64_t *end)
{
    if (likely(!wait->since))
        return false;
    if (!*end)
        *end = nic_moment(mpi_nic) + LOOK_MS * UINT64_C(1000000000);                /* ps */
    return nic_moment(mpi_nic) >= *end;
}

/* Until it is over, or it is time to look whether somebody has ended.  Who has the lock may ask
 * this rank's NIC for what it does under it: no looks without turns of the NIC.  No turn that
 * sleeps comes before the first that is slow. */
static void wait_some(struct turn *front, bool *asked)
{
    const bool breaks = front->g->w->breaks;
    struct nic_wait wait = { .note = note, .argument = front, .ready = is_over,
                             .most_ns = breaks ? LOOK_MS * UINT64_C(1000000) : 0 };
    uint64_t end = 0;
    nic_enter(mpi_nic);
    while (!is_over(front) && (!breaks || !is_time_to_look(&wait, &end))) {
        nic_wait_turn(mpi_nic, &wait);
        if (unlikely(wait.since && !*asked)) {
            ask_to_be_woken(front);
            *asked = true;
        }
    }
    nic_leave(mpi_nic);
}

static int wait_behind(struct mpi_rma_waiter *g, struct turn *front)
{
    bool asked = false;
    int class = MPI_SUCCESS;
    g->waited = true;
    while (!class && !is_over(front)) {
        wait_some(front, &asked);
        if (g->w->breaks && !is_over(front))
            class = mpi_rma_broken(g);
    }
    return is_over(front) ? MPI_SUCCESS : class;
}

/* -- turns */

/* In front is this rank's own turn, which is not over: it has given up, as somebody has ended. */
static int behind_itself(struct mpi_rma_waiter *g)
{
    const int class = g->w->breaks ? mpi_rma_broken(g) : MPI_SUCCESS;
    return class ? class : MPI_ERR_INTERN;
}

int mpi_rma_turn_take(struct mpi_rma_waiter *g)
{
    const uint32_t number = own_turn(g);
    struct turn front;
    const uint64_t before = __atomic_exchange_n(tail_of(g),
                                                word_of(number, mpi_rma_own_name(g->w)),
                                                __ATOMIC_SEQ_CST);
    if (!before)
        return MPI_SUCCESS;
    if (!read_word(g, before, &front))
        return MPI_ERR_INTERN;
    if (unlikely(g->before == g->w->comm->rank && front.number == number))
        return behind_itself(g);
    return likely(is_over(&front)) ? MPI_SUCCESS : wait_behind(g, &front);
}

int mpi_rma_turn_try(struct mpi_rma_waiter *g, bool *got)
{
    uint64_t last = __atomic_load_n(tail_of(g), __ATOMIC_ACQUIRE);
    struct turn front;
    *got = false;
    if (last && !read_word(g, last, &front))
        return MPI_ERR_INTERN;
    if (last && !is_over(&front))
        return MPI_SUCCESS;
    *got = __atomic_compare_exchange_n(tail_of(g), &last,
                                       word_of(own_turn(g), mpi_rma_own_name(g->w)), false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return *got || read_word(g, last, &front) ? MPI_SUCCESS : MPI_ERR_INTERN;
}

int mpi_rma_turns_over(struct mpi_rma_waiter *g, bool *over)
{
    const uint64_t last = __atomic_load_n(tail_of(g), __ATOMIC_SEQ_CST);
    struct turn front;
    *over = !last;
    if (*over)
        return MPI_SUCCESS;
    if (!read_word(g, last, &front))
        return MPI_ERR_INTERN;
    *over = is_over(&front);
    return MPI_SUCCESS;
}

void mpi_rma_turn_end(const struct mpi_rma_waiter *g)
{
    struct mpi_rma_node *own = node_of(g, g->w->comm->rank);
    const uint32_t number = own_turn(g);
    __atomic_store_n(&own->done, number, __ATOMIC_SEQ_CST);                         /* T0, W1 */
    const uint64_t next = __atomic_load_n(&own->next, __ATOMIC_SEQ_CST);
    if (unlikely(next && number_in(next) == number && mpi_rma_is_name(g->w, name_in(next))))
        nic_notify(mpi_nic, mpi_win_world(g->w, (int)name_in(next) - 1));
}
