/* Messages and reductions among ranks that have no communicator in common. */
#include "mpi/among.h"

#include <stdio.h>

#include "core/lost.h"
#include "core/request_notice.h"

enum { WORDS_MOST = 64 };       /* of a reduction at a time */

void mpi_among_begin(struct mpi_coll *x, const struct mpi_among *g)
{
    *x = (struct mpi_coll){ .call = g->call, .c = g->on, .rank = g->me, .size = g->count };
    nic_enter(mpi_nic);
    nic_work(mpi_nic, NIC_WORK_COLLECTIVE);
}

/* -- messages */

static unsigned side_of(const struct mpi_among *g, int i) { return g->side[i >= g->first]; }

static uint64_t match_of(const struct mpi_among *g, int from, int to)
{
    uint64_t match = g->match | (uint64_t)mpi_match_world(g->world[from]) << 32;
    if (g->first)
        match |= side_of(g, from) << MPI_AMONG_SIDE_BITS | side_of(g, to);
    return match;
}

static struct fw_req *request(struct mpi_coll *x, enum fw_kind kind, void *buf, size_t bytes)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (!r) {
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for a request");
        return NULL;
    }
    mpi_req_begin(r, kind, x->c);
    r->host.empty = true;       /* it is no message of the communicator's */
    r->buffer = buf;
    r->bytes = bytes;
    r->sync = false;
    r->firm = true;
    return r;
}

/* NULL: it is on its way, or there is no memory, which is noted. */
static struct fw_req *begin_send(struct mpi_coll *x, const struct mpi_among *g, int to,
                                 const void *buf, size_t bytes)
{
    uint32_t peer = (uint32_t)g->world[to];
    uint64_t match = match_of(g, g->me, to);
    if (bytes <= mpi_fw_eager_max(mpi_fw) && mpi_fw_send_now(mpi_fw, peer, match, buf, bytes))
        return NULL;
    struct fw_req *r = request(x, FW_SEND, (void *)(uintptr_t)buf, bytes);
    if (r) {
        r->peer = peer;
        r->match = match;
        mpi_fw_start(mpi_fw, r);
    }
    return r;
}

static struct fw_req *begin_recv(struct mpi_coll *x, const struct mpi_among *g, int from, void *buf,
                                 size_t bytes)
{
    struct fw_req *r = request(x, FW_RECV, buf, bytes);
    if (r) {
        r->match = match_of(g, from, g->me);
        r->mask = 0;
        mpi_fw_start(mpi_fw, r);
    }
    return r;
}

struct waiting { const struct mpi_coll *x; int world; };

static const char *note(void *argument, char *text, size_t size)
{
    const struct waiting *w = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "%s(%s): waits for rank %d of MPI_COMM_WORLD to call it, too", w->x->call,
             mpi_label_long(w->x->c, label, sizeof label), w->world);
    return text;
}

static void lose(struct mpi_coll *x, const struct fw_req *r)
{
    char text[sizeof x->why.text];
    mpi_coll_fail(x, mpi_lost_why(r, text, sizeof text), text);
}

static void end(struct mpi_coll *x, const struct mpi_among *g, int other, struct fw_req *r,
                size_t bytes)
{
    struct waiting waiting = { x, g->world[other] };
    struct nic_wait w = { .note = note, .argument = &waiting };
    if (!r)
        return;
    while (!fw_req_done(r))
        nic_wait_turn(mpi_nic, &w);
    mpi_req_notice(r);
    if (r->error == FW_TRUNCATED || (r->object.kind == FW_RECV && r->count != bytes))
        mpi_coll_fail(x, MPI_ERR_OTHER, "the ranks disagree on who calls, and in which order");
    else if (r->error == FW_LOST)
        lose(x, r);
    else if (r->error)
        mpi_coll_fail(x, MPI_ERR_INTERN, "copying between the ranks failed");
    mpi_fw_req_free(mpi_fw, r);
}

void mpi_among_exchange(struct mpi_coll *x, const struct mpi_among *g, int other, const void *out,
                        size_t out_bytes, void *in, size_t in_bytes)
{
    struct fw_req *in_req = begin_recv(x, g, other, in, in_bytes);
    struct fw_req *out_req = begin_send(x, g, other, out, out_bytes);
    end(x, g, other, in_req, in_bytes);
    end(x, g, other, out_req, out_bytes);
}

static void send(struct mpi_coll *x, const struct mpi_among *g, int to, const void *buf,
                 size_t bytes)
{
    end(x, g, to, begin_send(x, g, to, buf, bytes), bytes);
}

static void receive(struct mpi_coll *x, const struct mpi_among *g, int from, void *buf,
                    size_t bytes)
{
    end(x, g, from, begin_recv(x, g, from, buf, bytes), bytes);
}

/* -- a reduction: to the first of the list, and back, in a binomial tree */

static void combine(uint64_t *words, const uint64_t *theirs, size_t count,
                    enum mpi_among_operation operation)
{
    for (size_t i = 0; i < count; i++)
        if (operation == MPI_AMONG_AND)
            words[i] &= theirs[i];
        else
            words[i] = words[i] > theirs[i] ? words[i] : theirs[i];
}

static void reduce(struct mpi_coll *x, const struct mpi_among *g, uint64_t *words, size_t count,
                   enum mpi_among_operation operation)
{
    uint64_t theirs[WORDS_MOST] = { 0 };
    const size_t bytes = count * sizeof *words;
    int step = 1;
    for (; step < g->count && !(g->me & step); step *= 2)
        if (g->me + step < g->count) {
            receive(x, g, g->me + step, theirs, bytes);
            combine(words, theirs, count, operation);
        }
    if (g->me) {
        send(x, g, g->me - step, words, bytes);
        receive(x, g, g->me - step, words, bytes);
    }
    while (step /= 2)
        if (g->me + step < g->count)
            send(x, g, g->me + step, words, bytes);
}

void mpi_among_reduce(struct mpi_coll *x, const struct mpi_among *g, uint64_t *words, size_t count,
                      enum mpi_among_operation operation)
{
    for (size_t n; count && !x->class; count -= n, words += n) {
        n = count < WORDS_MOST ? count : WORDS_MOST;
        reduce(x, g, words, n, operation);
    }
}
