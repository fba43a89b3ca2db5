/* A blocking collective call: its beginning and end, its messages, its errors. */
#include "coll/coll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/note_mark.h"
#include "fw/schedule.h"
#include "fw/start.h"
#include "core/err.h"
#include "core/lost.h"
#include "core/request_notice.h"
#include "core/request_wait.h"
#include "core/type_data.h"

int mpi_coll_raise(struct mpi_coll *x)
{
    nic_enter(mpi_nic);
    mpi_comm_has_failed(x->c);
    nic_leave(mpi_nic);
    return mpi_err(x->c, x->call, x->class, "%s", x->why.text);
}

void mpi_coll_fail(struct mpi_coll *x, int class, const char *text)
{
    if (x->class)
        return;
    x->class = class;
    snprintf(x->why.text, sizeof x->why.text, "%s", text);
}

void *mpi_coll_memory(struct mpi_coll *x, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for intermediate results");
    return p;
}

/* The room that the data take; false: more than memory has. */
static bool copy_room(struct mpi_reduction *r, const struct mpi_type *t)
{
    ptrdiff_t last, begin = mpi_type_true_lb(t), end = begin + mpi_type_true_extent(t);
    if (__builtin_mul_overflow((ptrdiff_t)(r->count - 1), t->extent, &last)
        || __builtin_add_overflow(begin, last < 0 ? last : 0, &begin)
        || __builtin_add_overflow(end, last > 0 ? last : 0, &end)
        || begin < -PTRDIFF_MAX / 4 || end > PTRDIFF_MAX / 4)
        return false;
    r->copy_first = begin & ~(ptrdiff_t)15;
    r->copy_bytes = (size_t)(end - r->copy_first + 15) & ~(size_t)15;
    return true;
}

void mpi_coll_stage_reduction(struct mpi_coll_plan *p, struct mpi_reduction *r)
{
    const struct mpi_type *t = mpi_type_get(r->type);
    if (likely(t->contiguous || !t->derived || !r->count))
        return;
    size_t bytes = copy_room(r, t) ? 2 * r->copy_bytes : SIZE_MAX / 2;
    r->copies = mpi_stage_memory(mpi_coll_staging(p), bytes);
}

/* The user's operation on data that the type has laid out, in copies. */
static void combine_packed(const struct mpi_reduction *r, const void *in, void *inout, size_t count)
{
    const struct mpi_type *t = mpi_type_get(r->type);
    /* as an integer: the address may be in no object, of a type of absolute addresses */
    char *a = (char *)((uintptr_t)r->copies - (uintptr_t)r->copy_first), *b = a + r->copy_bytes;
    mpi_type_unpack(t, in, count * t->size, a);
    mpi_type_unpack(t, inout, count * t->size, b);
    mpi_op_apply(r->op, r->type, a, b, count);
    mpi_type_pack(t, b, count, inout);
}

void mpi_coll_combine(const void *context, const void *in, void *inout, size_t bytes)
{
    const struct mpi_reduction *r = context;
    size_t count = likely(bytes == r->unit * r->count) ? r->count : bytes / r->unit;
    if (likely(r->loop != NULL))
        r->loop(in, inout, count);
    else if (count && r->copies)
        combine_packed(r, in, inout, count);
    else if (count)
        mpi_op_apply(r->op, r->type, in, inout, count);
}

void mpi_coll_combine_modelled(const void *context, const void *in, void *inout, size_t bytes)
{
    const struct mpi_reduction *r = context;
    bool real = mpi_type_get(r->type)->family & (MPI_FAMILY_FLOAT | MPI_FAMILY_COMPLEX);
    nic_added(mpi_nic, r->unit ? bytes / r->unit : 0, real);
    mpi_coll_combine(context, in, inout, bytes);
}

static uint64_t match_from(const struct mpi_coll *x, int source)
{
    return x->match | (uint64_t)(unsigned)source << 32;
}

static struct fw_req *request(struct mpi_coll *x, enum fw_kind kind, void *buf, size_t bytes)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (!r) {
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for a request");
        return NULL;
    }
    mpi_req_begin(r, kind, x->c);
    r->buffer = buf;
    r->bytes = bytes;
    r->sync = false;
    r->firm = true;
    return r;
}

static struct fw_req *send_request(struct mpi_coll *x, int peer, const void *buf, size_t bytes)
{
    struct fw_req *r = request(x, FW_SEND, (void *)(uintptr_t)buf, bytes);
    if (r) {
        r->peer = (uint32_t)mpi_comm_peer(x->c, peer);
        r->match = match_from(x, x->rank);
    }
    return r;
}

struct fw_req *mpi_coll_isend(struct mpi_coll *x, int peer, const void *buf, size_t bytes)
{
    uint32_t world = (uint32_t)mpi_comm_peer(x->c, peer);
    uint64_t match = match_from(x, x->rank);
    bool eager = likely(bytes <= mpi_fw_eager_max(mpi_fw));
    if (eager && likely(mpi_fw_send_now(mpi_fw, world, match, buf, bytes)))
        return NULL;
    struct fw_req *r = send_request(x, peer, buf, bytes);
    if (r)
        mpi_fw_start(mpi_fw, r);
    return r;
}

struct fw_req *mpi_coll_offer(struct mpi_coll *x, int peer, const void *buf, size_t bytes)
{
    struct fw_req *r = send_request(x, peer, buf, bytes);
    if (r)
        mpi_fw_start_offer(mpi_fw, r, false);
    return r;
}

struct fw_req *mpi_coll_irecv(struct mpi_coll *x, int peer, void *buf, size_t bytes)
{
    struct fw_req *r = request(x, FW_RECV, buf, bytes);
    if (r) {
        r->match = match_from(x, peer);
        r->mask = 0;
        r->host.extra = FW_EXTRA_EXPECTED;
        r->host.expected = bytes;               /* r->bytes becomes what comes */
        mpi_fw_start(mpi_fw, r);
    }
    return r;
}

const char *mpi_coll_note_of(const struct mpi_coll_call *called, const char *of, char *text,
                             size_t size)
{
    char bytes[32] = "", root[24] = "";
    if (called->kind == MPI_COLL_FINALIZE) {
        snprintf(text, size, "MPI_Finalize: waits for the other ranks");
        return text;
    }
    if (called->bytes_known)
        snprintf(bytes, sizeof bytes, "%zu byte%s, ", called->bytes, called->bytes == 1 ? "" : "s");
    if (called->root_known)
        snprintf(root, sizeof root, "root %d, ", called->root);
    snprintf(text, size, "%s(%s%s%s)", called->call, bytes, root, of);
    return text;
}

/* Not of an intercommunicator, whose groups may call with different lengths and roots. */
void mpi_coll_note_mark(const struct mpi_coll_call *called, const struct mpi_comm *c,
                        uint64_t match, char *text, size_t size)
{
    struct note_mark m = {
        .context = (uint32_t)fw_match_context(match), .number = (uint32_t)match & MPI_MATCH_NUMBER,
        .kind = (uint32_t)called->kind, .root = (uint32_t)called->root,
        .bytes = called->bytes_known ? called->bytes : 0,
    };
    for (; c->part_of; c = c->part_of) {        /* the call has begun on the whole, as its last */
        m.context = c->part_of->context | 1U;
        m.number = (c->part_of->coll_seq - 1) & MPI_FINGERPRINT_NUMBER;
    }
    m.first = c->world ? (uint32_t)c->world[0] : 0;
    if (called->kind && !c->inter)
        note_mark_add(text, size, &m);
}

static struct mpi_coll_call called_here(const struct mpi_coll *x)
{
    return mpi_coll_call_own(x->call, x->rank, mpi_fingerprint_kind(x->match), x->bytes,
                             x->root);
}

const char *mpi_coll_note(const struct mpi_coll *x, char *text, size_t size)
{
    struct mpi_coll_call c = called_here(x);
    char label[MPI_LABEL_LONG];
    mpi_coll_note_of(&c, mpi_label_long(x->c, label, sizeof label), text, size);
    mpi_coll_note_mark(&c, x->c, x->match, text, size);
    return text;
}

static const char *note(void *argument, char *text, size_t size)
{
    return mpi_coll_note(argument, text, size);
}

/* False: they agree, as far as can be seen. */
static bool disagree(struct mpi_coll *x)
{
    struct mpi_coll_call mine = called_here(x), other;
    const struct fw_shm_coll *slots = x->vector ? NULL : x->c->shm;     /* which it has looked at */
    if (unlikely(x->vector != NULL) && x->vector->disagrees(x->vector))
        return true;
    if (!mpi_coll_find_other(slots, &mine, x->match, &other))
        return false;
    if (!x->class)
        x->class = mpi_coll_describe_mismatch(&mine, &other, x->why.text, sizeof x->why.text);
    return true;
}

/* A receive that is matched already ends by itself; a send ends when somebody takes it, if
 * ever. */
static void give_up(struct fw_req *r)
{
    if (r->object.kind == FW_COLL)
        mpi_fw_sched_stop(mpi_fw, r);
    else
        mpi_fw_cancel(mpi_fw, r);
}

static size_t expected(const struct fw_req *r) { return r->host.expected; }

void mpi_coll_fail_length(struct mpi_coll *x, int from, size_t sent, int to, size_t expects)
{
    char text[sizeof x->why.text];
    snprintf(text, sizeof text,
             "the counts disagree: rank %d sent %zu byte%s, rank %d expects %zu",
             from, sent, sent == 1 ? "" : "s", to, expects);
    mpi_coll_fail(x, sent > expects ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT, text);
}

/* Of a message, or of the first one of a schedule, that has another length than it should. */
static void fail_length(struct mpi_coll *x, const struct fw_req *r, size_t sent, size_t expects)
{
    mpi_coll_fail_length(x, fw_match_source(r->match), sent, x->rank, expects);
}

bool mpi_coll_take(struct mpi_coll *x, int peer, void *buf, size_t bytes)
{
    const struct fw_fast_path *f = (const struct fw_fast_path *)mpi_fw;
    struct nic_received taken;
    if ((f->posted | f->unexpected)
        || !nic_try_receive(mpi_nic, FW_EAGER_TYPE, match_from(x, peer), 0, buf, bytes, &taken))
        return false;
    if (unlikely(taken.length < bytes))
        mpi_coll_fail_length(x, peer, taken.length, x->rank, bytes);
    return true;
}

static void lose(struct mpi_coll *x, const struct fw_req *r)
{
    char text[sizeof x->why.text];
    mpi_coll_fail(x, mpi_lost_why(r, text, sizeof text), text);
    x->lost = true;
}

/* Of a request that has ended.  A message that is too short is no truncation. */
static void fail_request(struct mpi_coll *x, const struct fw_req *r)
{
    bool cut = r->error == FW_TRUNCATED;
    if (r->error == FW_LOST)
        lose(x, r);
    else if (r->error == FW_COPY_FAILED)
        mpi_coll_fail(x, MPI_ERR_BUFFER, "copying between the ranks failed" MPI_REQ_NOT_COPIED);
    else if (r->error && !cut)
        mpi_coll_fail(x, MPI_ERR_INTERN, "copying between the ranks failed");
    else if (r->object.kind == FW_COLL)
        fail_length(x, r, r->full, r->bytes);
    else if (r->object.kind == FW_SEND || r->cancelled)
        mpi_coll_fail(x, MPI_ERR_TRUNCATE,
                      "the counts disagree: another rank sent more than this one expects");
    else
        fail_length(x, r, cut ? r->full : r->count, expected(r));
}

/* A send that nobody may ever take: the ranks disagree, or one is lost, for which the others give
 * up.  It goes on, and nobody waits for it any more. */
static bool abandon(struct mpi_coll *x, struct fw_req *r, bool hopeless)
{
    bool lost = !hopeless && mpi_lost_some(r);
    if (lost)
        lose(x, r);
    if (hopeless || lost) {
        mpi_fw_detach(mpi_fw, r);
        x->abandoned = true;
    }
    return hopeless || lost;
}

void mpi_coll_wait(struct mpi_coll *x, struct fw_req *r)
{
    struct nic_wait w = { .note = note, .argument = x };
    bool given_up = false;
    if (!r)
        return;
    while (!fw_req_done(r)) {
        nic_wait_turn(mpi_nic, &w);
        if (!mpi_wait_suspects(&w) || given_up || fw_req_done(r))
            continue;
        bool hopeless = disagree(x);
        if (r->object.kind == FW_SEND && abandon(x, r, hopeless))
            return;
        if (r->object.kind != FW_SEND && hopeless) {
            give_up(r);
            given_up = true;
        }
    }
    mpi_req_notice(r);
    if (unlikely(r->error || (r->object.kind == FW_RECV && r->count < expected(r))))
        fail_request(x, r);
    mpi_fw_req_free(mpi_fw, r);
}
