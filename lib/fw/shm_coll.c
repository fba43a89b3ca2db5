/* Short collectives by stores; see shm_coll.h. */
#include <stdlib.h>
#include <string.h>

#include "fw/shm_coll.h"
#include "fw/state.h"

/* A contribution or a result.  Written by one rank at a time, read by all. */
struct slot {
    _Alignas(64) _Atomic uint64_t stamp;
    _Atomic uint64_t info;
    unsigned char data[FW_SHM_BYTES];
};
static_assert(sizeof(struct slot) == 128, "shared layout");

struct arrivals { _Alignas(64) _Atomic uint32_t count; };    /* 0 before and after */

struct area {
    _Alignas(64) _Atomic uint64_t done;     /* owner: all operations up to this are finished here */
    _Atomic uint32_t awaited;               /* a rank waits for `done`; the owner wakes them all */
    struct slot own[FW_SHM_WINDOW];         /* owner: its contributions */
    struct slot result[FW_SHM_WINDOW];      /* at rank 0; the last to arrive writes it */
    struct arrivals arrived[FW_SHM_WINDOW]; /* at rank 0 */
};
static_assert(sizeof(struct area) == 64 + FW_SHM_WINDOW * (128 + 128 + 64), "shared layout");

struct fw_shm_coll {
    unsigned char *first;           /* area of the job's rank 0; the others' are `stride` apart */
    size_t stride;
    const int *world;
    uint32_t rank, size, area;
    bool few;
    uint64_t begun, done;           /* the last operation begun; all up to `done` are finished */
    uint32_t finished;              /* bit i: done + 1 + i is finished */
    uint64_t *high;                 /* the highest number of any communicator */
    uint64_t known;                 /* every other rank has finished this */
    uint32_t scan;                  /* next rank to be asked for that */
    uint64_t least;                 /* of those asked so far */
    struct fw_shm_coll *next;          /* among the retired */
};
static_assert(FW_SHM_WINDOW <= 32, "bits of finished");
static_assert(FW_SHM_AREAS < 32, "bits of shm_free");

static struct area *area_of(const struct fw_shm_coll *s, uint32_t rank)
{
    return (struct area *)(s->first + s->stride * (s->world ? (uint32_t)s->world[rank] : rank));
}

/* -- info: what all ranks must agree on, and beside it how far its writer is behind */

static uint64_t info_make(enum fw_shm_kind kind, size_t bytes, uint32_t root)
{
    return (uint64_t)kind | bytes << 16 | (uint64_t)root << 32;
}

enum { LAG_SHIFT = 8, LAG_UNKNOWN = 255 };      /* window + 1 at most, or unknown */
#define LAG_MASK (UINT64_C(255) << LAG_SHIFT)
static enum fw_shm_kind info_kind(uint64_t info) { return (enum fw_shm_kind)(info & 255); }
static size_t info_bytes(uint64_t info) { return info >> 16 & 0xffff; }
static uint32_t info_root(uint64_t info) { return (uint32_t)(info >> 32) & FW_SHM_ROOT; }
static uint32_t info_part(uint64_t info) { return (uint32_t)(info >> 32) >> FW_SHM_PART_SHIFT; }
static uint64_t lag_of(uint64_t info) { return (info & LAG_MASK) >> LAG_SHIFT; }

/* -- areas */

/* Called before anything else takes from the scratchpad, so that all ranks find the areas at the
 * same place.  They take a third of it at most.  On the model clock collectives go by packets, as
 * on the hardware that it models; so they do in a job of several machines. */
void mpi_fw_shm_coll_attach(struct fw *fw)
{
    const char *wanted = getenv("MPILITE_COLL");    /* "packets": for tests, to see schedules */
    bool none = fw->offload != FW_OFFLOAD_ALL || (wanted && !strcmp(wanted, "packets"));
    none = none || nic_modelled(fw->nic) || nic_ranks(fw->nic) == 1 || nic_has_far_ranks(fw->nic);
    unsigned n = none ? 0 : FW_SHM_AREAS;
    while (n && !nic_spad_at(fw->nic, fw->rank, 0, 3 * n * sizeof(struct area)))
        n /= 2;
    size_t bytes = n * sizeof(struct area);
    fw->shm_areas = n ? nic_spad_alloc(fw->nic, NIC_SPAD_SLOTS, bytes, 64) : NIC_SPAD_NONE;
    fw->shm_free = fw->shm_areas == NIC_SPAD_NONE ? 0 : (UINT32_C(1) << n) - 1;
}

/* Every rank is through with the last operation: nobody reads or writes here any more. */
static bool is_quiet(const struct fw_shm_coll *s)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (atomic_load_explicit(&area_of(s, i)->done, memory_order_acquire) < s->begun)
            return false;
    return true;
}

static void slots_free(struct fw_shm_coll *s)
{
    free((void *)(uintptr_t)s->world);
    free(s);
}

static void reclaim(struct fw *fw)
{
    for (struct fw_shm_coll **at = &fw->shm_retired; *at;) {
        struct fw_shm_coll *s = *at;
        if (is_quiet(s)) {
            *at = s->next;
            fw->shm_free |= UINT32_C(1) << s->area;
            slots_free(s);
        } else {
            at = &s->next;
        }
    }
}

uint32_t mpi_fw_shm_coll_areas(struct fw *fw)
{
    reclaim(fw);
    return fw->shm_free;
}

uint64_t mpi_fw_shm_coll_high(const struct fw *fw) { return fw->shm_high; }

void mpi_fw_shm_coll_take(struct fw *fw, unsigned area) { fw->shm_free &= ~(UINT32_C(1) << area); }
void mpi_fw_shm_coll_give(struct fw *fw, unsigned area) { fw->shm_free |= UINT32_C(1) << area; }

struct fw_shm_coll *mpi_fw_shm_coll_new(struct fw *fw, unsigned area, uint64_t base, uint32_t rank,
                                        uint32_t size, const int *world)
{
    struct fw_shm_coll *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    uint64_t offset = fw->shm_areas + area * sizeof(struct area);
    unsigned second_rank = nic_ranks(fw->nic) > 1;
    s->first = nic_spad_at(fw->nic, 0, offset, sizeof(struct area));
    unsigned char *second = nic_spad_at(fw->nic, second_rank, offset, sizeof(struct area));
    s->stride = (size_t)(second - s->first);
    s->world = world;
    s->rank = rank;
    s->size = size;
    s->area = area;
    s->few = size <= FW_SHM_FEW && !nic_oversubscribed(fw->nic);
    s->begun = s->done = s->known = base;
    s->high = &fw->shm_high;
    mpi_fw_shm_coll_take(fw, area);
    if (fw->shm_high < base)
        fw->shm_high = base;
    atomic_store_explicit(&area_of(s, rank)->done, base, memory_order_release);
    return s;
}

void mpi_fw_shm_coll_retire(struct fw *fw, struct fw_shm_coll *s, int *world)
{
    s->world = world;
    s->next = fw->shm_retired;
    fw->shm_retired = s;
}

void mpi_fw_shm_coll_delete(struct fw *fw)
{
    while (fw->shm_retired) {
        struct fw_shm_coll *s = fw->shm_retired;
        fw->shm_retired = s->next;
        slots_free(s);
    }
}

/* -- one operation */

void mpi_fw_shm_begin(struct fw_shm_coll *s, struct fw_shm_op *op, enum fw_shm_kind kind,
                      void *data, size_t bytes, uint32_t root, fw_combine *combine,
                      const void *context)
{
    op->slots = s;
    op->k = ++s->begun;
    if (*s->high < s->begun)
        *s->high = s->begun;
    op->info = info_make(kind, bytes, root);
    op->data = data;
    op->combine = combine;
    op->context = context;
    op->next = 0;
    op->turn = 0;
    op->least = UINT64_MAX;
    op->put = op->finished = op->mismatch = false;
}

static struct slot *own_slot(const struct fw_shm_op *op, uint32_t rank)
{
    return &area_of(op->slots, rank)->own[op->k % FW_SHM_WINDOW];
}

static struct slot *result_slot(const struct fw_shm_op *op)
{
    return &area_of(op->slots, 0)->result[op->k % FW_SHM_WINDOW];
}

static _Atomic uint32_t *arrival_count(const struct fw_shm_op *op)
{
    return &area_of(op->slots, 0)->arrived[op->k % FW_SHM_WINDOW].count;
}

/* S1: the slot's data are read after its stamp. */
static bool is_stamped(const struct slot *slot, uint64_t k)
{
    return atomic_load_explicit(&slot->stamp, memory_order_acquire) == k;
}

/* S4: a place is written again after `done` says that it has been read. */
static uint64_t done_of(const struct fw_shm_coll *s, uint32_t rank)
{
    return atomic_load_explicit(&area_of(s, rank)->done, memory_order_acquire);
}

static bool is_behind(const struct fw_shm_coll *s, uint32_t rank, uint64_t k)
{
    return done_of(s, rank) + FW_SHM_WINDOW < k;
}

/* Whether all ranks have finished k - FW_SHM_WINDOW.  Where it is not known, all are asked in turn;
 * one that is behind is told that it is awaited, and asked again. */
static bool window_is_open(struct fw_shm_coll *s, uint64_t k)
{
    if (__builtin_expect(k > s->done + FW_SHM_WINDOW, 0))
        return false;
    if (__builtin_expect(k <= s->known + FW_SHM_WINDOW, 1))
        return true;
    if (!s->scan)
        s->least = UINT64_MAX;
    for (; s->scan < s->size; s->scan++) {
        if (is_behind(s, s->scan, k)) {
            atomic_store(&area_of(s, s->scan)->awaited, 1);
            return false;
        }
        uint64_t done = done_of(s, s->scan);
        s->least = done < s->least ? done : s->least;
    }
    s->scan = 0;
    s->known = s->least;
    return k <= s->known + FW_SHM_WINDOW;   /* the first may have been asked for an older one */
}

static void learn(struct fw_shm_coll *s, uint64_t done)
{
    if (done > s->known)
        s->known = done;
}

static inline void copy(void *to, const void *from, size_t bytes)
{
    if (bytes <= 64)
        nic_copy_short(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

static void write_slot(struct slot *slot, uint64_t k, uint64_t info, const void *data, size_t bytes)
{
    atomic_store_explicit(&slot->info, info, memory_order_relaxed);
    copy(slot->data, data, bytes);
    atomic_store_explicit(&slot->stamp, k, memory_order_release);   /* S0: info and data first */
}

static void put_own(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    uint64_t info = op->info | (op->k - s->done) << LAG_SHIFT;
    write_slot(own_slot(op, s->rank), op->k, info, op->data, info_bytes(op->info));
}

static void notify_others(struct fw *fw, const struct fw_shm_coll *s)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (i != s->rank)
            nic_notify(fw->nic, s->world ? (uint32_t)s->world[i] : i);
}

/* Who waits for us to come on sets `awaited` and, before it sleeps, runs the heavy fence and looks
 * at `done` once more: so either it sees the new value or we see its mark (see nic_notify, which
 * needs no more from the side that stores). */
static void finish(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    struct area *own = area_of(s, s->rank);
    op->finished = true;
    FW_COUNT(fw, collectives_shm, 1);
    s->finished |= UINT32_C(1) << (op->k - s->done - 1);
    for (; s->finished & 1; s->finished >>= 1)
        s->done++;
    atomic_store_explicit(&own->done, s->done, memory_order_release);       /* S3, pairs with S4 */
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&own->awaited, memory_order_relaxed), 0)) {
        atomic_exchange(&own->awaited, 0);
        notify_others(fw, s);
    }
}

static void blame(struct fw_shm_op *op, uint32_t rank, uint64_t info)
{
    if (op->mismatch)
        return;
    op->mismatch = true;
    op->blame[0] = op->slots->rank;
    op->blame[1] = op->info;
    op->blame[2] = rank;
    op->blame[3] = info & ~LAG_MASK;
}

static struct fw_shm_call call_of(uint32_t rank, uint64_t info)
{
    return (struct fw_shm_call){ rank, info_root(info), info_kind(info), info_bytes(info),
                                 info_part(info) };
}

void mpi_fw_shm_blame(const struct fw_shm_op *op, struct fw_shm_call *one,
                      struct fw_shm_call *other)
{
    *one = call_of((uint32_t)op->blame[0], op->blame[1]);
    *other = call_of((uint32_t)op->blame[2], op->blame[3]);
}

void mpi_fw_shm_own(const struct fw_shm_op *op, struct fw_shm_call *own)
{
    *own = call_of(op->slots->rank, op->info);
}

bool mpi_fw_shm_odd(struct fw_shm_op *op)
{
    uint32_t size = op->put && !op->finished ? op->slots->size : 0;
    for (uint32_t rank = 0; !op->mismatch && rank < size; rank++) {
        const struct slot *slot = own_slot(op, rank);
        if (!is_stamped(slot, op->k))
            continue;
        uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
        if ((info & ~LAG_MASK) != op->info)
            blame(op, rank, info);
    }
    return op->put && op->mismatch && !op->finished;
}

/* Adds the contribution of rank op->next, which comes in rank order: sum[turn] = sum so far op
 * contribution. */
static void fold(struct fw_shm_op *op, const void *contribution)
{
    size_t bytes = info_bytes(op->info);
    unsigned char *into = op->sum[op->next ? !op->turn : op->turn];
    if (!bytes)
        return;
    copy(into, contribution, bytes);
    if (op->next) {
        op->combine(op->context, op->sum[op->turn], into, bytes);
        op->turn = !op->turn;
    }
}

/* The slot of rank op->next has come: looks whether that rank called the same, and adds its
 * contribution. */
static void take(struct fw_shm_op *op, const struct slot *slot)
{
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed), lag = lag_of(info);
    if (__builtin_expect((info & ~LAG_MASK) != op->info, 0))
        blame(op, op->next, info);
    else
        fold(op, slot->data);
    if (op->k - lag < op->least)
        op->least = op->k - lag;
}

/* Collects from all ranks in order, as far as they have come; false: one has not. */
static bool collect(struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    for (; op->next < s->size; op->next++) {
        const struct slot *slot = own_slot(op, op->next);
        if (op->next == s->rank)
            fold(op, op->data);
        else if (is_stamped(slot, op->k))
            take(op, slot);
        else
            return false;
    }
    return true;
}

static void keep_sum(struct fw_shm_op *op)
{
    copy(op->data, op->sum[op->turn], info_bytes(op->info));
}

/* -- by kind: what is done first, and what is done when something has come */

/* The last to arrive does the work for all, in rank order whoever it is. */
static void collect_arrived(struct fw_shm_op *op)
{
    for (; !collect(op); op->next++)        /* only a barrier arrives without a contribution */
        blame(op, op->next, info_make(FW_SHM_BARRIER, 0, 0));
}

static void write_result(struct fw_shm_op *op)
{
    struct slot *slot = result_slot(op);
    if (info_kind(op->info) == FW_SHM_BARRIER) {
        write_slot(slot, op->k, op->info | LAG_MASK, &op->slots->rank, sizeof op->slots->rank);
    } else if (op->mismatch) {
        uint64_t none = info_make(FW_SHM_NONE, 0, 0) | LAG_MASK;
        write_slot(slot, op->k, none, op->blame, sizeof op->blame);
    } else {
        keep_sum(op);
        uint64_t least = op->least < op->slots->done ? op->least : op->slots->done;
        uint64_t info = op->info | (op->k - least) << LAG_SHIFT;
        write_slot(slot, op->k, info, op->data, info_bytes(op->info));
        learn(op->slots, least);
    }
}

static void work_for_all(struct fw *fw, struct fw_shm_op *op)
{
    if (info_kind(op->info) != FW_SHM_BARRIER)
        collect_arrived(op);
    atomic_store_explicit(arrival_count(op), 0, memory_order_relaxed);  /* the stamp publishes it */
    write_result(op);
    notify_others(fw, op->slots);
    finish(fw, op);
}

static void arrive(struct fw *fw, struct fw_shm_op *op)
{
    if (info_kind(op->info) != FW_SHM_BARRIER)
        put_own(op);
    /* S2: the own contribution comes before, those of all others before the last one's count */
    uint32_t before = atomic_fetch_add_explicit(arrival_count(op), 1, memory_order_acq_rel);
    if (before + 1 == op->slots->size)
        work_for_all(fw, op);
}

static void take_result(struct fw_shm_op *op)
{
    const struct slot *slot = result_slot(op);
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (__builtin_expect(info_kind(info) == FW_SHM_NONE, 0)) {
        op->mismatch = true;
        memcpy(op->blame, slot->data, sizeof op->blame);
    } else if (__builtin_expect((info & ~LAG_MASK) != op->info, 0)) {
        uint32_t rank = 0;
        if (info_kind(info) == FW_SHM_BARRIER)
            memcpy(&rank, slot->data, sizeof rank);
        blame(op, rank, info);
    } else {
        copy(op->data, slot->data, info_bytes(info));
        if (lag_of(info) != LAG_UNKNOWN)
            learn(op->slots, op->k - lag_of(info));
    }
}

static void first_part(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    uint32_t root = info_root(op->info);
    op->put = true;
    switch (info_kind(op->info)) {
    case FW_SHM_REDUCE:
        if (s->rank == root)
            break;
        put_own(op);
        nic_notify(fw->nic, s->world ? (uint32_t)s->world[root] : root);
        finish(fw, op);
        break;
    case FW_SHM_BCAST:
        if (s->rank != root)
            break;
        put_own(op);
        notify_others(fw, s);
        finish(fw, op);
        break;
    default:
        if (!s->few) {
            arrive(fw, op);
            break;
        }
        put_own(op);
        notify_others(fw, s);
    }
}

static bool take_broadcast(struct fw_shm_op *op)
{
    uint32_t root = info_root(op->info);
    const struct slot *slot = own_slot(op, root);
    if (!is_stamped(slot, op->k))
        return false;
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if ((info & ~LAG_MASK) == op->info)
        copy(op->data, slot->data, info_bytes(info));
    else
        blame(op, root, info);
    return true;
}

static bool second_part(struct fw_shm_op *op)
{
    enum fw_shm_kind kind = info_kind(op->info);
    if (kind == FW_SHM_BCAST)
        return take_broadcast(op);
    if (kind != FW_SHM_REDUCE && !op->slots->few) {
        if (!is_stamped(result_slot(op), op->k))
            return false;
        take_result(op);
        return true;
    }
    if (!collect(op))
        return false;
    if (!op->mismatch)
        keep_sum(op);
    learn(op->slots, op->least < op->slots->done ? op->least : op->slots->done);
    return true;
}

bool mpi_fw_shm_advance(struct fw *fw, struct fw_shm_op *op)
{
    if (!op->put) {
        if (!window_is_open(op->slots, op->k))
            return false;
        first_part(fw, op);
    }
    if (!op->finished && second_part(op))
        finish(fw, op);
    return op->finished;
}

void mpi_fw_shm_give_up(struct fw *fw, struct fw_shm_op *op) { finish(fw, op); }

bool mpi_fw_shm_ready(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    enum fw_shm_kind kind = info_kind(op->info);
    if (!op->put)
        return s->done + FW_SHM_WINDOW >= op->k && !is_behind(s, s->scan, op->k);
    if (kind == FW_SHM_BCAST)
        return is_stamped(own_slot(op, info_root(op->info)), op->k);
    if (kind != FW_SHM_REDUCE && !s->few)
        return is_stamped(result_slot(op), op->k);
    return is_stamped(own_slot(op, op->next), op->k);
}
