/* The queues of windows' locks. */
#include "rma/lock.h"

#include <stdio.h>

#include "core/label.h"
#include "nicemu/threads.h"
#include "rma/explained.h"
#include "rma/lost.h"
#include "rma/word.h"

enum { SPINS = 200 };       /* looks at a busy word, some microseconds, before giving way */

static const size_t READERS = offsetof(struct mpi_rma_control, readers);
static const size_t BROKEN = offsetof(struct mpi_rma_control, broken);

/* The last of a queue, in the target's block; a rank's place in it, in its node for the target. */
struct queue { size_t tail, next, go; };
#define QUEUE(member, place) \
    { offsetof(struct mpi_rma_control, member), offsetof(struct mpi_rma_node, place.next), \
      offsetof(struct mpi_rma_node, place.go) }
static const struct queue locks = QUEUE(tail, lock), accumulates = QUEUE(busy, busy);

static size_t drained_of(int target)
{
    return mpi_rma_node_at(target, offsetof(struct mpi_rma_node, drained));
}

static uint64_t name_of(const struct mpi_win *w) { return (uint64_t)(unsigned)w->comm->rank + 1; }
static bool is_name(const struct mpi_win *w, uint64_t name)
{
    return name && name <= (unsigned)w->comm->size;
}
static uint64_t readers_in(uint64_t word) { return word & UINT32_MAX; }
static uint64_t writer_in(uint64_t word) { return word >> MPI_RMA_WRITER_SHIFT; }

/* -- reasons to wait */

struct waiting {
    struct mpi_win *w;
    const struct queue *queue;
    const char *(*note)(void *argument, char *text, size_t size);
    int target, before, ended;
    bool exclusive, anybody;    /* anybody: who is waited for is not known yet */
    const char *call;
};

/* Where the target's words are mapped they say who has the lock. */
static void say_holder(const struct waiting *g, char *text, size_t size)
{
    const struct mpi_rma_control *c = g->w->part[g->target].control;
    uint64_t holder = c ? __atomic_load_n(&c->holder, __ATOMIC_RELAXED) : 0;
    uint64_t readers = c ? readers_in(__atomic_load_n(&c->readers, __ATOMIC_RELAXED)) : 0;
    if (holder)
        snprintf(text, size, "rank %llu holds it", (unsigned long long)(holder - 1));
    else if (readers)
        snprintf(text, size, "%llu rank%s share it", (unsigned long long)readers,
                 readers == 1 ? "" : "s");
    else
        snprintf(text, size, "it waits behind rank %d", g->before);
}

static const char *lock_note(void *argument, char *text, size_t size)
{
    const struct waiting *g = argument;
    char label[MPI_LABEL_LONG], holder[64];
    say_holder(g, holder, sizeof holder);
    snprintf(text, size, "%s(%srank %d, %s): %s", g->call,
             g->w->breaks ? "" : g->exclusive ? "exclusive, " : "shared, ", g->target,
             mpi_label_long(g->w->comm, label, sizeof label), holder);
    return text;
}

static const char *busy_note(void *argument, char *text, size_t size)
{
    const struct waiting *g = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "an accumulate to rank %d, %s: it waits for rank %d", g->target,
             mpi_label_long(g->w->comm, label, sizeof label), g->before);
    return text;
}

/* -- queues */

static size_t next_of(const struct waiting *g)
{
    return mpi_rma_node_at(g->target, g->queue->next);
}
static size_t go_of(const struct waiting *g) { return mpi_rma_node_at(g->target, g->queue->go); }

static bool has_gone(const struct mpi_win *w, int rank)
{
    nic_enter(mpi_nic);
    const bool gone = nic_gone(mpi_nic, mpi_win_world(w, rank));
    nic_leave(mpi_nic);
    return gone;
}

/* Whom this rank waits for has ended; -1: it has not.  Who is about to enter the queue behind the
 * last one may be anybody. */
static int ended_before(const struct waiting *g)
{
    if (!g->anybody)
        return g->before >= 0 && has_gone(g->w, g->before) ? g->before : -1;
    for (int i = 0; i < g->w->comm->size; i++)
        if (has_gone(g->w, i))
            return i;
    return -1;
}

/* Says so to those who come later. */
static int broken(struct waiting *g)
{
    uint64_t name = 0, old;
    g->ended = has_gone(g->w, g->target) ? g->target : ended_before(g);
    if (g->ended >= 0 && g->ended != g->target)
        mpi_rma_word(g->w, g->target, BROKEN, NIC_ATOMIC_WRITE, (uint64_t)g->ended + 1, 0, &old);
    else if (g->ended < 0 && !mpi_rma_word_read(g->w, g->target, BROKEN, &name)
             && is_name(g->w, name))
        g->ended = (int)name - 1;
    return g->ended < 0 ? MPI_SUCCESS : MPI_ERR_PROC_ABORTED;
}

/* For a word of this rank's place.  Who has told and ended then has told. */
static int queue_wait(struct waiting *g, size_t at, uint64_t *value)
{
    if (likely(!g->w->breaks)) {
        *value = mpi_rma_word_wait(g->w, at, g->note, g);
        return *value ? MPI_SUCCESS : MPI_ERR_PROC_ABORTED;
    }
    int class = MPI_SUCCESS;
    while (!class && !(*value = mpi_rma_word_wait_some(g->w, at, g->note, g)))
        class = broken(g);
    *value = mpi_rma_word_own(g->w, at);
    return *value ? MPI_SUCCESS : class;
}

static void queue_prepare(const struct waiting *g)
{
    mpi_rma_word_set(g->w, next_of(g), 0);
    mpi_rma_word_set(g->w, go_of(g), 0);
}

static int queue_enter(struct waiting *g)
{
    struct mpi_win *w = g->w;
    uint64_t before;
    queue_prepare(g);
    int class = mpi_rma_word(w, g->target, g->queue->tail, NIC_ATOMIC_WRITE, name_of(w), 0,
                             &before);
    if (class || !before)
        return class;
    if (!is_name(w, before))
        return MPI_ERR_INTERN;
    g->before = (int)before - 1;
    class = mpi_rma_word_tell(w, g->before, next_of(g), name_of(w));
    return class ? class : queue_wait(g, go_of(g), &before);
}

/* The queue ends here, or the next one, who is about to say who it is, is the first. */
static int queue_leave(struct waiting *g)
{
    struct mpi_win *w = g->w;
    uint64_t next = mpi_rma_word_own(w, next_of(g)), last;
    if (!next) {
        int class = mpi_rma_word(w, g->target, g->queue->tail, NIC_ATOMIC_COMPARE, 0, name_of(w),
                                 &last);
        if (class || last == name_of(w))
            return class;
        if (!is_name(w, last))
            return MPI_ERR_INTERN;      /* nobody is about to say anything */
        g->before = (int)last - 1;
        g->anybody = true;
        class = queue_wait(g, next_of(g), &next);
        if (class)
            return class;
    }
    return is_name(w, next) ? mpi_rma_word_tell(w, (int)next - 1, go_of(g), 1) : MPI_ERR_INTERN;
}

/* -- who shares a lock */

/* This rank's name comes into the word, from where the last reader takes it, and goes. */
static int wait_for_last(struct waiting *g)
{
    struct mpi_win *w = g->w;
    const uint64_t me = name_of(w) << MPI_RMA_WRITER_SHIFT;
    uint64_t readers;
    mpi_rma_word_set(w, drained_of(g->target), 0);
    int class = mpi_rma_word(w, g->target, READERS, NIC_ATOMIC_ADD, me, 0, &readers);
    if (class)
        return class;
    if (readers_in(readers) && !mpi_rma_word_wait(w, drained_of(g->target), g->note, g))
        return MPI_ERR_PROC_ABORTED;
    return mpi_rma_word(w, g->target, READERS, NIC_ATOMIC_ADD, -me, 0, &readers);
}

/* First in the queue: nobody new can share the lock.  The word is read first, as nobody shares it
 * mostly. */
static int wait_for_readers(struct waiting *g)
{
    uint64_t readers;
    int class = mpi_rma_word_read(g->w, g->target, READERS, &readers);
    if (class || !readers)
        return class;
    if (readers_in(readers) > (unsigned)g->w->comm->size || writer_in(readers))
        return MPI_ERR_INTERN;
    return wait_for_last(g);
}

static void set_holder(struct mpi_win *w, int target, uint64_t holder)
{
    struct mpi_rma_control *c = w->part[target].control;
    if (c)
        __atomic_store_n(&c->holder, holder, __ATOMIC_RELAXED);
}

/* -- the lock */

static int lock_alone(struct waiting *g)
{
    int class = wait_for_readers(g);
    if (!class)
        set_holder(g->w, g->target, name_of(g->w));
    return class;
}

static int lock_shared(struct waiting *g)
{
    uint64_t old;
    int class = mpi_rma_word(g->w, g->target, READERS, NIC_ATOMIC_ADD, 1, 0, &old);
    return class ? class : queue_leave(g);
}

int mpi_rma_lock(struct mpi_win *w, int target, bool exclusive, const char *call)
{
    struct waiting g = { .w = w, .queue = &locks, .note = lock_note, .target = target,
                         .exclusive = exclusive, .call = call };
    mpi_rma_explain_begin(w);
    int class = queue_enter(&g);
    if (!class)
        class = exclusive ? lock_alone(&g) : lock_shared(&g);
    mpi_rma_explain_end(w, target, "lock", 0);
    return class;
}

static int unlock_shared(struct mpi_win *w, int target)
{
    uint64_t old;
    int class = mpi_rma_word(w, target, READERS, NIC_ATOMIC_ADD, (uint64_t)-1, 0, &old);
    if (class || readers_in(old) != 1 || !writer_in(old))
        return class;
    return is_name(w, writer_in(old))
           ? mpi_rma_word_tell(w, (int)writer_in(old) - 1, drained_of(target), 1) : MPI_ERR_INTERN;
}

int mpi_rma_unlock(struct mpi_win *w, int target, bool exclusive)
{
    struct waiting g = { .w = w, .queue = &locks, .note = lock_note, .target = target,
                         .exclusive = exclusive, .call = "MPI_Win_unlock" };
    mpi_rma_explain_begin(w);
    if (exclusive)
        set_holder(w, target, 0);
    int class = exclusive ? queue_leave(&g) : unlock_shared(w, target);
    mpi_rma_explain_end(w, target, "unlock", 0);
    return class;
}

/* -- locks that break */

static struct waiting mutex_of(struct mpi_win *w, int target, const char *call)
{
    return (struct waiting){ .w = w, .queue = &locks, .note = lock_note, .target = target,
                             .before = -1, .ended = -1, .exclusive = true, .call = call };
}

/* A call with it ends; who has ended may be known from what was not answered alone. */
static int mutex_end(struct waiting *g, int class, int *ended)
{
    if (unlikely(class == MPI_ERR_PROC_ABORTED && g->ended < 0))
        broken(g);
    *ended = g->ended;
    return class;
}

int mpi_rma_mutex_lock(struct mpi_win *w, int target, const char *call, int *ended)
{
    struct waiting g = mutex_of(w, target, call);
    mpi_rma_explain_begin(w);
    int class = queue_enter(&g);
    if (!class)
        set_holder(w, target, name_of(w));
    mpi_rma_explain_end(w, target, "lock", 0);
    return mutex_end(&g, class, ended);
}

int mpi_rma_mutex_try(struct mpi_win *w, int target, bool *got, int *ended)
{
    struct waiting g = mutex_of(w, target, NULL);
    uint64_t last = 0;
    queue_prepare(&g);
    int class = mpi_rma_word(w, target, g.queue->tail, NIC_ATOMIC_COMPARE, name_of(w), 0, &last);
    *got = !class && !last;
    if (*got)
        set_holder(w, target, name_of(w));
    if (!class && last) {
        g.before = is_name(w, last) ? (int)last - 1 : -1;
        class = g.before < 0 ? MPI_ERR_INTERN : broken(&g);
    }
    return mutex_end(&g, class, ended);
}

int mpi_rma_mutex_unlock(struct mpi_win *w, int target, const char *call, int *ended)
{
    struct waiting g = mutex_of(w, target, call);
    set_holder(w, target, 0);
    mpi_rma_explain_begin(w);
    int class = queue_leave(&g);
    mpi_rma_explain_end(w, target, "unlock", 0);
    return mutex_end(&g, class, ended);
}

/* -- accumulating */

/* Whoever finds the word taken looks again: in a queue each hand-over would be a switch of context
 * where ranks share cores, which doubles the time.  Who holds the word may need this rank's NIC: a
 * turn each. */
static int busy_by_chance(struct waiting *g)
{
    struct nic_wait wait = { .note = g->note, .argument = g, .polled = true };
    for (unsigned i = 0;; i++) {
        uint64_t holder;
        int class = mpi_rma_word(g->w, g->target, g->queue->tail, NIC_ATOMIC_COMPARE,
                                 name_of(g->w), 0, &holder);
        if (class || !holder)
            return class;
        if (!is_name(g->w, holder))
            return MPI_ERR_INTERN;
        g->before = (int)holder - 1;
        if (i < SPINS)
            continue;
        nic_enter(mpi_nic);
        struct fw_req *watch = mpi_rma_watch(g->w);
        nic_wait_turn(mpi_nic, &wait);
        mpi_rma_unwatch(watch);
        nic_leave(mpi_nic);
        if (i % SPINS == 0 && has_gone(g->w, g->before))
            return MPI_ERR_PROC_ABORTED;
    }
}

static int idle_by_chance(const struct waiting *g)
{
    uint64_t old;
    return mpi_rma_word(g->w, g->target, g->queue->tail, NIC_ATOMIC_WRITE, 0, 0, &old);
}

/* On the model clock nothing is left to chance: who looks in step with others may find the word
 * taken for ever.  There it is a queue. */
int mpi_rma_busy(struct mpi_win *w, int target)
{
    struct waiting g = { .w = w, .queue = &accumulates, .note = busy_note, .target = target };
    return mpi_modelled ? queue_enter(&g) : busy_by_chance(&g);
}

int mpi_rma_idle(struct mpi_win *w, int target)
{
    struct waiting g = { .w = w, .queue = &accumulates, .note = busy_note, .target = target };
    return mpi_modelled ? queue_leave(&g) : idle_by_chance(&g);
}
