/* Agreeing on a context, or several for one communicator.
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
 *  3. It is the turn of the agreement with the lowest (stamp, key) of those that are stamped with
 *     a rank.  The key is the parent's context, or where there is no parent what tells the messages
 *     of these ranks from others'.  All ranks see the same numbers, and two agreements that have a
 *     rank in common differ, as their keys do.  So who waits for its turn waits for lower
 *     ones only, and the lowest of all for offers that end, by 2.  Its next round succeeds.
 *  4. Only agreements that asked a rank for its clock before that rank saw this one's stamp can
 *     be lower: at most one for each other thread of its ranks.  Stamps are natural numbers; so
 *     there is a lowest one among all that are not over, it ends by 3, and then the next is the
 *     lowest.
 *
 * Ranks without MPI_THREAD_MULTIPLE are in one agreement at a time.  Where all are of that kind,
 * which the first agreement tells, there is no stamp, and one round is all.  With threads, or where
 * there is no parent that would know, it is two, the stamp and the offer, unless somebody else is
 * in between. */
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
    struct mpi_comm *parent;            /* NULL: they are `among` */
    const struct mpi_among *among;
    bool stamped, waits;        /* waits: the last round failed, see 2 */
    uint64_t stamp, key;
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

/* x has begun: the baton, and what a call costs on the model clock. */
static int agree_alone(struct mpi_coll *x, struct mpi_agreed *agreed)
{
    bool found = false;
    *agreed = (struct mpi_agreed){ .contexts = 1, .threads = x->c->threads };
    for (unsigned w = ALONE; w < WINDOWS && !found; w++)
        found = mpi_context_lowest(mpi_context_window(w), w, &agreed->context[0]);
    if (found)
        mpi_context_take(agreed->context[0]);
    int rc = mpi_coll_end(x), all = (WINDOWS - ALONE) * WINDOW;
    return rc || found ? rc : exhausted(x->call, x->c, all, "communicators of one rank");
}

/* -- which agreement is offered to */

/* Whether a comes before b; see 3 above. */
static bool before(const struct agreement *a, const struct agreement *b)
{
    return a->stamp != b->stamp ? a->stamp < b->stamp : a->key < b->key;
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
        return !mpi_threaded || a->parent->threads == MPI_THREADS_NONE;
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

/* All words become the common bits, or the highest, of what all have. */
static void reduce(struct mpi_coll *x, const struct agreement *a, uint64_t *words, size_t count,
                   enum mpi_among_operation operation)
{
    struct mpi_reduction r = {
        .op = mpi_op_get(operation == MPI_AMONG_AND ? MPI_BAND : MPI_MAX),
        .type = MPI_UINT64_T, .unit = 8, .count = count, .commutative = true,
    };
    if (a->among)
        mpi_among_reduce(x, a->among, words, count, operation);
    else
        mpi_coll_allreduce(x, words, &r);
}

static uint64_t highest(struct mpi_coll *x, const struct agreement *a, uint64_t mine)
{
    reduce(x, a, &mine, 1, MPI_AMONG_MAX);
    return mine;
}

static void wait_for_turn(struct mpi_coll *x, const struct agreement *a)
{
    struct turn t = { .x = x, .seen = atomic_load(&here.ends) };
    struct nic_wait w = { .note = note, .ready = has_ended, .argument = &t };
    while (!is_turn(a)) {
        nic_wait_turn(mpi_nic, &w);
        t.seen = atomic_load(&here.ends);
    }
    if (a->among)
        highest(x, a, 0);
    else
        mpi_coll_barrier(x);
}

static enum outcome stamp(struct mpi_coll *x, struct agreement *a)
{
    a->stamp = highest(x, a, ++here.clock);
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
static void agree_on_shm(struct mpi_coll *x, const struct agreement *a, uint32_t areas,
                         struct mpi_agreed *agreed)
{
    agreed->shm = areas != 0;
    if (!areas)
        return;
    agreed->area = (unsigned)__builtin_ctz(areas);
    mpi_fw_shm_coll_take(mpi_fw, agreed->area);
    agreed->base = highest(x, a, mpi_fw_shm_coll_high(mpi_fw));
}

/* The lowest of a set that all have, as many as wanted; false: there are fewer. */
static bool pick(uint64_t *set, unsigned window, struct mpi_agreed *agreed)
{
    for (unsigned i = 0; i < agreed->contexts; i++) {
        if (!mpi_context_lowest(set, window, &agreed->context[i]))
            return false;
        unsigned bit = agreed->context[i] % WINDOW;
        set[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    }
    return true;
}

/* What all have offered. */
static enum outcome choose(struct mpi_coll *x, struct agreement *a, uint64_t *set,
                           struct mpi_agreed *agreed)
{
    uint64_t common = set[WORDS], areas = set[WORDS + 1];
    if (pick(set, a->window, agreed)) {
        for (unsigned i = 0; i < agreed->contexts; i++)
            mpi_context_take(agreed->context[i]);
        agree_on_shm(x, a, (uint32_t)areas, agreed);
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
    reduce(x, a, set, WORDS + 2, MPI_AMONG_AND);
    agreed->threads = *common & NO_THREADS ? MPI_THREADS_NONE : MPI_THREADS_SOME;
    a->waits = !(*common & OFFERED);
    enum outcome got = x->class || a->waits ? AGAIN : choose(x, a, set, agreed);
    if (offers) {
        here.offered = NULL;
        tell_end();
    }
    if (a->parent && a->parent->threads == MPI_THREADS_UNKNOWN && !x->class)
        a->parent->threads = agreed->threads;
    return got;
}

static void begin(struct mpi_coll *x, struct agreement *a, const char *call, enum mpi_maker maker)
{
    if (a->among) {
        mpi_among_begin(x, a->among);
        a->key = a->among->key;
        return;
    }
    mpi_coll_begin(x, call, a->parent);
    mpi_coll_set_fingerprint(x, MPI_COLL_COMM, 0, (int)maker);
    a->key = fw_match_bits(a->parent->context, 0, 0);
}

static bool is_stamped_first(const struct agreement *a)
{
    return !a->stamped && (a->among || a->parent->threads == MPI_THREADS_SOME);
}

static int agree(struct agreement *a, const char *call, enum mpi_maker maker,
                 struct mpi_agreed *agreed)
{
    enum outcome got;
    struct mpi_coll x;
    do {
        begin(&x, a, call, maker);
        got = is_stamped_first(a) ? stamp(&x, a) : offer(&x, a, agreed);
        if (got != AGAIN || x.class)
            forget(a);
        int rc = mpi_coll_end(&x);
        if (rc)
            return rc;
    } while (got == AGAIN);
    if (got == AGREED)
        return MPI_SUCCESS;
    return exhausted(call, x.c, ALONE * WINDOW, "communicators of several ranks");
}

int mpi_agree(const char *call, struct mpi_comm *parent, enum mpi_maker maker,
              struct mpi_agreed *agreed)
{
    struct mpi_coll x;
    if (parent->size == 1) {
        mpi_coll_begin(&x, call, parent);
        return agree_alone(&x, agreed);
    }
    return agree(&(struct agreement){ .parent = parent }, call, maker, agreed);
}

int mpi_agree_among(const struct mpi_among *among, struct mpi_agreed *agreed)
{
    struct mpi_coll x;
    if (among->count == 1) {
        mpi_among_begin(&x, among);
        return agree_alone(&x, agreed);
    }
    return agree(&(struct agreement){ .among = among }, among->call, MPI_MAKERS, agreed);
}

void mpi_agreed_release(const struct mpi_agreed *agreed)
{
    nic_enter(mpi_nic);
    for (unsigned i = 0; i < agreed->contexts; i++)
        mpi_context_free(agreed->context[i]);
    if (agreed->shm)
        mpi_fw_shm_coll_give(mpi_fw, agreed->area);
    nic_leave(mpi_nic);
}
