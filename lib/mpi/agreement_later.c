/* An agreement as a schedule: round after round, each put in when the one before has ended, by the
 * NIC or by a host that waits.
 *
 * All ranks have come when the stamp is there.  A round in which it is not this agreement's turn
 * everywhere fails, and the next one follows at once: who waited in place of that would have to be
 * woken by an agreement of another rank's.  So each offer ends if packets move, and the proof in
 * agreement.c holds as it is. */
#include "mpi/agreement_later.h"

#include <stdio.h>
#include <stdlib.h>

#include "coll/build.h"
#include "core/err.h"
#include "mpi/agreement_round.h"

enum round { ROUND_STAMP, ROUND_OFFER, ROUND_BASE };

/* Owner: its schedule, or the call that could not start one. */
struct later {
    struct mpi_agree_later what;
    struct mpi_agreement a;
    struct mpi_agreed agreed;
    struct mpi_reduction r;     /* of the round */
    enum round round;
    bool done;
    uint64_t words[MPI_OFFER_WORDS];
};

/* -- rounds */

static void combine(const void *context, const void *in, void *inout, size_t bytes)
{
    const struct later *l = context;
    const uint64_t *theirs = in;
    uint64_t *words = inout;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        if (l->round == ROUND_OFFER)
            words[i] &= theirs[i];
        else
            words[i] = words[i] > theirs[i] ? words[i] : theirs[i];
}

/* All words become what all have in common, or the highest. */
static void add_round(struct later *l, struct fw_sched *s, enum round round, size_t words)
{
    const struct mpi_comm *whole = l->a.parent;
    struct mpi_build b = { .s = s, .rank = whole->rank, .size = whole->size,
                           .crowded = nic_oversubscribed(mpi_nic) };
    l->round = round;
    l->r = (struct mpi_reduction){ .type = MPI_UINT64_T, .unit = sizeof *l->words, .count = words,
                                   .commutative = true };
    mpi_build_allreduce(&b, l->words, &l->r);
}

/* The request ends with an error. */
static bool fail(struct fw_sched *s, int class, const char *text)
{
    struct mpi_mismatch *m = malloc(sizeof *m);
    s->error = m ? FW_MISMATCH : FW_NO_MEMORY;
    if (!m)
        return false;
    m->class = class;
    m->together = true;
    snprintf(m->text, sizeof m->text, "%s", text);
    s->req->host.mismatch = m;
    s->req->host.extra = FW_EXTRA_MISMATCH;
    return false;
}

/* What the rounds have come to goes to the caller. */
static bool settle(struct later *l, struct fw_sched *s)
{
    l->done = true;
    if (l->what.end(l->what.context, &l->agreed))
        return false;
    return fail(s, MPI_ERR_NO_MEM, "no memory for a communicator");
}

static bool chosen(struct later *l, struct fw_sched *s, bool *more)
{
    enum mpi_outcome got = mpi_agreement_choose(&l->a, l->words, &l->agreed);
    mpi_agreement_give_back(&l->a);
    *more = false;
    if (got == MPI_OUTCOME_AGAIN)
        return false;
    mpi_agreement_forget(&l->a);
    if (got == MPI_OUTCOME_EXHAUSTED) {
        fail(s, MPI_ERR_OTHER, "all contexts are in use: communicators that are never freed?");
    } else if (l->agreed.shm) {
        l->words[0] = mpi_fw_shm_coll_high(mpi_fw);
        add_round(l, s, ROUND_BASE, 1);
        *more = true;
    } else {
        settle(l, s);
    }
    return true;
}

/* After a round: true, there is another one. */
static bool go_on(void *context, struct fw_sched *s)
{
    struct later *l = context;
    bool more;
    if (l->round == ROUND_BASE) {
        l->agreed.base = l->words[0];
        return settle(l, s);
    }
    if (l->round == ROUND_OFFER && chosen(l, s, &more))
        return more;
    if (l->round == ROUND_STAMP)
        mpi_agreement_stamp(&l->a, l->words[0]);
    mpi_agreement_offer(&l->a, l->words);
    add_round(l, s, ROUND_OFFER, MPI_OFFER_WORDS);
    return true;
}

static void ended(void *context, bool whole)
{
    struct later *l = context;
    (void)whole;
    mpi_agreement_give_back(&l->a);
    mpi_agreement_forget(&l->a);
    mpi_agreement_outside(-1);
    if (!l->done)
        l->what.end(l->what.context, NULL);
    free(l);
}

/* -- the call */

/* NULL: no memory, and nothing has happened. */
static struct fw_sched *schedule(struct later *l, uint64_t match)
{
    const struct mpi_comm *whole = l->a.parent;
    struct fw_sched *s = mpi_fw_sched_new(mpi_fw, l->what.call, match, (uint32_t)whole->rank,
                                          whole->world);
    if (!s)
        return NULL;
    s->bytes = 0;
    s->root = l->what.maker;
    s->combine = combine;
    s->context = l;
    s->more = go_on;
    s->ended = ended;
    s->ended_context = l;
    l->words[0] = mpi_agreement_tick();
    add_round(l, s, ROUND_STAMP, 1);
    if (!s->failed)
        return s;
    mpi_fw_sched_delete(mpi_fw, s);
    return NULL;
}

/* NULL: no memory. */
static struct fw_req *start(const struct mpi_agree_later *what, uint64_t match)
{
    struct later *l = calloc(1, sizeof *l);
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (l) {
        l->what = *what;
        l->a = (struct mpi_agreement){ .parent = mpi_comm_whole(what->c),
                                       .key = mpi_agreement_key(match) };
        l->agreed.contexts = what->contexts;
    }
    struct fw_sched *s = l && r ? schedule(l, match) : NULL;
    if (!s) {
        if (r)
            mpi_fw_req_free(mpi_fw, r);
        free(l);
        return NULL;
    }
    mpi_agreement_outside(1);
    mpi_req_begin(r, FW_COLL, what->c);
    r->host.empty = true;
    mpi_fw_sched_start(mpi_fw, s, r);
    return r;
}

int mpi_agree_later(const struct mpi_agree_later *what, MPI_Request *request)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, what->call, mpi_comm_whole(what->c));
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, (int)what->maker);
    struct fw_req *r = start(what, x.match);
    if (r)
        *request = mpi_req_keep(r);
    else
        mpi_coll_fail(&x, MPI_ERR_NO_MEM, "no memory for the request");
    return mpi_coll_end(&x);
}
