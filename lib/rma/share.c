/* Long transfers at the origin, with the target's help; the target's part is in serve.c. */
#include "rma/share.h"

#include <stdio.h>

#include "core/label.h"
#include "nicemu/machines.h"
#include "rma/ask.h"
#include "rma/chunks.h"

enum { LOOK_NS = 50 * 1000 * 1000 };

/* A part of the transfer, of MPI_RMA_SHARED_MAX at most. */
struct share {
    struct mpi_win *w;
    int target;
    struct mpi_rma_place place;
    bool put;
    char *local;
    size_t bytes;
    struct mpi_rma_answers *answers;
    uint32_t number, chunks, own;
};

static bool able(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                 const struct mpi_rma_side *local, const struct mpi_rma_side *remote)
{
    return local->bytes >= MPI_RMA_SHARED_MIN && w->way == MPI_RMA_AUTO
           && mpi_rma_plain(local) && mpi_rma_plain(remote)
           && mpi_rma_attends(w, target, place);
}

/* Without counters: the target waits for words and messages, never for data. */
static bool copy(const struct share *s, size_t at, size_t bytes)
{
    struct nic_address there = s->place.address;
    struct nic_outcome outcome = { .done = NULL };
    there.offset += at;
    struct nic_transfer t = nic_transfer_of(s->local + at, there, bytes);
    t.quiet = true;
    int rc = s->put ? nic_put(mpi_nic, &t, &outcome) : nic_get(mpi_nic, &t, &outcome);
    return !rc && !nic_outcome_wait(mpi_nic, &outcome);
}

static bool has_helped(void *argument)
{
    const struct share *s = argument;
    /* acquire: pairs with the target's count behind its copy */
    return __atomic_load_n(&s->answers->helped, __ATOMIC_ACQUIRE) >= s->chunks - s->own;
}

static const char *say(void *argument, char *text, size_t size)
{
    const struct share *s = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "a one-sided operation(%s): rank %d's NIC copies a share",
             mpi_label_long(s->w->comm, label, sizeof label), s->target);
    return text;
}

/* False: the target has ended. */
static bool wait_for_target(struct share *s)
{
    struct nic_wait wait = { .note = say, .argument = s, .ready = has_helped,
                             .most_ns = LOOK_NS };
    while (!has_helped(s)) {
        nic_wait_turn(mpi_nic, &wait);
        if (wait.since && !has_helped(s) && nic_gone(mpi_nic, mpi_win_world(s->w, s->target)))
            return false;
    }
    return true;
}

/* Baton held, which waiting gives up: the claims are of one part at a time, so other threads of
 * this rank go alone meanwhile. */
static bool do_part(struct share *s)
{
    const size_t each = mpi_rma_chunk_bytes(s->bytes);
    uint32_t chunk;
    bool good = true;
    s->chunks = mpi_rma_chunks(s->bytes);
    s->number = mpi_rma_ask_help(s->w, s->target, &s->place, s->put, s->local, s->bytes);
    if (!s->number)
        return false;
    s->answers = mpi_rma_answers_of(s->w, s->target);
    while (mpi_rma_claim(s->answers, s->number, s->chunks, &chunk)) {
        const size_t at = chunk * each, left = s->bytes - at;
        good &= copy(s, at, left < each ? left : each);
        s->own++;
    }
    good &= wait_for_target(s);
    s->w->part[s->target].asked.shares = false;
    return good && !__atomic_load_n(&s->answers->unhelpful, __ATOMIC_RELAXED);
}

bool mpi_rma_share(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                   const struct mpi_rma_side *local, const struct mpi_rma_side *remote)
{
    bool good = able(w, target, place, local, remote);
    if (!good)
        return false;
    nic_enter(mpi_nic);
    for (size_t at = 0; good && at < local->bytes; at += MPI_RMA_SHARED_MAX) {
        struct share s = { .w = w, .target = target, .place = *place, .put = put,
                           .local = local->at + local->low + at, .bytes = local->bytes - at };
        s.place.address.offset += at;
        if (s.bytes > MPI_RMA_SHARED_MAX)
            s.bytes = MPI_RMA_SHARED_MAX;
        good = do_part(&s);
    }
    nic_leave(mpi_nic);
    return good;
}
