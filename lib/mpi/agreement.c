/* Agreeing on a context.
 *
 * A group of one takes a context of its own kind, which nobody is asked for.  All other contexts
 * come out of windows of 2,048: each rank of the parent contributes those that are free with it,
 * and the lowest common one is taken; if there is none, the ranks go on to the next window of
 * which all have some.
 *
 * Where ranks have several threads, agreements of different parents go on at the same time, and
 * what one is offered no other may be.  So a rank makes a true offer in one agreement at a time,
 * and no offer in the others, whose round fails.  That this ends:
 *
 *  1. A first round, without an offer, gives each agreement a stamp: the highest of its ranks'
 *     clocks, which go on from there.  It ends when all ranks have come.  Before that nothing is
 *     offered; so nobody is kept from anything by a rank that is not there.
 *  2. When a round of offers has failed, each rank waits, without an offer, until it is this
 *     agreement's turn with it, and then for the others to be as far (a barrier).  So while an
 *     offer is out, all its ranks are in that round or about to be, and wait for nothing else:
 *     each offer ends.
 *  3. It is the turn of the agreement with the lowest (stamp, parent's context) of those that are
 *     stamped with a rank.  All ranks see the same numbers, and two agreements that have a rank
 *     in common differ, as the parents' contexts do.  So who waits for its turn waits for lower
 *     ones only, and the lowest of all for offers that end, by 2.  Its next round succeeds.
 *  4. Only agreements that asked a rank for its clock before that rank saw this one's stamp can
 *     be lower: at most one for each other thread of its ranks.  Stamps are natural numbers; so
 *     there is a lowest one among all that are not over, it ends by 3, and then the next is the
 *     lowest.
 *
 * Ranks without MPI_THREAD_MULTIPLE are in one agreement at a time.  Where all are of that kind,
 * which the first agreement tells, there is no stamp, and one round is all.  With threads it is
 * two, the stamp and the offer, unless somebody else is in between. */
#include "mpi/agreement.h"

#include <stdatomic.h>
#include <string.h>

#include "coll/coll.h"
#include "core/context.h"
#include "core/err.h"

enum {
    WINDOW = MPI_CONTEXT_WINDOW, WORDS = MPI_CONTEXT_WORDS, WINDOWS = MPI_CONTEXT_WINDOWS,
    ALONE = MPI_CONTEXT_ALONE,
    AGREED_WINDOWS = (1 << ALONE) - 1,  /* mask of the windows before */
};

/* What a rank contributes besides free contexts; the ranks agree on what all have. */
enum { OFFERED = 1, NO_THREADS = 2, HAS_FREE = 2 /* shift: a bit for each window */ };

/* One agreement of a thread of this rank that is stamped and not over. */
struct agreement {
    struct agreement *next;
    const struct mpi_comm *parent;
    bool stamped, waits;        /* waits: the last round failed, see 2 */
    uint64_t stamp;
    unsigned window;            /* to be tried next */
};

/* Owner: baton. */
static struct {
    struct agreement *stamped;          /* all of them */
    struct agreement *offered;          /* the one that has this rank's offer */
    uint64_t clock;
    _Atomic uint32_t ends;      /* of offers and agreements, awaited without the baton */
} here;

/* -- a group of one */

static int exhausted(const char *call, struct mpi_comm *parent, int all, const char *of)
{
    return mpi_err(parent, call, MPI_ERR_OTHER,
                   "all %d contexts for %s are in use: communicators that are never freed?",
                   all, of);
}

static int agree_alone(const char *call, struct mpi_comm *parent, struct mpi_agreed *agreed)
{
    struct mpi_coll x;
    bool found = false;
    mpi_coll_begin(&x, call, parent);   /* the baton, and what a call costs on the model clock */
    *agreed = (struct mpi_agreed){ .shm = false };
    for (unsigned w = ALONE; w < WINDOWS && !found; w++)
        found = mpi_context_lowest(mpi_context_window(w), w, &agreed->context);
    if (found)
        mpi_context_take(agreed->context);
    int rc = mpi_coll_end(&x);
    int all = (WINDOWS - ALONE) * WINDOW;
    return rc || found ? rc : exhausted(call, parent, all, "communicators of one rank");
}

/* -- which agreement is offered to */

/* Whether a comes before b; see 3 above. */
static bool before(const struct agreement *a, const struct agreement *b)
{
    return a->stamp != b->stamp ? a->stamp < b->stamp : a->parent->context < b->parent->context;
}

static bool is_first(const struct agreement *a)
{
    for (const struct agreement *b = here.stamped; b; b = b->next)
        if (b != a && before(b, a))
            return false;
    return true;
}

static bool is_turn(const struct agreement *a)
{
    if (!a->stamped)
        return a->parent->threads == MPI_THREADS_NONE || !mpi_threaded;
    return !here.offered && is_first(a);
}

/* Who waits for it, here, looks when the baton is given back (nic_leave), which is soon. */
static void tell_end(void) { atomic_fetch_add(&here.ends, 1); }

static void forget(struct agreement *a)
{
    for (struct agreement **p = &here.stamped; *p; p = &(*p)->next)
        if (*p == a) {
            *p = a->next;
            tell_end();
            return;
        }
}

/* -- rounds among the ranks of x; baton held (and given while they wait) */

enum outcome { AGREED, AGAIN, EXHAUSTED };

struct turn { struct mpi_coll *x; uint32_t seen; };

static const char *note(void *turn, char *text, size_t size)
{
    return mpi_coll_note(((struct turn *)turn)->x, text, size);
}

static bool has_ended(void *turn)
{
    return atomic_load(&here.ends) != ((struct turn *)turn)->seen;
}

static void wait_for_turn(struct mpi_coll *x, const struct agreement *a)
{
    struct turn t = { .x = x, .seen = atomic_load(&here.ends) };
    struct nic_wait w = { .note = note, .ready = has_ended, .argument = &t };
    while (!is_turn(a)) {
        nic_wait_turn(mpi_nic, &w);
        t.seen = atomic_load(&here.ends);
    }
    mpi_coll_barrier(x);
}

static uint64_t highest(struct mpi_coll *x, uint64_t mine)
{
    struct mpi_reduction r = { .op = mpi_op_get(MPI_MAX), .type = MPI_UINT64_T, .unit = 8,
                               .count = 1, .commutative = true };
    mpi_coll_allreduce(x, &mine, &r);
    return mine;
}

static enum outcome stamp(struct mpi_coll *x, struct agreement *a)
{
    a->stamp = highest(x, ++here.clock);
    if (here.clock < a->stamp)
        here.clock = a->stamp;
    a->stamped = true;
    a->waits = false;
    a->next = here.stamped;
    here.stamped = a;
    return AGAIN;
}

/* The ranks that agree on a context agree on an area of slots too, where all have the same one
 * free. */
static void agree_on_shm(struct mpi_coll *x, uint32_t areas, struct mpi_agreed *agreed)
{
    agreed->shm = areas != 0;
    if (!areas)
        return;
    agreed->area = (unsigned)__builtin_ctz(areas);
    mpi_fw_shm_coll_take(mpi_fw, agreed->area);
    agreed->base = highest(x, mpi_fw_shm_coll_high(mpi_fw));
}

/* What all have offered. */
static enum outcome choose(struct mpi_coll *x, struct agreement *a, const uint64_t *set,
                           struct mpi_agreed *agreed)
{
    uint64_t common = set[WORDS], areas = set[WORDS + 1];
    if (mpi_context_lowest(set, a->window, &agreed->context)) {
        mpi_context_take(agreed->context);
        agree_on_shm(x, (uint32_t)areas, agreed);
        return AGREED;
    }
    uint64_t later = common >> HAS_FREE & AGREED_WINDOWS & ~UINT64_C(0) << (a->window + 1);
    if (!later)
        return EXHAUSTED;
    a->window = (unsigned)__builtin_ctzll(later);
    return AGAIN;
}

static enum outcome offer(struct mpi_coll *x, struct agreement *a, struct mpi_agreed *agreed)
{
    uint64_t set[WORDS + 2] = { 0 }, *common = &set[WORDS], *areas = &set[WORDS + 1];
    struct mpi_reduction r = { .op = mpi_op_get(MPI_BAND), .type = MPI_UINT64_T, .unit = 8,
                               .count = WORDS + 2, .commutative = true };
    struct mpi_comm *parent = x->c;
    if (a->waits)
        wait_for_turn(x, a);
    bool offers = is_turn(a);
    *common = mpi_threaded ? 0 : NO_THREADS;
    if (offers) {
        here.offered = a;
        memcpy(set, mpi_context_window(a->window), WORDS * sizeof *set);
        *common |= OFFERED | mpi_context_windows() << HAS_FREE;
        *areas = mpi_fw_shm_coll_areas(mpi_fw);
    }
    mpi_coll_allreduce(x, set, &r);
    a->waits = !(*common & OFFERED);
    enum outcome got = x->class || a->waits ? AGAIN : choose(x, a, set, agreed);
    if (offers) {
        here.offered = NULL;
        tell_end();
    }
    if (parent->threads == MPI_THREADS_UNKNOWN && !x->class)
        parent->threads = *common & NO_THREADS ? MPI_THREADS_NONE : MPI_THREADS_SOME;
    return got;
}

int mpi_agree(const char *call, struct mpi_comm *parent, enum mpi_maker maker,
              struct mpi_agreed *agreed)
{
    struct agreement a = { .parent = parent };
    enum outcome got;
    if (parent->size == 1)
        return agree_alone(call, parent, agreed);
    do {
        struct mpi_coll x;
        mpi_coll_begin(&x, call, parent);
        mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, maker);
        bool first = parent->threads == MPI_THREADS_SOME && !a.stamped;
        got = first ? stamp(&x, &a) : offer(&x, &a, agreed);
        if (got != AGAIN || x.class)
            forget(&a);
        int rc = mpi_coll_end(&x);
        if (rc)
            return rc;
    } while (got == AGAIN);
    if (got == AGREED)
        return MPI_SUCCESS;
    return exhausted(call, parent, ALONE * WINDOW, "communicators of several ranks");
}

void mpi_agreed_release(const struct mpi_agreed *agreed)
{
    nic_enter(mpi_nic);
    mpi_context_free(agreed->context);
    if (agreed->shm)
        mpi_fw_shm_coll_give(mpi_fw, agreed->area);
    nic_leave(mpi_nic);
}
