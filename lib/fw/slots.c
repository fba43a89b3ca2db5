/* Collective slots; see slots.h. */
#include <stdlib.h>
#include <string.h>

#include "fw/slots.h"
#include "fw/state.h"

/* A contribution or a result.  Written by one rank at a time, read by all. */
struct slot { _Alignas(64) _Atomic uint64_t stamp; _Atomic uint64_t info; unsigned char data[FW_SLOT_BYTES]; };
static_assert(sizeof(struct slot) == 128, "shared layout");

struct arrivals { _Alignas(64) _Atomic uint32_t count; };    /* 0 before and after */

struct area {
    _Alignas(64) _Atomic uint64_t done;         /* owner: every operation up to this is finished here */
    _Atomic uint32_t awaited;                   /* set by a rank that waits for `done`, taken by the owner, who wakes the others */
    struct slot own[FW_SLOT_WINDOW];            /* owner: its contributions */
    struct slot result[FW_SLOT_WINDOW];         /* at rank 0; the last to arrive writes it */
    struct arrivals arrived[FW_SLOT_WINDOW];    /* at rank 0 */
};
static_assert(sizeof(struct area) == 64 + FW_SLOT_WINDOW * (128 + 128 + 64), "shared layout");

struct fw_slots {
    unsigned char *first;           /* the area of the job's rank 0; the others' are `stride` apart */
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
    struct fw_slots *next;          /* among the retired */
};
static_assert(FW_SLOT_WINDOW <= 32, "bits of finished");
static_assert(FW_SLOT_AREAS < 32, "bits of slots_free");

static struct area *area_of(const struct fw_slots *s, uint32_t rank)
{
    return (struct area *)(s->first + s->stride * (s->world ? (uint32_t)s->world[rank] : rank));
}

/* -- info: what all ranks must agree on, and beside it how far its writer is behind */

static uint64_t info_make(enum fw_slot_kind kind, size_t bytes, uint32_t root) { return (uint64_t)kind | bytes << 16 | (uint64_t)root << 32; }
enum { LAG_SHIFT = 8, LAG_UNKNOWN = 255 };      /* window + 1 at most, or unknown */
#define LAG_MASK (UINT64_C(255) << LAG_SHIFT)
static enum fw_slot_kind info_kind(uint64_t info) { return (enum fw_slot_kind)(info & 255); }
static size_t info_bytes(uint64_t info) { return info >> 16 & 0xffff; }
static uint32_t info_root(uint64_t info) { return (uint32_t)(info >> 32) & FW_SLOT_ROOT; }
static uint32_t info_part(uint64_t info) { return (uint32_t)(info >> 32) >> FW_SLOT_PART_SHIFT; }
static uint64_t lag_of(uint64_t info) { return (info & LAG_MASK) >> LAG_SHIFT; }

#define KIND_NAME(name, call) [FW_SLOT_##name] = call,
static const char *const kind_names[FW_SLOT_KIND_COUNT] = { FW_SLOT_KINDS(KIND_NAME) };
const char *mpi_fw_slot_kind_name(enum fw_slot_kind kind)
{
    return (unsigned)kind < FW_SLOT_KIND_COUNT && kind_names[kind] ? kind_names[kind] : "something else";
}

/* -- areas */

/* Called before anything else takes from the scratchpad, so that all ranks find the areas at the same place.  They take a third of
 * it at most.  On the model clock collectives go by packets, as on the hardware that it models. */
void mpi_fw_slots_attach(struct fw *fw)
{
    const char *way = getenv("MPILITE_COLL");       /* "packets": for tests, and to look at the schedules */
    bool none = fw->offload != FW_OFFLOAD_ALL || (way && !strcmp(way, "packets"));
    unsigned n = none || nic_modelled(fw->nic) || nic_ranks(fw->nic) == 1 ? 0 : FW_SLOT_AREAS;
    while (n && !nic_spad_at(fw->nic, fw->rank, 0, 3 * n * sizeof(struct area)))
        n /= 2;
    fw->slot_areas = n ? nic_spad_alloc(fw->nic, NIC_SPAD_SLOTS, n * sizeof(struct area), 64) : NIC_SPAD_NONE;
    fw->slots_free = fw->slot_areas == NIC_SPAD_NONE ? 0 : (UINT32_C(1) << n) - 1;
}

/* Every rank is through with the last operation: nobody reads or writes here any more. */
static bool is_quiet(const struct fw_slots *s)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (atomic_load_explicit(&area_of(s, i)->done, memory_order_acquire) < s->begun)
            return false;
    return true;
}

static void slots_free(struct fw_slots *s)
{
    free((void *)(uintptr_t)s->world);
    free(s);
}

static void reclaim(struct fw *fw)
{
    for (struct fw_slots **at = &fw->slots_retired; *at;) {
        struct fw_slots *s = *at;
        if (is_quiet(s)) {
            *at = s->next;
            fw->slots_free |= UINT32_C(1) << s->area;
            slots_free(s);
        } else {
            at = &s->next;
        }
    }
}

uint32_t mpi_fw_slots_areas(struct fw *fw)
{
    reclaim(fw);
    return fw->slots_free;
}

uint64_t mpi_fw_slots_high(const struct fw *fw) { return fw->slots_high; }

void mpi_fw_slots_take(struct fw *fw, unsigned area) { fw->slots_free &= ~(UINT32_C(1) << area); }
void mpi_fw_slots_give(struct fw *fw, unsigned area) { fw->slots_free |= UINT32_C(1) << area; }

struct fw_slots *mpi_fw_slots_new(struct fw *fw, unsigned area, uint64_t base, uint32_t rank, uint32_t size, const int *world)
{
    struct fw_slots *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    uint64_t offset = fw->slot_areas + area * sizeof(struct area);
    s->first = nic_spad_at(fw->nic, 0, offset, sizeof(struct area));
    unsigned char *second = nic_ranks(fw->nic) > 1 ? nic_spad_at(fw->nic, 1, offset, sizeof(struct area)) : s->first;
    s->stride = (size_t)(second - s->first);
    s->world = world;
    s->rank = rank;
    s->size = size;
    s->area = area;
    s->few = size <= FW_SLOT_FEW && !nic_oversubscribed(fw->nic);
    s->begun = s->done = s->known = base;
    s->high = &fw->slots_high;
    mpi_fw_slots_take(fw, area);
    if (fw->slots_high < base)
        fw->slots_high = base;
    atomic_store_explicit(&area_of(s, rank)->done, base, memory_order_release);
    return s;
}

void mpi_fw_slots_retire(struct fw *fw, struct fw_slots *s, int *world)
{
    s->world = world;
    s->next = fw->slots_retired;
    fw->slots_retired = s;
}

void mpi_fw_slots_delete(struct fw *fw)
{
    while (fw->slots_retired) {
        struct fw_slots *s = fw->slots_retired;
        fw->slots_retired = s->next;
        slots_free(s);
    }
}

/* -- one operation */

void mpi_fw_slot_begin(struct fw_slots *s, struct fw_slot_op *op, enum fw_slot_kind kind, void *data, size_t bytes, uint32_t root, fw_combine *combine,
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

static struct slot *own_slot(const struct fw_slot_op *op, uint32_t rank) { return &area_of(op->slots, rank)->own[op->k % FW_SLOT_WINDOW]; }
static struct slot *result_slot(const struct fw_slot_op *op) { return &area_of(op->slots, 0)->result[op->k % FW_SLOT_WINDOW]; }
static bool is_stamped(const struct slot *slot, uint64_t k) { return atomic_load_explicit(&slot->stamp, memory_order_acquire) == k; }    /* S1 */

static uint64_t done_of(const struct fw_slots *s, uint32_t rank) { return atomic_load_explicit(&area_of(s, rank)->done, memory_order_acquire); }    /* S4 */

static bool is_behind(const struct fw_slots *s, uint32_t rank, uint64_t k) { return done_of(s, rank) + FW_SLOT_WINDOW < k; }

/* Whether all ranks have finished k - FW_SLOT_WINDOW.  Where it is not known, all are asked in turn; one that is behind is told
 * that it is awaited, and asked again. */
static bool window_is_open(struct fw_slots *s, uint64_t k)
{
    if (__builtin_expect(k > s->done + FW_SLOT_WINDOW, 0))
        return false;
    if (__builtin_expect(k <= s->known + FW_SLOT_WINDOW, 1))
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
    return k <= s->known + FW_SLOT_WINDOW;      /* the first ranks may have been asked for an older operation */
}

static void learn(struct fw_slots *s, uint64_t done)
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
    atomic_store_explicit(&slot->stamp, k, memory_order_release);   /* S0, pairs with S1 */
}

static void put_own(const struct fw_slot_op *op)
{
    struct fw_slots *s = op->slots;
    write_slot(own_slot(op, s->rank), op->k, op->info | (op->k - s->done) << LAG_SHIFT, op->data, info_bytes(op->info));
}

static void notify_others(struct fw *fw, const struct fw_slots *s)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (i != s->rank)
            nic_notify(fw->nic, s->world ? (uint32_t)s->world[i] : i);
}

/* Who waits for us to come on sets `awaited` and, before it sleeps, runs the heavy fence and looks at `done` once more: so either
 * it sees the new value or we see its mark (see nic_notify, which needs no more from the side that stores). */
static void finish(struct fw *fw, struct fw_slot_op *op)
{
    struct fw_slots *s = op->slots;
    struct area *own = area_of(s, s->rank);
    op->finished = true;
    FW_COUNT(fw, collectives_slots, 1);
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

static void blame(struct fw_slot_op *op, uint32_t rank, uint64_t info)
{
    if (op->mismatch)
        return;
    op->mismatch = true;
    op->blame[0] = op->slots->rank;
    op->blame[1] = op->info;
    op->blame[2] = rank;
    op->blame[3] = info & ~LAG_MASK;
}

void mpi_fw_slot_blame(const struct fw_slot_op *op, struct fw_slot_call *one, struct fw_slot_call *other)
{
    const uint64_t *b = op->blame;
    *one = (struct fw_slot_call){ (uint32_t)b[0], info_root(b[1]), info_kind(b[1]), info_bytes(b[1]), info_part(b[1]) };
    *other = (struct fw_slot_call){ (uint32_t)b[2], info_root(b[3]), info_kind(b[3]), info_bytes(b[3]), info_part(b[3]) };
}

void mpi_fw_slot_own(const struct fw_slot_op *op, struct fw_slot_call *own)
{
    *own = (struct fw_slot_call){ op->slots->rank, info_root(op->info), info_kind(op->info), info_bytes(op->info), info_part(op->info) };
}

bool mpi_fw_slot_odd(struct fw_slot_op *op)
{
    for (uint32_t rank = 0; op->put && !op->finished && !op->mismatch && rank < op->slots->size; rank++) {
        const struct slot *slot = own_slot(op, rank);
        if (!is_stamped(slot, op->k))
            continue;
        uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
        if ((info & ~LAG_MASK) != op->info)
            blame(op, rank, info);
    }
    return op->put && op->mismatch && !op->finished;
}

/* Adds the contribution of rank op->next, which comes in rank order: sum[turn] = sum so far op contribution. */
static void fold(struct fw_slot_op *op, const void *contribution)
{
    size_t bytes = info_bytes(op->info);
    unsigned char *into = op->sum[op->next ? !op->turn : op->turn];
    if (!bytes)
        return;
    copy(into, contribution, bytes);
    if (op->next) {
        op->combine(op->context, op->sum[op->turn], into);
        op->turn = !op->turn;
    }
}

/* The slot of rank op->next has come: looks whether that rank called the same, and adds its contribution. */
static void take(struct fw_slot_op *op, const struct slot *slot)
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
static bool collect(struct fw_slot_op *op)
{
    struct fw_slots *s = op->slots;
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

static void keep_sum(struct fw_slot_op *op) { copy(op->data, op->sum[op->turn], info_bytes(op->info)); }

/* -- by kind: what is done first, and what is done when something has come */

/* The last to arrive does the work for all, in rank order whoever it is. */
static void collect_arrived(struct fw_slot_op *op)
{
    for (; !collect(op); op->next++)
        blame(op, op->next, info_make(FW_SLOT_BARRIER, 0, 0));      /* only a barrier arrives without a contribution */
}

static void write_result(struct fw_slot_op *op)
{
    struct slot *slot = result_slot(op);
    if (info_kind(op->info) == FW_SLOT_BARRIER) {
        write_slot(slot, op->k, op->info | LAG_MASK, &op->slots->rank, sizeof op->slots->rank);
    } else if (op->mismatch) {
        write_slot(slot, op->k, info_make(FW_SLOT_NONE, 0, 0) | LAG_MASK, op->blame, sizeof op->blame);
    } else {
        keep_sum(op);
        uint64_t least = op->least < op->slots->done ? op->least : op->slots->done;
        write_slot(slot, op->k, op->info | (op->k - least) << LAG_SHIFT, op->data, info_bytes(op->info));
        learn(op->slots, least);
    }
}

static void work_for_all(struct fw *fw, struct fw_slot_op *op)
{
    if (info_kind(op->info) != FW_SLOT_BARRIER)
        collect_arrived(op);
    atomic_store_explicit(&area_of(op->slots, 0)->arrived[op->k % FW_SLOT_WINDOW].count, 0, memory_order_relaxed);   /* the stamp publishes it */
    write_result(op);
    notify_others(fw, op->slots);
    finish(fw, op);
}

static void arrive(struct fw *fw, struct fw_slot_op *op)
{
    struct fw_slots *s = op->slots;
    if (info_kind(op->info) != FW_SLOT_BARRIER)
        put_own(op);
    if (atomic_fetch_add_explicit(&area_of(s, 0)->arrived[op->k % FW_SLOT_WINDOW].count, 1, memory_order_acq_rel) + 1 == s->size)     /* S2 */
        work_for_all(fw, op);
}

static void take_result(struct fw_slot_op *op)
{
    const struct slot *slot = result_slot(op);
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (__builtin_expect(info_kind(info) == FW_SLOT_NONE, 0)) {
        op->mismatch = true;
        memcpy(op->blame, slot->data, sizeof op->blame);
    } else if (__builtin_expect((info & ~LAG_MASK) != op->info, 0)) {
        uint32_t rank = 0;
        if (info_kind(info) == FW_SLOT_BARRIER)
            memcpy(&rank, slot->data, sizeof rank);
        blame(op, rank, info);
    } else {
        copy(op->data, slot->data, info_bytes(info));
        if (lag_of(info) != LAG_UNKNOWN)
            learn(op->slots, op->k - lag_of(info));
    }
}

static void first_part(struct fw *fw, struct fw_slot_op *op)
{
    struct fw_slots *s = op->slots;
    uint32_t root = info_root(op->info);
    op->put = true;
    switch (info_kind(op->info)) {
    case FW_SLOT_REDUCE:
        if (s->rank == root)
            break;
        put_own(op);
        nic_notify(fw->nic, s->world ? (uint32_t)s->world[root] : root);
        finish(fw, op);
        break;
    case FW_SLOT_BCAST:
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

static bool take_broadcast(struct fw_slot_op *op)
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

static bool second_part(struct fw_slot_op *op)
{
    enum fw_slot_kind kind = info_kind(op->info);
    if (kind == FW_SLOT_BCAST)
        return take_broadcast(op);
    if (kind != FW_SLOT_REDUCE && !op->slots->few) {
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

bool mpi_fw_slot_advance(struct fw *fw, struct fw_slot_op *op)
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

void mpi_fw_slot_give_up(struct fw *fw, struct fw_slot_op *op) { finish(fw, op); }

bool mpi_fw_slot_ready(const struct fw_slot_op *op)
{
    const struct fw_slots *s = op->slots;
    enum fw_slot_kind kind = info_kind(op->info);
    if (!op->put)
        return s->done + FW_SLOT_WINDOW >= op->k && !is_behind(s, s->scan, op->k);
    if (kind == FW_SLOT_BCAST)
        return is_stamped(own_slot(op, info_root(op->info)), op->k);
    if (kind != FW_SLOT_REDUCE && !s->few)
        return is_stamped(result_slot(op), op->k);
    return is_stamped(own_slot(op, op->next), op->k);
}
