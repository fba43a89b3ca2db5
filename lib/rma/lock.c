/* The queues of windows' locks. */
#include "rma/lock.h"

#include <stdio.h>

#include "core/label.h"
#include "nicemu/threads.h"
#include "rma/word.h"

enum { SPINS = 200 };       /* looks at a busy word, some microseconds, before giving way */

static const size_t TAIL = offsetof(struct mpi_rma_control, tail),
                    READERS = offsetof(struct mpi_rma_control, readers),
                    BUSY = offsetof(struct mpi_rma_control, busy);

static size_t next_of(int target)
{
    return mpi_rma_node_at(target, offsetof(struct mpi_rma_node, next));
}
static size_t go_of(int target)
{
    return mpi_rma_node_at(target, offsetof(struct mpi_rma_node, go));
}
static size_t drained_of(int target)
{
    return mpi_rma_node_at(target, offsetof(struct mpi_rma_node, drained));
}

static uint64_t name_of(const struct mpi_win *w) { return (uint64_t)(unsigned)w->comm->rank + 1; }
static uint64_t readers_in(uint64_t word) { return word & UINT32_MAX; }
static uint64_t writer_in(uint64_t word) { return word >> MPI_RMA_WRITER_SHIFT; }

/* -- reasons to wait */

struct waiting { struct mpi_win *w; int target, before; bool exclusive, first; const char *call; };

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

static const char *note(void *argument, char *text, size_t size)
{
    const struct waiting *g = argument;
    char label[MPI_LABEL_LONG], holder[64];
    say_holder(g, holder, sizeof holder);
    snprintf(text, size, "%s(%s, rank %d, %s): %s", g->call, g->exclusive ? "exclusive" : "shared",
             g->target, mpi_label_long(g->w->comm, label, sizeof label), holder);
    return text;
}

/* -- the queue */

static void queue_enter(struct waiting *g)
{
    struct mpi_win *w = g->w;
    mpi_rma_word_set(w, next_of(g->target), 0);
    mpi_rma_word_set(w, go_of(g->target), 0);
    uint64_t before = mpi_rma_word(w, g->target, TAIL, NIC_ATOMIC_WRITE, name_of(w), 0);
    if (!before)
        return;
    g->before = (int)before - 1;
    mpi_rma_word_tell(w, g->before, next_of(g->target), name_of(w));
    mpi_rma_word_wait(w, go_of(g->target), note, g);
}

/* The queue ends here, or the next one, who is about to say who it is, is the first. */
static void queue_leave(struct waiting *g)
{
    struct mpi_win *w = g->w;
    const struct mpi_rma_node *node = &mpi_win_control(w)->node[g->target];
    uint64_t next = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
    if (!next && mpi_rma_word(w, g->target, TAIL, NIC_ATOMIC_COMPARE, 0, name_of(w)) == name_of(w))
        return;
    if (!next)
        next = mpi_rma_word_wait(w, next_of(g->target), note, g);
    mpi_rma_word_tell(w, (int)next - 1, go_of(g->target), 1);
}

/* First in the queue: nobody new can share the lock.  The word is read first, as nobody shares it
 * mostly. */
static void wait_for_readers(struct waiting *g)
{
    struct mpi_win *w = g->w;
    const uint64_t me = name_of(w) << MPI_RMA_WRITER_SHIFT;
    if (!readers_in(mpi_rma_word_read(w, g->target, READERS)))
        return;
    mpi_rma_word_set(w, drained_of(g->target), 0);
    if (readers_in(mpi_rma_word(w, g->target, READERS, NIC_ATOMIC_ADD, me, 0)))
        mpi_rma_word_wait(w, drained_of(g->target), note, g);
    mpi_rma_word(w, g->target, READERS, NIC_ATOMIC_ADD, -me, 0);
}

static void set_holder(struct mpi_win *w, int target, uint64_t holder)
{
    struct mpi_rma_control *c = w->part[target].control;
    if (c)
        __atomic_store_n(&c->holder, holder, __ATOMIC_RELAXED);
}

/* -- the lock */

void mpi_rma_lock(struct mpi_win *w, int target, bool exclusive, const char *call)
{
    struct waiting g = { .w = w, .target = target, .exclusive = exclusive, .call = call };
    queue_enter(&g);
    if (exclusive) {
        wait_for_readers(&g);
        set_holder(w, target, name_of(w));
    } else {
        mpi_rma_word(w, target, READERS, NIC_ATOMIC_ADD, 1, 0);
        queue_leave(&g);
    }
}

void mpi_rma_unlock(struct mpi_win *w, int target, bool exclusive)
{
    struct waiting g = { .w = w, .target = target, .exclusive = exclusive,
                         .call = "MPI_Win_unlock" };
    if (exclusive) {
        set_holder(w, target, 0);
        queue_leave(&g);
        return;
    }
    uint64_t old = mpi_rma_word(w, target, READERS, NIC_ATOMIC_ADD, (uint64_t)-1, 0);
    if (readers_in(old) == 1 && writer_in(old))
        mpi_rma_word_tell(w, (int)writer_in(old) - 1, drained_of(target), 1);
}

/* -- accumulating */

/* Who holds the word may need this rank's NIC: a turn each. */
static const char *busy_note(void *argument, char *text, size_t size)
{
    const struct waiting *g = argument;
    snprintf(text, size, "an accumulate to rank %d of a window, which another rank is doing",
             g->target);
    return text;
}

void mpi_rma_busy(struct mpi_win *w, int target)
{
    struct waiting g = { .w = w, .target = target };
    struct nic_wait wait = { .note = busy_note, .argument = &g, .polled = true };
    for (unsigned i = 0; mpi_rma_word(w, target, BUSY, NIC_ATOMIC_COMPARE, name_of(w), 0); i++) {
        if (mpi_modelled || i < SPINS)
            continue;
        nic_enter(mpi_nic);
        nic_wait_turn(mpi_nic, &wait);
        nic_leave(mpi_nic);
    }
}

void mpi_rma_idle(struct mpi_win *w, int target)
{
    mpi_rma_word(w, target, BUSY, NIC_ATOMIC_WRITE, 0, 0);
}
