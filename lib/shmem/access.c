/* Operations of the NIC, from start to end. */
#include "shmem/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shmem/error.h"
#include "shmem/queue.h"

enum { COPY_MOST = 64 << 10 };      /* bytes that are copied rather than waited for */

/* One under way.  Owner: the NIC until its end. */
struct op {
    struct nic_outcome outcome;
    struct shmem_context *c;
    const char *call;
    const char *how;            /* what it is, for mpirun --explain */
    size_t bytes;
    int pe;
    bool kept;                  /* whoever started it waits, and frees it */
    bool ended;
    struct nic_atomic signal;   /* behind a put */
    bool signals;
    char data[];                /* a copy of what is put */
};

/* copied: bytes of `data`. */
static struct op *op_new(const struct op *what, size_t copied)
{
    struct op *o = malloc(sizeof *o + copied);
    if (!o)
        mpi_shmem_die(what->call, "no memory for an operation");
    *o = *what;
    return o;
}

static void check(const struct op *o, int status)
{
    if (status)
        mpi_shmem_die(o->call, "memory of PE %d can't be reached: %s", o->pe, strerror(-status));
}

/* Where its time went: to the answer, which the host sees as it comes. */
static void explain(const struct op *o)
{
    uint32_t way = mpi_door.nic_critical_path_save_event(mpi_shmem.nic);
    const struct nic_arrival a = { .one_sided = true, .target = (uint32_t)o->pe,
                                   .bytes = o->bytes, .how = o->how };
    mpi_door.nic_critical_path_end(mpi_shmem.nic, &way, &a);
}

/* With the baton held.  What waits at the target sees what has come: the kernel tells nobody. */
static void ended(void *context, int status)
{
    struct op *o = context;
    check(o, status);
    if (o->signals) {
        o->signals = false;
        o->outcome = (struct nic_outcome){ .done = ended, .context = o };
        check(o, mpi_door.nic_atomic(mpi_shmem.nic, &o->signal, &o->outcome));
        return;
    }
    if (unlikely(mpi_shmem.modelled))
        explain(o);
    mpi_door.nic_notify(mpi_shmem.nic, (unsigned)o->pe);
    o->c->under_way--;
    o->ended = true;
    if (!o->kept)
        free(o);
}

static const char *note(void *argument, char *text, size_t size)
{
    const struct op *o = argument;
    snprintf(text, size, "%s: with PE %d", o->call, o->pe);
    return text;
}

/* Baton held. */
static void finish(struct op *o)
{
    struct nic_wait wait = { .note = note, .argument = o };
    while (!o->ended)
        mpi_door.nic_wait_turn(mpi_shmem.nic, &wait);
    free(o);
}

static struct nic_address address_of(const char *call, const void *at, size_t bytes, int pe)
{
    size_t offset;
    mpi_shmem_check_pe(call, pe);
    const struct mpi_shmem_region *r = mpi_shmem_find(call, at, bytes, &offset);
    struct nic_address a = r->address[pe];
    a.offset += offset;
    return a;
}

/* -- transfers.  Nothing has no place: where there are 0 bytes dest or source may be what
 * shmem_malloc(0) gives. */

static void start(struct op *o, bool put, const struct nic_transfer *t, bool wait)
{
    struct nic *nic = mpi_shmem.nic;
    o->kept = wait;
    o->outcome.done = ended;
    o->outcome.context = o;
    mpi_door.nic_enter(nic);
    o->c->under_way++;
    check(o, put ? mpi_door.nic_put(nic, t, &o->outcome) : mpi_door.nic_get(nic, t, &o->outcome));
    if (wait)
        finish(o);
    mpi_door.nic_leave(nic);
}

static struct nic_atomic atomic_of(const struct mpi_shmem_atomic *a, struct nic_address target)
{
    return (struct nic_atomic){ .op = a->op, .target = target, .operand = a->operand,
                                .type = a->bytes == 4 ? NIC_ATOMIC_UINT32 : NIC_ATOMIC_UINT64,
                                .compare = a->compare, .result = a->result,
                                .counter = NIC_SPAD_NONE };
}

static struct nic_atomic signal_of(const char *call, const struct mpi_shmem_signal *s, int pe)
{
    const struct mpi_shmem_atomic a = { .bytes = 8, .operand = s->value,
        .op = s->op == SHMEM_SIGNAL_ADD ? NIC_ATOMIC_ADD : NIC_ATOMIC_WRITE };
    return atomic_of(&a, address_of(call, s->at, sizeof *s->at, pe));
}

void mpi_shmem_put_far(const char *call, struct shmem_context *c, void *dest, const void *source,
                       size_t bytes, const struct mpi_shmem_signal *signal, bool nbi, int pe)
{
    if (!bytes && !signal) {
        mpi_shmem_check_pe(call, pe);
        return;
    }
    struct nic_address to = address_of(call, bytes ? dest : signal->at, bytes, pe);
    const bool copy = !nbi && bytes <= COPY_MOST;
    if (!signal && mpi_shmem_queue_put(to, source, bytes))
        return;
    struct op *o = op_new(&(struct op){ .c = c, .call = call, .pe = pe, .bytes = bytes,
                                        .how = signal ? "put with signal" : "put" },
                          copy ? bytes : 0);
    if (signal) {
        o->signals = true;
        o->signal = signal_of(call, signal, pe);
    }
    if (copy && bytes)
        memcpy(o->data, source, bytes);
    struct nic_transfer t =
        nic_transfer_of(copy ? o->data : (void *)(uintptr_t)source, to, bytes);
    start(o, true, &t, !nbi && !copy);
}

void mpi_shmem_get_far(const char *call, struct shmem_context *c, void *dest, const void *source,
                       size_t bytes, bool nbi, int pe)
{
    if (!bytes) {
        mpi_shmem_check_pe(call, pe);
        return;
    }
    struct nic_transfer t = nic_transfer_of(dest, address_of(call, source, bytes, pe), bytes);
    const struct op what = { .c = c, .call = call, .pe = pe, .bytes = bytes, .how = "get" };
    start(op_new(&what, 0), false, &t, !nbi);
}

/* -- atomic operations */

/* [op][somebody asks for the old value] */
static const char *const names[NIC_ATOMIC_OP_COUNT][2] = {
    [NIC_ATOMIC_ADD] = { "add", "fetch and add" },
    [NIC_ATOMIC_AND] = { "and", "fetch and and" },
    [NIC_ATOMIC_OR] = { "or", "fetch and or" },
    [NIC_ATOMIC_XOR] = { "xor", "fetch and xor" },
    [NIC_ATOMIC_WRITE] = { "set", "swap" },
    [NIC_ATOMIC_COMPARE] = { "compare and swap", "compare and swap" },
};

void mpi_shmem_atomic_far(const char *call, struct shmem_context *c, void *dest,
                          const struct mpi_shmem_atomic *a, bool wait, int pe)
{
    struct nic *nic = mpi_shmem.nic;
    const struct nic_address at = address_of(call, dest, a->bytes, pe);
    const struct nic_atomic atomic = atomic_of(a, at);
    if ((uintptr_t)dest % a->bytes)
        mpi_shmem_die(call, "%p is not aligned for an element of %zu bytes", dest, a->bytes);
    if (mpi_shmem_queue_atomic(call, at, a))
        return;
    struct op *o = op_new(&(struct op){ .c = c, .call = call, .pe = pe, .bytes = a->bytes,
                                        .how = names[a->op][a->result != NULL] }, 0);
    o->kept = wait;
    o->outcome.done = ended;
    o->outcome.context = o;
    mpi_door.nic_enter(nic);
    c->under_way++;
    check(o, mpi_door.nic_atomic(nic, &atomic, &o->outcome));
    if (wait)
        finish(o);
    mpi_door.nic_leave(nic);
}
