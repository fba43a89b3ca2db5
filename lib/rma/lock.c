/* Locks of windows' parts. */
#include "rma/lock.h"

#include <stdio.h>

#include "core/label.h"
#include "nicemu/threads.h"
#include "rma/explained.h"
#include "rma/lost.h"
#include "rma/queue.h"
#include "rma/turns.h"
#include "rma/word.h"

enum {
    SPINS = 200,        /* looks at a busy word, some microseconds, before giving way */
    ASKS = 16,          /* looks, before it asks whoever has it to wait for it */
    GIVES = 2000        /* looks of who waits for that, a microsecond */
};

static const size_t READERS = offsetof(struct mpi_rma_control, readers);

static size_t drained_of(int target)
{
    return mpi_rma_node_at(target, offsetof(struct mpi_rma_node, drained));
}

static uint64_t readers_in(uint64_t word) { return word & UINT32_MAX; }
static uint64_t writer_in(uint64_t word) { return word >> MPI_RMA_WRITER_SHIFT; }

/* -- who has it, for reports: each says so in its own node, so that no line moves for it */

static struct mpi_rma_node *node_in(const struct mpi_rma_control *c, int target)
{
    return (struct mpi_rma_node *)((uintptr_t)c + mpi_rma_node_at(target, 0));
}

static void set_holds(const struct mpi_win *w, int target, bool holds)
{
    __atomic_store_n(&node_in(w->own_control, target)->holds, holds, __ATOMIC_RELAXED);
}

/* As far as words are mapped; -1: nobody. */
static int holder_of(const struct mpi_win *w, int target)
{
    for (int i = 0; i < w->comm->size; i++) {
        const struct mpi_rma_control *c = w->part[i].control;
        if (c && __atomic_load_n(&node_in(c, target)->holds, __ATOMIC_RELAXED))
            return i;
    }
    return -1;
}

/* Where words are mapped they say who has the lock. */
static void say_holder(const struct mpi_rma_waiter *g, char *text, size_t size)
{
    const struct mpi_rma_control *c = g->w->part[g->target].control;
    const int holder = holder_of(g->w, g->target);
    uint64_t readers = c ? readers_in(__atomic_load_n(&c->readers, __ATOMIC_RELAXED)) : 0;
    if (holder >= 0)
        snprintf(text, size, "rank %d holds it", holder);
    else if (readers)
        snprintf(text, size, "%llu rank%s share it", (unsigned long long)readers,
                 readers == 1 ? "" : "s");
    else
        snprintf(text, size, "it waits behind rank %d", g->before);
}

static const char *lock_note(void *argument, char *text, size_t size)
{
    const struct mpi_rma_waiter *g = argument;
    char label[MPI_LABEL_LONG], holder[64];
    say_holder(g, holder, sizeof holder);
    snprintf(text, size, "%s(%srank %d, %s): %s", g->call,
             g->w->breaks ? "" : g->exclusive ? "exclusive, " : "shared, ", g->target,
             mpi_label_long(g->w->comm, label, sizeof label), holder);
    return text;
}

const char *mpi_rma_busy_note(void *argument, char *text, size_t size)
{
    const struct mpi_rma_waiter *g = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "an accumulate to rank %d, %s: it waits for rank %d", g->target,
             mpi_label_long(g->w->comm, label, sizeof label), g->before);
    return text;
}

/* -- its queue */

static int enter(struct mpi_rma_waiter *g)
{
    return g->w->local ? mpi_rma_turn_take(g) : mpi_rma_queue_enter(&mpi_rma_lock_queue, g);
}

static int leave(struct mpi_rma_waiter *g)
{
    if (!g->w->local)
        return mpi_rma_queue_leave(&mpi_rma_lock_queue, g);
    mpi_rma_turn_end(g);
    return MPI_SUCCESS;
}

/* A lock is had, or not. */
static int counted(const struct mpi_rma_waiter *g, int class)
{
    if (class)
        return class;
    nic_enter(mpi_nic);
    mpi_fw_count_lock(mpi_fw, g->waited);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}

/* -- who shares a lock */

/* Told that the last has gone.  Where ranks come in beside the queue (share_at_once) that may have
 * been told late, of an earlier time: then it is looked for again, with `drained` cleared. */
static bool is_drained(const struct mpi_rma_waiter *g)
{
    if (!g->w->local)
        return true;
    mpi_rma_word_set(g->w, drained_of(g->target), 0);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const struct mpi_rma_control *c = g->w->part[g->target].control;
    return !readers_in(__atomic_load_n(&c->readers, __ATOMIC_SEQ_CST));
}

/* This rank's name comes into the word, from where the last reader takes it, and goes. */
static int wait_for_last(struct mpi_rma_waiter *g)
{
    struct mpi_win *w = g->w;
    const uint64_t me = mpi_rma_own_name(w) << MPI_RMA_WRITER_SHIFT;
    uint64_t readers;
    mpi_rma_word_set(w, drained_of(g->target), 0);
    int class = mpi_rma_word(w, g->target, READERS, NIC_ATOMIC_ADD, me, 0, &readers);
    if (class)
        return class;
    g->waited |= readers_in(readers);
    for (bool wait = readers_in(readers); wait; wait = !is_drained(g))
        if (!mpi_rma_word_wait(w, drained_of(g->target), g->note, g))
            return MPI_ERR_PROC_ABORTED;
    return mpi_rma_word(w, g->target, READERS, NIC_ATOMIC_ADD, -me, 0, &readers);
}

/* First in the queue: nobody new can share the lock.  The word is read first, as nobody shares it
 * mostly. */
static int wait_for_readers(struct mpi_rma_waiter *g)
{
    uint64_t readers;
    int class = mpi_rma_word_read(g->w, g->target, READERS, &readers);
    if (class || !readers)
        return class;
    if (readers_in(readers) > (unsigned)g->w->comm->size || writer_in(readers))
        return MPI_ERR_INTERN;
    return wait_for_last(g);
}

/* -- the lock */

static int lock_alone(struct mpi_rma_waiter *g)
{
    int class = wait_for_readers(g);
    if (!class)
        set_holds(g->w, g->target, true);
    return class;
}

static int lock_shared(struct mpi_rma_waiter *g)
{
    uint64_t old;
    int class = mpi_rma_word(g->w, g->target, READERS, NIC_ATOMIC_ADD, 1, 0, &old);
    return class ? class : leave(g);
}

static int unlock_shared(struct mpi_win *w, int target)
{
    uint64_t old;
    int class = mpi_rma_word(w, target, READERS, NIC_ATOMIC_ADD, (uint64_t)-1, 0, &old);
    if (class || readers_in(old) != 1 || !writer_in(old))
        return class;
    return mpi_rma_is_name(w, writer_in(old))
           ? mpi_rma_word_tell(w, (int)writer_in(old) - 1, drained_of(target), 1) : MPI_ERR_INTERN;
}

/* Beside the queue, if nobody is in it: so those who share it do not wait for each other's turns,
 * which take as long as a rank is without a core.  Counted first: who comes for it alone has put
 * its name into the tail and then looks at the count, so one of the two sees the other. */
static int share_at_once(struct mpi_rma_waiter *g, bool *got)
{
    uint64_t old;
    *got = false;
    int class = mpi_rma_word(g->w, g->target, READERS, NIC_ATOMIC_ADD, 1, 0, &old);
    if (class)
        return class;
    class = mpi_rma_turns_over(g, got);
    if (*got)
        return MPI_SUCCESS;
    int left = unlock_shared(g->w, g->target);
    return class ? class : left;
}

static int lock(struct mpi_rma_waiter *g)
{
    bool got = false;
    int class = g->w->local && !g->exclusive ? share_at_once(g, &got) : MPI_SUCCESS;
    if (class || got)
        return class;
    class = enter(g);
    if (class)
        return class;
    return g->exclusive ? lock_alone(g) : lock_shared(g);
}

int mpi_rma_lock(struct mpi_win *w, int target, bool exclusive, const char *call)
{
    struct mpi_rma_waiter g = { .w = w, .note = lock_note, .target = target,
                         .exclusive = exclusive, .call = call };
    mpi_rma_explain_begin(w);
    int class = lock(&g);
    mpi_rma_explain_end(w, target, "lock", 0);
    return counted(&g, class);
}

int mpi_rma_unlock(struct mpi_win *w, int target, bool exclusive)
{
    struct mpi_rma_waiter g = { .w = w, .note = lock_note, .target = target,
                         .exclusive = exclusive, .call = "MPI_Win_unlock" };
    mpi_rma_explain_begin(w);
    if (exclusive)
        set_holds(w, target, false);
    int class = exclusive ? leave(&g) : unlock_shared(w, target);
    mpi_rma_explain_end(w, target, "unlock", 0);
    return class;
}

/* -- locks that break */

static struct mpi_rma_waiter mutex_of(struct mpi_win *w, int target, const char *call)
{
    return (struct mpi_rma_waiter){ .w = w, .note = lock_note, .target = target,
                             .before = -1, .ended = -1, .exclusive = true, .call = call };
}

/* A call with it ends; who has ended may be known from what was not answered alone. */
static int mutex_end(struct mpi_rma_waiter *g, int class, int *ended)
{
    if (unlikely(class == MPI_ERR_PROC_ABORTED && g->ended < 0))
        mpi_rma_broken(g);
    *ended = g->ended;
    return class;
}

int mpi_rma_mutex_lock(struct mpi_win *w, int target, const char *call, int *ended)
{
    struct mpi_rma_waiter g = mutex_of(w, target, call);
    mpi_rma_explain_begin(w);
    int class = enter(&g);
    if (!class)
        set_holds(w, target, true);
    mpi_rma_explain_end(w, target, "lock", 0);
    return counted(&g, mutex_end(&g, class, ended));
}

static int try_queue(struct mpi_rma_waiter *g, bool *got)
{
    uint64_t last;
    int class = mpi_rma_queue_try(&mpi_rma_lock_queue, g, &last);
    *got = !class && !last;
    if (class || *got)
        return class;
    g->before = mpi_rma_is_name(g->w, last) ? (int)last - 1 : -1;
    return g->before < 0 ? MPI_ERR_INTERN : MPI_SUCCESS;
}

int mpi_rma_mutex_try(struct mpi_win *w, int target, bool *got, int *ended)
{
    struct mpi_rma_waiter g = mutex_of(w, target, NULL);
    int class = w->local ? mpi_rma_turn_try(&g, got) : try_queue(&g, got);
    if (*got)
        set_holds(w, target, true);
    else if (!class)
        class = mpi_rma_broken(&g);
    class = mutex_end(&g, class, ended);
    return *got ? counted(&g, class) : class;
}

int mpi_rma_mutex_unlock(struct mpi_win *w, int target, const char *call, int *ended)
{
    struct mpi_rma_waiter g = mutex_of(w, target, call);
    set_holds(w, target, false);
    mpi_rma_explain_begin(w);
    int class = leave(&g);
    mpi_rma_explain_end(w, target, "unlock", 0);
    return mutex_end(&g, class, ended);
}

/* -- accumulating */

/* Others reach this rank's word by packets where it is not mapped, and what came of them while the
 * rank held it has found it taken: they get their chance before it is taken again.  A rank that
 * polls its own memory in this way would keep them out for ever. */
static void let_others_try(const struct mpi_rma_waiter *g)
{
    if (likely(g->w->part[g->target].control) || g->target != g->w->comm->rank)
        return;
    nic_enter(mpi_nic);
    nic_step(mpi_nic);
    nic_leave(mpi_nic);
}

/* Who takes the word again as soon as it has given it back would keep the others out, who look for
 * the moment in between.  So it waits a little for who asks, once for each time; but not where
 * ranks outnumber the cores: who asks may have none now. */
static void let_others_in(const struct mpi_rma_waiter *g)
{
    struct mpi_rma_control *c = g->w->part[g->target].control;
    const uint32_t me = (uint32_t)mpi_rma_own_name(g->w);
    uint32_t wanted = c ? __atomic_load_n(&c->wanted, __ATOMIC_RELAXED) : 0;
    if (likely(!wanted || wanted == me) || nic_oversubscribed(mpi_nic))
        return;
    for (unsigned i = 0; i < GIVES && __atomic_load_n(&c->wanted, __ATOMIC_RELAXED) == wanted; i++)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(&c->wanted, &wanted, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void ask(const struct mpi_rma_waiter *g, bool wanted)
{
    struct mpi_rma_control *c = g->w->part[g->target].control;
    uint32_t me = (uint32_t)mpi_rma_own_name(g->w);
    if (c && wanted)
        __atomic_store_n(&c->wanted, me, __ATOMIC_RELAXED);
    else if (c)
        __atomic_compare_exchange_n(&c->wanted, &me, 0, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

/* Whoever finds the word taken looks again: in a queue each hand-over would be a switch of context
 * where ranks share cores, which doubles the time.  Who holds the word may need this rank's NIC: a
 * turn each. */
static int busy_by_chance(struct mpi_rma_waiter *g)
{
    struct nic_wait wait = { .note = g->note, .argument = g, .polled = true };
    let_others_try(g);
    let_others_in(g);
    for (unsigned i = 0;; i++) {
        uint64_t holder;
        int class = mpi_rma_word(g->w, g->target, mpi_rma_busy_queue.tail, NIC_ATOMIC_COMPARE,
                                 mpi_rma_own_name(g->w), 0, &holder);
        if (!class && !holder && i >= ASKS)
            ask(g, false);
        if (class || !holder)
            return class;
        if (!mpi_rma_is_name(g->w, holder))
            return MPI_ERR_INTERN;
        g->before = (int)holder - 1;
        if (i % ASKS == ASKS - 1)
            ask(g, true);
        if (i < SPINS)
            continue;
        nic_enter(mpi_nic);
        struct fw_req *watch = mpi_rma_watch(g->w);
        nic_wait_turn(mpi_nic, &wait);
        mpi_rma_unwatch(watch);
        nic_leave(mpi_nic);
        if (i % SPINS == 0 && mpi_rma_has_ended(g->w, g->before))
            return MPI_ERR_PROC_ABORTED;
    }
}

static int idle_by_chance(const struct mpi_rma_waiter *g)
{
    uint64_t old;
    return mpi_rma_word(g->w, g->target, mpi_rma_busy_queue.tail, NIC_ATOMIC_WRITE, 0, 0, &old);
}

/* On the model clock nothing is left to chance: who looks in step with others may find the word
 * taken for ever.  There it is a queue. */
int mpi_rma_busy(struct mpi_win *w, int target)
{
    struct mpi_rma_waiter g = { .w = w, .note = mpi_rma_busy_note, .target = target };
    return mpi_modelled ? mpi_rma_queue_enter(&mpi_rma_busy_queue, &g)
           : busy_by_chance(&g);
}

int mpi_rma_idle(struct mpi_win *w, int target)
{
    struct mpi_rma_waiter g = { .w = w, .note = mpi_rma_busy_note, .target = target };
    return mpi_modelled ? mpi_rma_queue_leave(&mpi_rma_busy_queue, &g)
           : idle_by_chance(&g);
}
