/* Small requests at the target.  Nothing that they say is believed. */
#include "rma/serve.h"

#include <string.h>

#include "core/op.h"
#include "nicemu/atomic.h"
#include "rma/ask.h"
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

/* A number is stored, or read, at once; who sees it sees what was done here before. */
static void copy(void *to, const void *from, size_t bytes)
{
    if (likely(bytes == 8 && !(((uintptr_t)to | (uintptr_t)from) & 7))) {
        uint64_t word = __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
        __atomic_store_n((uint64_t *)to, word, __ATOMIC_RELEASE);
    } else if (bytes == 4 && !(((uintptr_t)to | (uintptr_t)from) & 3)) {
        uint32_t word = __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED);
        __atomic_store_n((uint32_t *)to, word, __ATOMIC_RELEASE);
    } else {
        memmove(to, from, bytes);
    }
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
    copy(s->at, out, q->bytes);
}

static void change(struct service *s)
{
    const MPI_Op op = (MPI_Op)(uintptr_t)s->q->op;
    if (s->q->kind == MPI_RMA_SMALL_COMPARE) {
        if (!memcmp(s->old, s->data + s->q->bytes, s->q->bytes))
            copy(s->at, s->data, s->q->bytes);
    } else if (op == MPI_REPLACE) {
        copy(s->at, s->data, s->q->bytes);
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
    copy(s->old, s->at, s->q->bytes);
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

static int find(struct service *s)
{
    static const uint8_t rights[] = { NIC_RIGHT_WRITE, NIC_RIGHT_READ, NIC_RIGHT_ALL,
                                      NIC_RIGHT_ALL };
    const struct nic_address a = { nic_rank(mpi_nic), s->q->key, s->q->offset };
    s->at = nic_resolve(mpi_nic, &a, s->q->bytes, rights[s->q->kind]);
    return s->at ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
}

static int serve(struct service *s)
{
    int class = find(s);
    switch (s->q->kind) {
    case MPI_RMA_SMALL_PUT:
        if (likely(!class))
            copy(s->at, s->data, s->q->bytes);
        answer_put(s, class);
        break;
    case MPI_RMA_SMALL_GET:
        if (likely(!class))
            copy(s->old, s->at, s->q->bytes);
        answer(s, class);
        break;
    default:
        class = class ? class : change_busy(s);
        answer(s, class);
    }
    return class;
}

/* -- packets */

static bool sound(const struct service *s, unsigned source)
{
    const struct mpi_win *w = s->w;
    const struct mpi_rma_small *q = s->q;
    if (!w || q->origin >= (unsigned)w->comm->size || mpi_win_world(w, q->origin) != source
        || !w->part[q->origin].control || q->kind > MPI_RMA_SMALL_COMPARE
        || q->place >= MPI_RMA_ANSWERS || q->bytes > MPI_RMA_ANSWER_BYTES)
        return false;
    if (q->kind == MPI_RMA_SMALL_PUT)
        return s->data_bytes == q->bytes;
    return q->kind == MPI_RMA_SMALL_GET ? !s->data_bytes : q->bytes <= MPI_RMA_SMALL_BYTES;
}

static enum fw_window_did arrived(const struct nic_packet *p, unsigned source)
{
    struct mpi_rma_small q;
    struct service s = { .q = &q };
    if (p->length < sizeof q)
        return FW_WINDOW_STRAY;
    memcpy(&q, p->head, sizeof q);
    s.w = mpi_handle_get(MPI_KIND_WIN, p->match);
    s.data = (const unsigned char *)p->head + sizeof q;
    s.data_bytes = p->length - sizeof q;
    if (!sound(&s, source))
        return FW_WINDOW_STRAY;
    const int class = serve(&s);
    nic_notify(mpi_nic, source);
    return class == MPI_RMA_REFUSED ? FW_WINDOW_REFUSED : FW_WINDOW_SERVED;
}

/* With the baton, so that the NIC thread sees the window whole. */
void mpi_rma_serve_begin(struct mpi_win *w)
{
    nic_enter(mpi_nic);
    mpi_fw_on_window(mpi_fw, arrived);
    nic_leave(mpi_nic);
    /* release: pairs with mpi_rma_serves of the others */
    __atomic_store_n(&mpi_win_control(w)->serves, 1, __ATOMIC_RELEASE);
}
