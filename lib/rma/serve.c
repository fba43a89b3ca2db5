/* Small requests at the target.  Nothing that they say is believed. */
#include "rma/serve.h"

#include <string.h>

#include "core/op.h"
#include "nicemu/atomic.h"
#include "nicemu/rdma.h"
#include "nicemu/remote.h"
#include "rma/ask.h"
#include "rma/chunks.h"
#include "rma/control.h"

#define NO_SIZE 0
#define SIZE_OF(name, type, ...) [MPI_ELEM_##name] = sizeof(type),
#define PAIR_SIZE_OF(name, ...) [MPI_ELEM_##name] = sizeof(struct mpi_pair_##name),
static const uint8_t elem_bytes[MPI_ELEMS] = {
    [MPI_ELEM_NONE] = 1,        /* only replaced or read */
    MPI_ELEM_INTEGERS(SIZE_OF) MPI_ELEM_LOGICALS(SIZE_OF) MPI_ELEM_FLOATS(SIZE_OF)
    MPI_ELEM_COMPLEXES(SIZE_OF) MPI_ELEM_PAIRS(PAIR_SIZE_OF)
};

/* A request under way. */
struct service {
    struct mpi_win *w;
    const struct mpi_rma_small *q;
    const unsigned char *data;
    size_t data_bytes;
    unsigned char *at;          /* the target's memory */
    unsigned char old[MPI_RMA_ANSWER_BYTES];
};

static struct mpi_rma_answers *answers_at(const struct service *s)
{
    const struct mpi_win *w = s->w;
    return (struct mpi_rma_answers *)((char *)w->part[s->q->origin].control
                                      + mpi_rma_answers_at(w->comm->size, w->comm->rank));
}

/* -- accumulating */

static bool change_fits(const struct service *s)
{
    const struct mpi_rma_small *q = s->q;
    const MPI_Op op = (MPI_Op)(uintptr_t)q->op;
    if (q->kind == MPI_RMA_SMALL_COMPARE)
        return s->data_bytes == 2u * q->bytes;
    if (op == MPI_NO_OP)
        return !s->data_bytes;
    if (s->data_bytes != q->bytes || q->elem >= MPI_ELEMS || q->bytes % elem_bytes[q->elem])
        return false;
    return op == MPI_REPLACE || mpi_op_loop_get(op, (enum mpi_elem)q->elem);
}

static void combine(struct service *s)
{
    _Alignas(16) unsigned char in[MPI_RMA_SMALL_BYTES], out[MPI_RMA_SMALL_BYTES];
    const struct mpi_rma_small *q = s->q;
    const MPI_Op op = (MPI_Op)(uintptr_t)q->op;
    memcpy(in, s->data, q->bytes);
    memcpy(out, s->old, q->bytes);
    mpi_op_loop_get(op, (enum mpi_elem)q->elem)(in, out, q->bytes / elem_bytes[q->elem]);
    nic_copy(s->at, out, q->bytes);
}

static void change(struct service *s)
{
    const MPI_Op op = (MPI_Op)(uintptr_t)s->q->op;
    if (s->q->kind == MPI_RMA_SMALL_COMPARE) {
        if (!memcmp(s->old, s->data + s->q->bytes, s->q->bytes))
            nic_copy(s->at, s->data, s->q->bytes);
    } else if (op == MPI_REPLACE) {
        nic_copy(s->at, s->data, s->q->bytes);
    } else if (op != MPI_NO_OP) {
        combine(s);
    }
}

/* Somebody who has the word may be long, and may need this NIC. */
static int change_busy(struct service *s)
{
    uint64_t *busy = &mpi_win_control(s->w)->busy, nobody = 0;
    if (!change_fits(s))
        return MPI_ERR_INTERN;
    if (!__atomic_compare_exchange_n(busy, &nobody, (uint64_t)s->q->origin + 1, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return MPI_RMA_REFUSED;
    nic_copy(s->old, s->at, s->q->bytes);
    change(s);
    __atomic_store_n(busy, 0, __ATOMIC_SEQ_CST);
    return MPI_SUCCESS;
}

/* -- answering */

static void answer(struct service *s, int class)
{
    struct mpi_rma_answer *a = &answers_at(s)->answer[s->q->place];
    a->class = (uint32_t)class;
    memcpy(a->data, s->old, s->q->bytes);
    /* release: behind the answer */
    __atomic_store_n(&a->number, s->q->number, __ATOMIC_RELEASE);
}

static void answer_put(const struct service *s, int class)
{
    struct mpi_rma_answers *a = answers_at(s);
    if (unlikely(class))
        __atomic_store_n(&a->failed, (uint32_t)class, __ATOMIC_RELAXED);
    /* release: behind the data and the failure */
    __atomic_store_n(&a->handled, s->q->number, __ATOMIC_RELEASE);
}

static int find(struct service *s, size_t bytes)
{
    static const uint8_t rights[MPI_RMA_SMALL_KINDS] = {
        NIC_RIGHT_WRITE, NIC_RIGHT_READ, NIC_RIGHT_ALL, NIC_RIGHT_ALL, NIC_RIGHT_READ, 0,
        NIC_RIGHT_WRITE, NIC_RIGHT_READ };
    const struct nic_address a = { nic_rank(mpi_nic), s->q->key, s->q->offset };
    s->at = nic_resolve(mpi_nic, &a, bytes, rights[s->q->kind]);
    return s->at ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
}

static int serve(struct service *s)
{
    int class = find(s, s->q->bytes);
    switch (s->q->kind) {
    case MPI_RMA_SMALL_PUT:
        if (likely(!class))
            nic_copy(s->at, s->data, s->q->bytes);
        answer_put(s, class);
        break;
    case MPI_RMA_SMALL_GET:
        if (likely(!class))
            nic_copy(s->old, s->at, s->q->bytes);
        answer(s, class);
        break;
    default:
        class = class ? class : change_busy(s);
        answer(s, class);
    }
    return class;
}

/* -- puts of several lines: one at a time is on its way into a NIC */

static struct landing { struct fw_object object; struct service service; struct mpi_rma_small q;
                        uint64_t window; unsigned source; } landing;

/* What this rank had asked for is there. */
static void take_body(const struct service *s)
{
    const struct mpi_rma_small *q = s->q;
    struct mpi_rma_answer *a = &mpi_rma_answers_of(s->w, q->origin)->answer[q->place];
    s->w->part[q->origin].asked.place[q->place].to = NULL;
    a->class = MPI_SUCCESS;
    __atomic_store_n(&a->number, q->number, __ATOMIC_RELEASE);
}

static void landed(void)
{
    struct service *s = &landing.service;
    s->w = mpi_handle_get(MPI_KIND_WIN, landing.window);
    if (!s->w)
        return;
    if (s->q->kind == MPI_RMA_BODY) {
        take_body(s);
        return;
    }
    answer_put(s, MPI_SUCCESS);
    nic_notify(mpi_nic, landing.source);
}

/* Where a body goes; NULL: nobody wants it. */
static void *asked_for(const struct service *s)
{
    const struct mpi_rma_small *q = s->q;
    const struct mpi_rma_unanswered *u = &s->w->part[q->origin].asked.place[q->place];
    return u->number == q->number && u->bytes == q->bytes ? u->to : NULL;
}

/* False: nobody wants it.  What is not received is dropped. */
static bool land(struct service *s, const struct nic_packet *p, unsigned source)
{
    const size_t first = p->head_bytes - sizeof *s->q;
    const bool body = s->q->kind == MPI_RMA_BODY;
    int class = body ? MPI_SUCCESS : find(s, s->q->bytes);
    if (body && !(s->at = asked_for(s)))
        return false;
    if (class) {
        answer_put(s, class);
        nic_notify(mpi_nic, source);
        return true;
    }
    memcpy(s->at, s->data, first);
    if (first == s->q->bytes) {
        take_body(s);
        return true;
    }
    landing = (struct landing){ .object.kind = FW_WINDOW, .q = *s->q, .service = *s,
                                .window = p->match, .source = source };
    landing.service.q = &landing.q;
    nic_receive_body(mpi_nic, s->at + first, s->q->bytes - first, &landing);
    return true;
}

/* What was asked for, by a packet: refused where the asker has no room for it now. */
static void send_body(struct service *s, unsigned source)
{
    const struct mpi_win *w = s->w;
    struct mpi_rma_small q = *s->q;
    int class = find(s, q.bytes);
    q.kind = MPI_RMA_BODY;
    q.origin = (uint16_t)w->comm->rank;
    const struct fw_window_packet packet = { w->part[s->q->origin].name, &q, sizeof q, s->at,
                                             q.bytes };
    if (!class && mpi_fw_send_window(mpi_fw, source, &packet, false))
        return;
    struct mpi_rma_answer *a = &answers_at(s)->answer[q.place];
    a->class = (uint32_t)(class ? class : MPI_RMA_REFUSED);
    __atomic_store_n(&a->number, q.number, __ATOMIC_RELEASE);
}

/* -- a share of a long transfer */

static int copy_chunk(const struct service *s, unsigned source, const struct mpi_rma_help *h,
                      size_t at, size_t bytes)
{
    return s->q->kind == MPI_RMA_HELP_PUT
           ? nic_rdma_read(mpi_nic, source, h->address + at, s->at + at, bytes)
           : nic_rdma_write(mpi_nic, source, s->at + at, h->address + at, bytes);
}

/* As long as there are chunks.  Where this side may not copy the origin does all. */
static void help(struct service *s, unsigned source)
{
    struct mpi_rma_answers *a = answers_at(s);
    const bool put = s->q->kind == MPI_RMA_HELP_PUT;
    struct mpi_rma_help h;
    uint32_t chunk;
    memcpy(&h, s->data, sizeof h);
    if (h.bytes > MPI_RMA_SHARED_MAX || find(s, h.bytes)
        || !(nic_rdma_paths(mpi_nic, source) & (put ? NIC_RDMA_READ : NIC_RDMA_WRITE)))
        return;
    const size_t each = mpi_rma_chunk_bytes(h.bytes);
    while (mpi_rma_claim(a, s->q->number, mpi_rma_chunks(h.bytes), &chunk)) {
        const size_t at = chunk * each, left = h.bytes - at;
        if (copy_chunk(s, source, &h, at, left < each ? left : each))
            __atomic_store_n(&a->unhelpful, 1, __ATOMIC_RELAXED);
        /* release: behind the copy */
        __atomic_fetch_add(&a->helped, 1, __ATOMIC_RELEASE);
    }
}

/* -- packets */

static bool sound(const struct service *s, unsigned source)
{
    const struct mpi_win *w = s->w;
    const struct mpi_rma_small *q = s->q;
    if (!w || q->origin >= (unsigned)w->comm->size || mpi_win_world(w, q->origin) != source
        || !w->part[q->origin].control || q->kind >= MPI_RMA_SMALL_KINDS
        || q->place >= MPI_RMA_ANSWERS)
        return false;
    if (q->kind == MPI_RMA_SMALL_PUT || q->kind == MPI_RMA_BODY)
        return s->data_bytes == q->bytes;
    if (q->kind == MPI_RMA_BODY_GET)
        return !s->data_bytes;
    if (q->kind >= MPI_RMA_HELP_PUT)
        return s->data_bytes == sizeof(struct mpi_rma_help);
    if (q->bytes > MPI_RMA_ANSWER_BYTES)
        return false;
    return q->kind == MPI_RMA_SMALL_GET ? !s->data_bytes : q->bytes <= MPI_RMA_SMALL_BYTES;
}

static enum fw_window_did arrived(const struct nic_packet *p, unsigned source)
{
    struct mpi_rma_small q;
    struct service s = { .q = &q };
    if (p->head_bytes < sizeof q)
        return FW_WINDOW_STRAY;
    memcpy(&q, p->head, sizeof q);
    s.w = mpi_handle_get(MPI_KIND_WIN, p->match);
    s.data = (const unsigned char *)p->head + sizeof q;
    s.data_bytes = p->length - sizeof q;
    const bool lands = p->length > p->head_bytes || q.kind == MPI_RMA_BODY;
    int class = MPI_SUCCESS;
    if (!sound(&s, source) || (lands && q.kind != MPI_RMA_SMALL_PUT && q.kind != MPI_RMA_BODY))
        return FW_WINDOW_STRAY;
    if (lands)
        return land(&s, p, source) ? FW_WINDOW_SERVED : FW_WINDOW_STRAY;
    if (q.kind >= MPI_RMA_HELP_PUT)
        help(&s, source);
    else if (q.kind == MPI_RMA_BODY_GET)
        send_body(&s, source);
    else
        class = serve(&s);
    nic_notify(mpi_nic, source);
    return class == MPI_RMA_REFUSED ? FW_WINDOW_REFUSED : FW_WINDOW_SERVED;
}

/* With the baton, so that the NIC thread sees the window whole. */
void mpi_rma_serve_begin(struct mpi_win *w)
{
    nic_enter(mpi_nic);
    mpi_fw_on_window(mpi_fw, arrived, landed);
    nic_leave(mpi_nic);
    /* release: pairs with mpi_rma_serves of the others */
    __atomic_store_n(&mpi_win_control(w)->serves, 1, __ATOMIC_RELEASE);
}
