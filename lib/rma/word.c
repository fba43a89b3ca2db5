/* Words of control blocks: by the processor where they are mapped here, else by their owner's
 * NIC. */
#include "rma/word.h"

#include <errno.h>
#include <stdlib.h>

#include "nicemu/machines.h"
#include "nicemu/threads.h"
#include "rma/explained.h"
#include "rma/lost.h"
#include "rma/outcome.h"

enum { SOME_MS = 50 };

static uint64_t *word_at(const void *block, size_t at)
{
    return (uint64_t *)(uintptr_t)((const char *)block + at);
}

/* Sequentially consistent, so that an unlock comes behind what was stored under the lock, and what
 * is loaded under it behind the lock. */
static uint64_t apply(uint64_t *word, enum nic_atomic_op op, uint64_t operand, uint64_t compare)
{
    switch (op) {
    case NIC_ATOMIC_ADD:
        return operand ? __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST)
               : __atomic_load_n(word, __ATOMIC_SEQ_CST);
    case NIC_ATOMIC_WRITE:
        return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
    default:
        __atomic_compare_exchange_n(word, &compare, operand, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        return compare;
    }
}

/* The program did not name this memory: that it is out of reach is no mistake of its. */
static int class_of(int status)
{
    int class = mpi_rma_class_of(status);
    return class == MPI_ERR_RMA_RANGE || class == MPI_ERR_BUFFER ? MPI_ERR_OTHER : class;
}

/* As nic_atomic_wait, of a rank that may be lost. */
static int ask_far(const struct mpi_win *w, const struct nic_atomic *a)
{
    struct nic_outcome outcome = { .done = NULL };
    int rc = nic_atomic(mpi_nic, a, &outcome);
    return rc ? rc : mpi_rma_outcome_wait(w, &outcome);
}

/* As nic_atomic_wait, explained. */
static int ask_modelled(struct mpi_win *w, const struct nic_atomic *a)
{
    struct nic_outcome outcome = { .done = mpi_rma_explain_answer, .context = w };
    mpi_rma_explain_step(w);
    int rc = nic_atomic(mpi_nic, a, &outcome);
    return rc ? rc : nic_outcome_wait(mpi_nic, &outcome);
}

/* As nic_atomic_wait, of a rank that may have ended: then the NIC keeps what would be answered. */
static int ask_mortal(struct mpi_win *w, int rank, struct nic_atomic *a)
{
    struct mpi_rma_asked *q = calloc(1, sizeof *q);
    struct nic_wait wait = { .most_ns = SOME_MS * UINT64_C(1000000) };
    uint64_t *old = a->result;
    if (!q)
        return -ENOMEM;
    a->result = &q->old;
    int rc = nic_atomic(mpi_nic, a, &q->outcome);
    while (!rc && nic_outcome_status(&q->outcome) == -EINPROGRESS) {
        if (nic_gone(mpi_nic, mpi_win_world(w, rank))) {
            q->next = w->unanswered;
            w->unanswered = q;
            return -EHOSTDOWN;
        }
        nic_wait_turn(mpi_nic, &wait);
    }
    rc = rc ? rc : nic_outcome_status(&q->outcome);
    *old = q->old;
    free(q);
    return rc;
}

static int ask(struct mpi_win *w, int rank, size_t at, enum nic_atomic_op op, uint64_t operand,
               uint64_t compare, uint64_t *old)
{
    struct nic_atomic a = { .op = op, .type = NIC_ATOMIC_UINT64,
                            .target = w->part[rank].control_address, .operand = operand,
                            .compare = compare, .result = old, .counter = NIC_SPAD_NONE };
    *old = 0;
    a.target.offset += at;
    nic_enter(mpi_nic);
    int rc;
    if (mpi_modelled)
        rc = ask_modelled(w, &a);
    else if (w->breaks)
        rc = ask_mortal(w, rank, &a);
    else if (nic_is_here(mpi_nic, mpi_win_world(w, rank)))
        rc = nic_atomic_wait(mpi_nic, &a);
    else
        rc = ask_far(w, &a);
    nic_leave(mpi_nic);
    return class_of(rc);
}

int mpi_rma_word(struct mpi_win *w, int rank, size_t at, enum nic_atomic_op op, uint64_t operand,
                 uint64_t compare, uint64_t *old)
{
    struct mpi_rma_control *c = w->part[rank].control;
    if (unlikely(!c))
        return ask(w, rank, at, op, operand, compare, old);
    *old = apply(word_at(c, at), op, operand, compare);
    return MPI_SUCCESS;
}

int mpi_rma_word_tell(struct mpi_win *w, int rank, size_t at, uint64_t value)
{
    uint64_t old;
    int class = mpi_rma_word(w, rank, at, NIC_ATOMIC_WRITE, value, 0, &old);
    if (w->part[rank].control)
        nic_notify(mpi_nic, mpi_win_world(w, rank));
    return class;
}

uint64_t mpi_rma_word_own(const struct mpi_win *w, size_t at)
{
    return __atomic_load_n(word_at(w->own_control, at), __ATOMIC_ACQUIRE);
}

void mpi_rma_word_set(struct mpi_win *w, size_t at, uint64_t value)
{
    __atomic_store_n(word_at(w->own_control, at), value, __ATOMIC_RELEASE);
}

struct waiting {
    const uint64_t *word;
    const char *(*note)(void *argument, char *text, size_t size);
    void *argument;
};

static bool has_come(void *argument)
{
    const struct waiting *w = argument;
    return __atomic_load_n(w->word, __ATOMIC_ACQUIRE) != 0;    /* pairs with the teller's write */
}

static const char *say(void *argument, char *text, size_t size)
{
    const struct waiting *w = argument;
    return w->note(w->argument, text, size);
}

uint64_t mpi_rma_word_wait(struct mpi_win *w, size_t at,
                           const char *(*note)(void *argument, char *text, size_t size),
                           void *argument)
{
    struct waiting waiting = { word_at(w->own_control, at), note, argument };
    struct nic_wait wait = { .note = say, .argument = &waiting, .ready = has_come };
    if (mpi_modelled || !has_come(&waiting)) {
        nic_enter(mpi_nic);
        struct fw_req *watch = mpi_rma_watch(w);
        bool lost = false;
        while (!has_come(&waiting) && !lost) {
            nic_wait_turn(mpi_nic, &wait);
            lost = mpi_rma_lost(w, &watch);
        }
        mpi_rma_unwatch(watch);
        nic_leave(mpi_nic);
    }
    return __atomic_load_n(waiting.word, __ATOMIC_ACQUIRE);
}

uint64_t mpi_rma_word_wait_some(struct mpi_win *w, size_t at,
                                const char *(*note)(void *argument, char *text, size_t size),
                                void *argument)
{
    struct waiting waiting = { word_at(w->own_control, at), note, argument };
    struct nic_wait wait = { .note = say, .argument = &waiting, .ready = has_come,
                             .most_ns = SOME_MS * UINT64_C(1000000) };
    nic_enter(mpi_nic);
    const uint64_t end = nic_moment(mpi_nic) + SOME_MS * UINT64_C(1000000000);  /* ps */
    struct fw_req *watch = mpi_rma_watch(w);    /* so that far ranks are looked after */
    while (!has_come(&waiting) && (mpi_modelled || nic_moment(mpi_nic) < end))
        nic_wait_turn(mpi_nic, &wait);
    mpi_rma_unwatch(watch);
    nic_leave(mpi_nic);
    return __atomic_load_n(waiting.word, __ATOMIC_ACQUIRE);
}
