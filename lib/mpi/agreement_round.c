/* Offers and turns of one rank. */
#include "mpi/agreement_round.h"

#include <stdatomic.h>
#include <string.h>

enum {
    WORDS = MPI_CONTEXT_WORDS,
    AGREED_WINDOWS = (1 << MPI_CONTEXT_ALONE) - 1,      /* mask of those that ranks agree on */
};

/* What a rank contributes besides free contexts; the ranks agree on what all have. */
enum { OFFERED = 1, NO_THREADS = 2, HAS_FREE = 2 /* shift: a bit for each window */ };

/* Owner: baton. */
static struct {
    struct mpi_agreement *stamped;      /* all of them */
    struct mpi_agreement *offered;      /* the one that has this rank's offer */
    int outside;                        /* agreements that go on outside of calls */
    uint64_t clock;
    _Atomic uint32_t ends;      /* of offers and agreements, awaited without the baton */
} here;

/* -- order */

/* Whether a comes before b. */
static bool before(const struct mpi_agreement *a, const struct mpi_agreement *b)
{
    return a->stamp != b->stamp ? a->stamp < b->stamp : a->key < b->key;
}

static bool is_first(const struct mpi_agreement *a)
{
    for (const struct mpi_agreement *b = here.stamped; b; b = b->next)
        if (b != a && before(b, a))
            return false;
    return true;
}

static bool has_threads(const struct mpi_agreement *a)
{
    return mpi_threaded && a->parent->threads != MPI_THREADS_NONE;
}

bool mpi_agreement_is_turn(const struct mpi_agreement *a)
{
    if (!a->stamped)
        return !has_threads(a) && !here.outside;
    return !here.offered && is_first(a);
}

bool mpi_agreement_needs_stamp(const struct mpi_agreement *a)
{
    return !a->stamped && (a->among || a->failed || a->parent->threads == MPI_THREADS_SOME);
}

uint64_t mpi_agreement_tick(void) { return ++here.clock; }

void mpi_agreement_stamp(struct mpi_agreement *a, uint64_t highest)
{
    a->stamp = highest;
    if (here.clock < highest)
        here.clock = highest;
    a->stamped = true;
    a->failed = false;
    a->next = here.stamped;
    here.stamped = a;
}

void mpi_agreement_outside(int change) { here.outside += change; }

uint32_t mpi_agreement_ends(void) { return atomic_load(&here.ends); }

/* Who waits for it, here, looks when the baton is given back (nic_leave), which is soon. */
static void tell_end(void) { atomic_fetch_add(&here.ends, 1); }

void mpi_agreement_give_back(struct mpi_agreement *a)
{
    if (!a->offers)
        return;
    a->offers = false;
    here.offered = NULL;
    tell_end();
}

void mpi_agreement_forget(struct mpi_agreement *a)
{
    for (struct mpi_agreement **p = &here.stamped; *p; p = &(*p)->next)
        if (*p == a) {
            *p = a->next;
            tell_end();
            return;
        }
}

/* -- offers */

void mpi_agreement_offer(struct mpi_agreement *a, uint64_t words[MPI_OFFER_WORDS])
{
    uint64_t *common = &words[WORDS], *areas = &words[WORDS + 1];
    memset(words, 0, MPI_OFFER_WORDS * sizeof *words);
    *common = mpi_threaded ? 0 : NO_THREADS;
    a->offers = mpi_agreement_is_turn(a);
    if (!a->offers)
        return;
    here.offered = a;
    memcpy(words, mpi_context_window(a->window), WORDS * sizeof *words);
    *common |= OFFERED | mpi_context_windows() << HAS_FREE;
    *areas = mpi_fw_shm_coll_areas(mpi_fw);
}

/* The lowest of a set that all have, as many as wanted; false: there are fewer. */
static bool pick(uint64_t *set, unsigned window, struct mpi_agreed *agreed)
{
    for (unsigned i = 0; i < agreed->contexts; i++) {
        if (!mpi_context_lowest(set, window, &agreed->context[i]))
            return false;
        unsigned bit = agreed->context[i] % MPI_CONTEXT_WINDOW;
        set[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    }
    return true;
}

/* The ranks that agree on a context agree on an area of slots too, where all have the same one
 * free. */
static void take(uint32_t areas, struct mpi_agreed *agreed)
{
    for (unsigned i = 0; i < agreed->contexts; i++)
        mpi_context_take(agreed->context[i]);
    agreed->shm = areas != 0;
    if (!areas)
        return;
    agreed->area = (unsigned)__builtin_ctz(areas);
    mpi_fw_shm_coll_take(mpi_fw, agreed->area);
}

enum mpi_outcome mpi_agreement_choose(struct mpi_agreement *a, uint64_t words[MPI_OFFER_WORDS],
                                      struct mpi_agreed *agreed)
{
    uint64_t common = words[WORDS];
    agreed->threads = common & NO_THREADS ? MPI_THREADS_NONE : MPI_THREADS_SOME;
    if (a->parent && a->parent->threads == MPI_THREADS_UNKNOWN)
        a->parent->threads = agreed->threads;
    a->failed = !(common & OFFERED);
    if (a->failed)
        return MPI_OUTCOME_AGAIN;
    if (pick(words, a->window, agreed)) {
        take((uint32_t)words[WORDS + 1], agreed);
        return MPI_OUTCOME_AGREED;
    }
    uint64_t later = common >> HAS_FREE & AGREED_WINDOWS & ~UINT64_C(0) << (a->window + 1);
    if (!later)
        return MPI_OUTCOME_EXHAUSTED;
    a->window = (unsigned)__builtin_ctzll(later);
    return MPI_OUTCOME_AGAIN;
}
