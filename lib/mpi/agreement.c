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
 * in between.
 *
 * A duplicate that is made while its call goes on (agreement_later.c) is in an agreement outside of
 * calls.  It is always stamped; and while a rank has one, it offers to none that has no stamp, as
 * the rank that this one waits for may itself wait for the other.  That round fails, and then the
 * agreement is stamped, too. */
#include "mpi/agreement.h"

#include <stdatomic.h>

#include "coll/coll.h"
#include "core/context.h"
#include "core/err.h"
#include "mpi/agreement_round.h"

enum {
    WINDOW = MPI_CONTEXT_WINDOW, WINDOWS = MPI_CONTEXT_WINDOWS, ALONE = MPI_CONTEXT_ALONE,
};

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

/* -- rounds among the ranks of x; baton held (and given while they wait) */

struct turn { struct mpi_coll *x; uint32_t seen; };

static const char *note(void *turn, char *text, size_t size)
{
    return mpi_coll_note(((struct turn *)turn)->x, text, size);
}

static bool has_ended(void *turn) { return mpi_agreement_ends() != ((struct turn *)turn)->seen; }

/* All words become the common bits, or the highest, of what all have. */
static void reduce(struct mpi_coll *x, const struct mpi_agreement *a, uint64_t *words,
                   size_t count, enum mpi_among_operation operation)
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

static uint64_t highest(struct mpi_coll *x, const struct mpi_agreement *a, uint64_t mine)
{
    reduce(x, a, &mine, 1, MPI_AMONG_MAX);
    return mine;
}

static void wait_for_turn(struct mpi_coll *x, const struct mpi_agreement *a)
{
    struct turn t = { .x = x, .seen = mpi_agreement_ends() };
    struct nic_wait w = { .note = note, .ready = has_ended, .argument = &t };
    while (!mpi_agreement_is_turn(a)) {
        nic_wait_turn(mpi_nic, &w);
        t.seen = mpi_agreement_ends();
    }
    if (a->among)
        highest(x, a, 0);
    else
        mpi_coll_barrier(x);
}

static enum mpi_outcome stamp(struct mpi_coll *x, struct mpi_agreement *a)
{
    mpi_agreement_stamp(a, highest(x, a, mpi_agreement_tick()));
    return MPI_OUTCOME_AGAIN;
}

static enum mpi_outcome offer(struct mpi_coll *x, struct mpi_agreement *a,
                              struct mpi_agreed *agreed)
{
    uint64_t words[MPI_OFFER_WORDS];
    if (a->failed)
        wait_for_turn(x, a);
    mpi_agreement_offer(a, words);
    reduce(x, a, words, MPI_OFFER_WORDS, MPI_AMONG_AND);
    enum mpi_outcome got = x->class ? MPI_OUTCOME_AGAIN : mpi_agreement_choose(a, words, agreed);
    if (got == MPI_OUTCOME_AGREED && agreed->shm)
        agreed->base = highest(x, a, mpi_fw_shm_coll_high(mpi_fw));
    mpi_agreement_give_back(a);
    return got;
}

static void begin(struct mpi_coll *x, struct mpi_agreement *a, const char *call,
                  enum mpi_maker maker)
{
    if (a->among) {
        mpi_among_begin(x, a->among);
        a->key = a->among->key;
        return;
    }
    mpi_coll_begin(x, call, a->parent);
    mpi_coll_set_fingerprint(x, MPI_COLL_COMM, 0, (int)maker);
    if (!a->stamped)
        a->key = mpi_agreement_key(x->match);
}

static int agree(struct mpi_agreement *a, const char *call, enum mpi_maker maker,
                 struct mpi_agreed *agreed)
{
    enum mpi_outcome got;
    struct mpi_coll x;
    do {
        begin(&x, a, call, maker);
        got = mpi_agreement_needs_stamp(a) ? stamp(&x, a) : offer(&x, a, agreed);
        if (got != MPI_OUTCOME_AGAIN || x.class)
            mpi_agreement_forget(a);
        int rc = mpi_coll_end(&x);
        if (rc)
            return rc;
    } while (got == MPI_OUTCOME_AGAIN);
    if (got == MPI_OUTCOME_AGREED)
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
    return agree(&(struct mpi_agreement){ .parent = parent }, call, maker, agreed);
}

int mpi_agree_among(const struct mpi_among *among, struct mpi_agreed *agreed)
{
    struct mpi_coll x;
    if (among->count == 1) {
        mpi_among_begin(&x, among);
        return agree_alone(&x, agreed);
    }
    return agree(&(struct mpi_agreement){ .among = among }, among->call, MPI_MAKERS, agreed);
}

void mpi_agreed_release_inside(const struct mpi_agreed *agreed)
{
    for (unsigned i = 0; i < agreed->contexts; i++)
        mpi_context_free(agreed->context[i]);
    if (agreed->shm)
        mpi_fw_shm_coll_give(mpi_fw, agreed->area);
}

void mpi_agreed_release(const struct mpi_agreed *agreed)
{
    nic_enter(mpi_nic);
    mpi_agreed_release_inside(agreed);
    nic_leave(mpi_nic);
}
