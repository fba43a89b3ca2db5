/* One rank's part in an agreement on contexts: whose turn it is to get what this rank offers, and
 * what the offers of all come to.  Why it is done in this way: agreement.c.
 *
 * All calls with the baton held, but for mpi_agreement_ends. */
#ifndef MPI_AGREEMENT_ROUND_H
#define MPI_AGREEMENT_ROUND_H

#include "core/context.h"
#include "mpi/agreed.h"
#include "mpi/among.h"

/* What a rank contributes to a round of offers: contexts of a window, what else is agreed on, and
 * areas of slots.  The ranks agree on the bits that all have. */
enum { MPI_OFFER_WORDS = MPI_CONTEXT_WORDS + 2 };

/* Owner: the call, or the request, that agrees. */
struct mpi_agreement {
    struct mpi_agreement *next;         /* among those of this rank that are stamped */
    struct mpi_comm *parent;            /* NULL: they are `among` */
    const struct mpi_among *among;
    bool stamped;
    bool failed;                        /* the last round of offers */
    bool offers;                        /* this rank's offer is out */
    uint64_t stamp, key;
    unsigned window;                    /* to be tried next */
};

/* The key, from the match bits of the agreement's first round. */
static inline uint64_t mpi_agreement_key(uint64_t match)
{
    return match & (UINT64_C(0xffff) << 48 | MPI_MATCH_NUMBER);
}

/* Whether it must be stamped before it gets an offer. */
bool mpi_agreement_needs_stamp(const struct mpi_agreement *a);
/* This rank's clock, one tick later; and the stamp, the highest of all ranks' clocks. */
uint64_t mpi_agreement_tick(void);
void mpi_agreement_stamp(struct mpi_agreement *a, uint64_t highest);

/* Whether this rank can offer it what it has. */
bool mpi_agreement_is_turn(const struct mpi_agreement *a);
/* What it contributes: an offer if it is the turn, else none. */
void mpi_agreement_offer(struct mpi_agreement *a, uint64_t words[MPI_OFFER_WORDS]);

/* From what all have contributed.  AGREED: the contexts, and the area if there is one, are taken;
 * agreed->base is still to be agreed on then.  AGAIN: another round. */
enum mpi_outcome { MPI_OUTCOME_AGREED, MPI_OUTCOME_AGAIN, MPI_OUTCOME_EXHAUSTED };
enum mpi_outcome mpi_agreement_choose(struct mpi_agreement *a, uint64_t words[MPI_OFFER_WORDS],
                                      struct mpi_agreed *agreed);
/* The offer is over, and the agreement is. */
void mpi_agreement_give_back(struct mpi_agreement *a);
void mpi_agreement_forget(struct mpi_agreement *a);

/* One that goes on outside of calls begins, or ends: meanwhile all others need stamps. */
void mpi_agreement_outside(int change);

/* Changes whenever an offer or an agreement of this rank has ended. */
uint32_t mpi_agreement_ends(void);

#endif
