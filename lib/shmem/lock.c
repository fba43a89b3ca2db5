/* Locks: one queue per lock (Mellor-Crummey and Scott's), in which each PE waits at its own copy of
 * the variable, in the order in which they came.
 *
 * The variable has two words at each PE.  The tail, at the lock's home alone, names the last of the
 * queue; the node says who comes behind this PE, and that it is its turn: whoever has the lock has
 * that bit in its node, from when it comes until clear_lock.  Names are the PE + 1. */
#include <assert.h>
#include <stdio.h>

#include "shmem/access.h"
#include "shmem/error.h"
#include "shmem/wait.h"

static_assert(sizeof(long) == 8, "two words");
enum { NODE, TAIL };
#define TURN (UINT32_C(1) << 31)    /* in the node, above the name of the next */

struct lock { const char *call; uint32_t *word; int home, before; };

static uint32_t my_name(void) { return (uint32_t)mpi_shmem.me + 1; }

/* Locks of a program have their homes at different PEs. */
static struct lock lock_of(const char *call, long *at)
{
    size_t offset;
    mpi_shmem_check_up(call);
    mpi_shmem_find(call, at, sizeof *at, &offset);
    if (offset % sizeof *at)
        mpi_shmem_die(call, "the lock at %p is not aligned", (void *)at);
    return (struct lock){ .call = call, .word = (uint32_t *)(void *)at,
                          .home = (int)(offset / sizeof *at % (size_t)mpi_shmem.n) };
}

/* Sequentially consistent, so that who gets the lock sees what was stored under it. */
static uint32_t apply(uint32_t *at, enum nic_atomic_op op, uint32_t operand, uint32_t compare)
{
    switch (op) {
    case NIC_ATOMIC_WRITE:
        return __atomic_exchange_n(at, operand, __ATOMIC_SEQ_CST);
    case NIC_ATOMIC_OR:
        return __atomic_fetch_or(at, operand, __ATOMIC_SEQ_CST);
    default:
        __atomic_compare_exchange_n(at, &compare, operand, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        return compare;
    }
}

static uint32_t change(const struct lock *l, int word, int pe, enum nic_atomic_op op,
                       uint32_t operand, uint32_t compare)
{
    uint32_t old = 0, *at = (uint32_t *)(void *)mpi_shmem_reach(&l->word[word], sizeof *at, pe);
    const struct mpi_shmem_atomic a = { op, sizeof *at, operand, compare, &old };
    if (likely(at != NULL))
        old = apply(at, op, operand, compare);
    else
        mpi_shmem_atomic_far(l->call, &mpi_shmem_default, &l->word[word], &a, true, pe);
    mpi_shmem_wake(pe);
    return old;
}

static uint32_t my_node(const struct lock *l)
{
    return __atomic_load_n(&l->word[NODE], __ATOMIC_ACQUIRE);
}

static void clear_node(const struct lock *l)
{
    __atomic_store_n(&l->word[NODE], 0, __ATOMIC_RELEASE);
}

/* Nobody was before this PE.  Who comes behind may be in the node already. */
static void take_turn(const struct lock *l)
{
    apply(&l->word[NODE], NIC_ATOMIC_OR, TURN, 0);
}

static bool my_turn(void *argument) { return my_node(argument) & TURN; }
static bool next_known(void *argument) { return my_node(argument) & ~TURN; }

static const char *note(void *argument, char *text, size_t size)
{
    const struct lock *l = argument;
    if (l->before < 0)
        snprintf(text, size, "%s(%p): the next in the queue is about to say who it is", l->call,
                 (void *)l->word);
    else
        snprintf(text, size, "%s(%p): it waits behind PE %d", l->call, (void *)l->word,
                 l->before);
    return text;
}

_Noreturn static void die_garbage(const struct lock *l)
{
    mpi_shmem_die(l->call, "the lock at %p was written over, or not 0 at first", (void *)l->word);
}

/* Of a name found in a lock, which may never have been cleared. */
static int pe_of(const struct lock *l, uint32_t name)
{
    if (unlikely(!name || name > (uint32_t)mpi_shmem.n))
        die_garbage(l);
    return (int)name - 1;
}

/* It would wait behind itself, or behind those who wait for it. */
_Noreturn static void die_again(const struct lock *l)
{
    if ((my_node(l) & ~TURN) > (uint32_t)mpi_shmem.n)
        die_garbage(l);
    mpi_shmem_die(l->call, "this PE has the lock at %p already", (void *)l->word);
}

/* Others may wait for it, or have it. */
_Noreturn static void die_not_mine(const struct lock *l)
{
    const uint32_t last = change(l, TAIL, l->home, NIC_ATOMIC_OR, 0, 0);
    if (!last)
        mpi_shmem_die(l->call, "the lock at %p is not set", (void *)l->word);
    pe_of(l, last);
    mpi_shmem_die(l->call, "this PE does not have the lock at %p", (void *)l->word);
}

void pshmem_set_lock(long *lock)
{
    struct lock l = lock_of("shmem_set_lock", lock);
    if (unlikely(my_turn(&l)))
        die_again(&l);
    clear_node(&l);
    const uint32_t before = change(&l, TAIL, l.home, NIC_ATOMIC_WRITE, my_name(), 0);
    if (!before) {
        take_turn(&l);
        return;
    }
    l.before = pe_of(&l, before);
    if (l.before == mpi_shmem.me)
        die_garbage(&l);
    change(&l, NODE, l.before, NIC_ATOMIC_OR, my_name(), 0);
    mpi_shmem_wait(my_turn, note, &l, true);
}
SHMEM_ALIAS(set_lock);

/* What was done under the lock is complete before it is free. */
void pshmem_clear_lock(long *lock)
{
    struct lock l = lock_of("shmem_clear_lock", lock);
    mpi_shmem_quiet(&mpi_shmem_default, l.call);
    if (unlikely(!my_turn(&l)))
        die_not_mine(&l);
    if (!next_known(&l)) {
        if (change(&l, TAIL, l.home, NIC_ATOMIC_COMPARE, 0, my_name()) == my_name()) {
            clear_node(&l);
            return;
        }
        l.before = -1;
        mpi_shmem_wait(next_known, note, &l, true);
    }
    const int next = pe_of(&l, my_node(&l) & ~TURN);
    clear_node(&l);
    change(&l, NODE, next, NIC_ATOMIC_OR, TURN, 0);
}
SHMEM_ALIAS(clear_lock);

/* Who has it has a node that others may write to: it is cleared only where nobody has. */
int pshmem_test_lock(long *lock)
{
    struct lock l = lock_of("shmem_test_lock", lock);
    if (change(&l, TAIL, l.home, NIC_ATOMIC_OR, 0, 0)) {
        mpi_shmem_look();
        return 1;
    }
    clear_node(&l);
    const bool got = !change(&l, TAIL, l.home, NIC_ATOMIC_COMPARE, my_name(), 0);
    if (got)
        take_turn(&l);
    else
        mpi_shmem_look();
    return !got;
}
SHMEM_ALIAS(test_lock);
