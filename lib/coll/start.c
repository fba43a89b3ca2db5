/* Starting collectives as schedules: MPI_Ibarrier, MPI_Ibcast, MPI_Ireduce, MPI_Iallreduce, and short blocking ones where there are no slots. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/build.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

/* One call: what it is to do. */
struct wanted {
    const char *call;
    struct mpi_comm *c;
    enum fw_slot_kind kind;
    void *data;                 /* contribution and result */
    const void *from;           /* the contribution of one that gets no result: its copy in memory of the schedule is `data` */
    size_t bytes;
    int root;
    struct mpi_reduction r;
};

static void build(struct fw_sched *s, const struct wanted *w)
{
    struct mpi_build b = { .s = s, .rank = w->c->rank, .size = w->c->size, .lines = mpi_fw_offload(mpi_fw) == FW_OFFLOAD_ALL, .crowded = nic_oversubscribed(mpi_nic) };
    switch (w->kind) {
    case FW_SLOT_BARRIER: mpi_build_barrier(&b); break;
    case FW_SLOT_BCAST: mpi_build_bcast(&b, w->data, w->bytes, w->root); break;
    case FW_SLOT_REDUCE: mpi_build_reduce(&b, w->data, &w->r, w->root); break;
    default: mpi_build_allreduce(&b, w->data, &w->r);
    }
}

/* The reduction outlives the call. */
static void keep_reduction(struct fw_sched *s, const struct wanted *w)
{
    struct mpi_reduction *r = mpi_fw_sched_memory(s, sizeof *r);
    if (r)
        *r = w->r;
    s->bytes = w->bytes;
    s->root = (uint32_t)w->root;
    s->combine = mpi_coll_combine;
    s->context = r;
    s->host_only = w->r.op && !w->r.loop;
}

/* NULL: no memory, and nothing has happened. */
static struct fw_sched *schedule(struct wanted *w, uint64_t match)
{
    struct fw_sched *s = mpi_fw_sched_new(w->call, match, (uint32_t)w->c->rank, w->c->world);
    if (!s)
        return NULL;
    keep_reduction(s, w);
    if (w->from && (w->data = mpi_fw_sched_memory(s, w->bytes)))
        mpi_coll_copy(w->data, w->from, w->bytes);
    bool by_slot = w->c->slots && w->bytes <= FW_SLOT_BYTES;
    if (by_slot) {
        s->slot = mpi_fw_sched_memory(s, sizeof *s->slot);
        mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_SLOT });
    } else if (!s->failed) {
        build(s, w);
    }
    if (s->failed) {
        mpi_fw_sched_delete(s);
        return NULL;
    }
    if (by_slot)
        mpi_fw_slot_begin(w->c->slots, s->slot, w->kind, w->data, w->bytes, (uint32_t)w->root, mpi_coll_combine, s->context);
    return s;
}

/* Baton held. */
static struct fw_req *start(struct wanted *w, uint64_t match)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    struct fw_sched *s = r ? schedule(w, match) : NULL;
    if (!s) {
        if (r)
            mpi_fw_req_free(mpi_fw, r);
        return NULL;
    }
    mpi_req_begin(r, FW_COLL, w->c);
    r->host.empty = true;
    mpi_fw_sched_start(mpi_fw, s, r);
    return r;
}

bool mpi_coll_by_schedule(struct mpi_coll *x, enum fw_slot_kind kind, void *data, size_t bytes, int root, const struct mpi_reduction *r)
{
    struct wanted w = { .call = x->call, .c = x->c, .kind = kind, .data = data, .bytes = bytes, .root = root };
    if (mpi_fw_offload(mpi_fw) != FW_OFFLOAD_ALL || bytes > FW_LINE_BYTES)
        return false;
    if (r)
        w.r = *r;
    mpi_coll_sign(x, (enum mpi_coll_kind)kind, bytes, root);
    struct fw_req *req = start(&w, x->match);
    if (!req)
        return false;
    mpi_coll_wait(x, req);
    return true;
}

static struct mpi_called called_by(const struct fw_req *r)
{
    const struct mpi_comm *c = r->host.comm;
    const struct fw_sched *s = r->sched;
    return s ? mpi_called_own(s->call, c->rank, mpi_sign_kind(s->match), s->bytes, (int)s->root) : (struct mpi_called){ .call = "a collective", .rank = c->rank };
}

/* -- requests (struct mpi_request_class) */

static const char *describe(const struct fw_req *r, const char *of, char *text, size_t size)
{
    struct mpi_called c = called_by(r);
    return mpi_coll_note_of(&c, of, text, size);
}

/* Not done, and not stopped. */
static bool is_open(const struct fw_req *r)
{
    return r->host.extra != FW_EXTRA_MISMATCH && !fw_req_done(r);
}

static void stop_if_hopeless(struct fw_req *r)
{
    struct mpi_called mine = called_by(r), other;
    if (!r->sched || r->sched->slot || !mpi_called_otherwise(&mine, r->sched->match, &other))
        return;
    struct mpi_mismatch *m = malloc(sizeof *m);
    if (!m)
        return;
    m->class = mpi_called_differ(&mine, &other, m->text, sizeof m->text);
    r->host.mismatch = m;
    r->host.extra = FW_EXTRA_MISMATCH;
    mpi_fw_sched_stop(mpi_fw, r);
}

static int mismatch(const struct fw_req *r, char *text, size_t size)
{
    if (r->error == FW_TRUNCATED) {
        snprintf(text, size, "a rank sent more or less than this one expects: "
                 "do counts and types agree?");
        return MPI_ERR_COUNT;
    }
    if (r->host.extra != FW_EXTRA_MISMATCH)
        return mpi_coll_mismatch(r->host.extra == FW_EXTRA_SLOT ? r->host.slot : NULL, text, size);
    snprintf(text, size, "%s", r->host.mismatch->text);
    return r->host.mismatch->class;
}

const struct mpi_request_class mpi_coll_request_class = {
    .is_open = is_open,
    .stop_if_hopeless = stop_if_hopeless,
    .mismatch = mismatch,
    .describe = describe,
};

/* -- the calls */

static int begin(struct wanted *w, MPI_Request *request)
{
    nic_enter(mpi_nic);
    nic_work(mpi_nic, NIC_WORK_COLLECTIVE);
    uint64_t match = fw_match_bits(w->c->context | 1, 0, w->c->coll_seq++ & MPI_SIGN_NUMBER) | mpi_sign((enum mpi_coll_kind)w->kind, w->bytes, w->root);
    struct fw_req *r = w->c->size == 1 ? mpi_req_done(w->c, MPI_REQ_EMPTY) : start(w, match);
    if (r)
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    return r ? MPI_SUCCESS : mpi_err(w->c, w->call, MPI_ERR_NO_MEM, "no memory for the request");
}

static int check_request(const char *call, MPI_Comm comm, struct mpi_comm **c, const MPI_Request *request)
{
    int rc = mpi_coll_check_comm(call, comm, c);
    return rc || request ? rc : mpi_err(*c, call, MPI_ERR_ARG, "the address for the request is NULL");
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct wanted w = { .call = "MPI_Ibarrier", .kind = FW_SLOT_BARRIER };
    MPI_ENTER(w.call);
    int rc = check_request(w.call, comm, &w.c, request);
    return rc ? rc : begin(&w, request);
}
MPI_WEAK_ALIAS(Ibarrier);

int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request)
{
    struct wanted w = { .call = "MPI_Ibcast", .kind = FW_SLOT_BCAST, .data = buffer, .root = root };
    const struct mpi_type *t;
    MPI_ENTER(w.call);
    int rc = check_request(w.call, comm, &w.c, request);
    if (!rc)
        rc = mpi_coll_check_data(w.call, w.c, buffer, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_root(w.call, w.c, root);
    if (rc)
        return rc;
    w.bytes = (size_t)count * mpi_coll_unit(t);
    return begin(&w, request);
}
MPI_WEAK_ALIAS(Ibcast);

int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct wanted w = { .call = "MPI_Iallreduce", .kind = FW_SLOT_ALLREDUCE, .data = recvbuf };
    const struct mpi_type *t;
    MPI_ENTER(w.call);
    int rc = check_request(w.call, comm, &w.c, request);
    if (!rc)
        rc = mpi_coll_check_data(w.call, w.c, recvbuf, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_op(w.call, w.c, op, datatype, count, &w.r);
    if (!rc)
        rc = mpi_coll_check_buffers(w.call, w.c, sendbuf, recvbuf, count);
    if (rc)
        return rc;
    w.bytes = w.r.unit * w.r.count;
    if (sendbuf != MPI_IN_PLACE)
        mpi_coll_copy(recvbuf, sendbuf, w.bytes);
    return begin(&w, request);
}
MPI_WEAK_ALIAS(Iallreduce);

int PMPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    struct wanted w = { .call = "MPI_Ireduce", .kind = FW_SLOT_REDUCE, .data = recvbuf, .root = root };
    MPI_ENTER(w.call);
    int rc = check_request(w.call, comm, &w.c, request);
    if (!rc)
        rc = mpi_coll_check_reduce(w.call, w.c, sendbuf, recvbuf, count, datatype, op, root, &w.r);
    if (rc)
        return rc;
    w.bytes = w.r.unit * w.r.count;
    if (w.c->rank != root)
        w.from = sendbuf;
    else if (sendbuf != MPI_IN_PLACE)
        mpi_coll_copy(recvbuf, sendbuf, w.bytes);
    return begin(&w, request);
}
MPI_WEAK_ALIAS(Ireduce);
