/* The steps that all builders of schedules use. */
#include <string.h>

#include "coll/build.h"
#include "coll/tuning.h"
#include "fw/multi.h"

static bool is_packet(const struct mpi_build *b, size_t bytes)
{
    return b->packets && bytes <= FW_STEP_BYTES;
}

static uint32_t number_of(const struct mpi_build *b, int peer)
{
    return (uint32_t)(unlikely(b->ranks != NULL) ? b->ranks[peer] : b->first + peer);
}

void mpi_build_wait(struct mpi_build *b)
{
    fw_sched_step(b->s, FW_STEP_WAIT, 0, NULL, NULL, 0);
}

void mpi_build_send(struct mpi_build *b, int peer, const void *from, size_t bytes)
{
    enum fw_step_kind kind = is_packet(b, bytes) ? FW_STEP_PACKET : FW_STEP_SEND;
    fw_sched_step(b->s, kind, number_of(b, peer), NULL, from, bytes);
}

/* Past the cores the root has a turn when all have sent: what its inbox has no room for had better
 * stay where it is until then. */
static bool would_flood(const struct mpi_build *b, size_t bytes)
{
    return b->crowded && !mpi_modelled && bytes >= MPI_OFFER_BYTES
           && bytes >= MPI_OFFER_SUM / (size_t)b->size;
}

void mpi_build_send_to_one(struct mpi_build *b, int peer, const void *from, size_t bytes)
{
    mpi_build_send(b, peer, from, bytes);
    if (would_flood(b, bytes) && !b->s->failed)
        b->s->step[b->s->steps - 1].heard = 1;
}

void mpi_build_multi(struct mpi_build *b, const void *from, size_t bytes, unsigned latency)
{
    const uint32_t others = (uint32_t)b->size - 1;
    struct fw_multi *m = mpi_build_memory(b, sizeof *m + others * sizeof *m->rank);
    if (!m)
        return;
    *m = (struct fw_multi){ .latency = latency, .count = others, .packet = is_packet(b, bytes) };
    for (uint32_t i = 0; i < others; i++) {
        const uint32_t number = number_of(b, (b->rank + 1 + (int)i) % b->size);
        m->rank[i] = b->s->world ? (unsigned)b->s->world[number] : number;
    }
    fw_sched_step(b->s, FW_STEP_MULTI, 0, m, from, bytes);
}

void mpi_build_recv(struct mpi_build *b, int peer, void *to, size_t bytes)
{
    enum fw_step_kind kind = is_packet(b, bytes) ? FW_STEP_AWAIT : FW_STEP_RECV;
    fw_sched_step(b->s, kind, number_of(b, peer), to, NULL, bytes);
}

void mpi_build_take(struct mpi_build *b, int peer, void *to, size_t bytes)
{
    mpi_build_recv(b, peer, to, bytes);
    if (!is_packet(b, bytes))
        mpi_build_wait(b);
}

void mpi_build_exchange(struct mpi_build *b, int peer, const void *from, void *to, size_t bytes)
{
    mpi_build_send(b, peer, from, bytes);
    mpi_build_take(b, peer, to, bytes);
}

void mpi_build_combine(struct mpi_build *b, const void *lower, void *higher, size_t bytes)
{
    fw_sched_step(b->s, FW_STEP_COMBINE, 0, higher, lower, bytes);
}

void mpi_build_copy(struct mpi_build *b, void *to, const void *from, size_t bytes)
{
    if (bytes && to != from)
        fw_sched_step(b->s, FW_STEP_COPY, 0, to, from, bytes);
}

void mpi_build_read(struct mpi_build *b, void *to, const void *from, size_t bytes)
{
    if (b->kept)
        mpi_build_copy(b, to, from, bytes);
    else if (bytes && to != from)
        memcpy(to, from, bytes);
}

void mpi_build_fold(struct mpi_build *b, const struct mpi_reduction *r, void *mine, void *theirs)
{
    size_t bytes = r->unit * r->count;
    if (r->commutative) {
        mpi_build_combine(b, theirs, mine, bytes);
        return;
    }
    mpi_build_combine(b, mine, theirs, bytes);
    mpi_build_copy(b, mine, theirs, bytes);
}
