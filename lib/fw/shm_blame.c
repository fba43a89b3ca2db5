/* Ranks that called different short collectives; see shm_coll.h. */
#include "fw/shm_blame.h"

enum { LOOKED_AT = 64 };        /* ranks, for what does not agree, before each sleep */

static void read_row(const struct fw_shm_op *op, uint32_t rank, uint64_t *row)
{
    const struct fw_shm_slot *slot = fw_shm_slot_of(op, rank);
    if (fw_shm_is_stamped(slot, op->k))
        memcpy(row, slot->data, 2 * sizeof *row);
}

void mpi_fw_shm_blame_rank(struct fw_shm_op *op, uint32_t rank, uint64_t info)
{
    if (op->mismatch)
        return;
    op->blame[4] = op->blame[5] = 0;
    read_row(op, rank, &op->blame[4]);
    op->mismatch = true;
    op->blame[0] = op->slots->rank;
    op->blame[1] = op->info;
    op->blame[2] = rank;
    op->blame[3] = info;
}

static bool is_either(uint64_t info)
{
    return fw_shm_info_kind(info) == FW_SHM_BARRIER && info & FW_SHM_EITHER;
}

static struct fw_shm_call call_of(const struct fw_shm_coll *s, uint32_t rank, uint64_t info)
{
    uint32_t shown = s->shown && rank < s->size ? (uint32_t)s->shown[rank] : rank;
    return (struct fw_shm_call){ .rank = shown, .root = fw_shm_info_root(info),
                                 .kind = fw_shm_info_kind(info), .bytes = fw_shm_info_bytes(info),
                                 .part = fw_shm_info_part(info), .later = info & FW_SHM_LATER,
                                 .either = is_either(info) };
}

void mpi_fw_shm_blame(const struct fw_shm_op *op, struct fw_shm_call *one,
                      struct fw_shm_call *other)
{
    *one = call_of(op->slots, (uint32_t)op->blame[0], op->blame[1]);
    *other = call_of(op->slots, (uint32_t)op->blame[2], op->blame[3]);
    read_row(op, (uint32_t)op->blame[0], one->row);
    memcpy(other->row, &op->blame[4], sizeof other->row);
}

void mpi_fw_shm_own(const struct fw_shm_op *op, struct fw_shm_call *own)
{
    *own = call_of(op->slots, op->slots->rank, op->info);
}

bool mpi_fw_shm_instead(const struct fw_shm_coll *s, uint32_t number, uint32_t part,
                        struct fw_shm_call *other)
{
    uint64_t next = s->begun + 1;
    for (uint32_t rank = 0; rank < s->size; rank++) {
        const struct fw_shm_slot *slot = &fw_shm_area_of(s, rank)->own[next % FW_SHM_WINDOW];
        if (!fw_shm_is_stamped(slot, next))
            continue;
        uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
        *other = call_of(s, rank, info);
        memcpy(other->row, slot->data, sizeof other->row);
        bool same = !((info ^ (uint64_t)number << FW_SHM_NUMBER_SHIFT) & FW_SHM_NUMBER_MASK);
        if (same && (!other->part || other->part != part))
            return true;
    }
    return false;
}

static bool gives_to_root(enum fw_shm_kind kind)
{
    return kind == FW_SHM_REDUCE || kind == FW_SHM_GATHER || kind == FW_SHM_GATHERV;
}

/* Of one place: who gave to a root, and what that has called, if it says so there. */
static bool find_left(const struct fw_shm_coll *s, uint32_t place, struct fw_shm_call *one,
                      struct fw_shm_call *other)
{
    for (uint32_t i = 0; i < s->size; i++) {
        const struct fw_shm_slot *slot = &fw_shm_area_of(s, i)->own[place];
        uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
        uint32_t root = fw_shm_info_root(info);
        if (!gives_to_root(fw_shm_info_kind(info)) || root >= s->size || root == i)
            continue;
        const struct fw_shm_slot *its = &fw_shm_area_of(s, root)->own[place];
        if (!fw_shm_is_stamped(its, atomic_load_explicit(&slot->stamp, memory_order_relaxed)))
            continue;           /* of another time, or the root went another way */
        *one = call_of(s, i, info);
        *other = call_of(s, root, atomic_load_explicit(&its->info, memory_order_relaxed));
        return true;
    }
    return false;
}

bool mpi_fw_shm_left(const struct fw_shm_coll *s, struct fw_shm_call *one,
                     struct fw_shm_call *other)
{
    for (uint32_t place = 0; !s->rank && !s->few && place < FW_SHM_WINDOW; place++)
        if (atomic_load_explicit(&s->own->arrived[place].count, memory_order_relaxed)
            && find_left(s, place, one, other))
            return true;
    return false;
}

/* Ranks further down the chain may have written over what they gave to this one. */
static void look_at(struct fw_shm_op *op, uint32_t rank)
{
    if (op->chain && rank + 1 < op->slots->rank)
        return;
    const struct fw_shm_slot *slot = fw_shm_slot_of(op, rank);
    if (!fw_shm_is_stamped(slot, op->k))
        return;
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (!fw_shm_info_agrees(info, op->info))
        mpi_fw_shm_blame_rank(op, rank, info);
}

void mpi_fw_shm_look_at_all(struct fw_shm_op *op)
{
    for (uint32_t rank = 0; !op->mismatch && rank < op->slots->size; rank++)
        look_at(op, rank);
}

/* Of many ranks those next to it, and the next ones the next time: all who wait look, and so see
 * where ranks differ, but nobody has to map everybody's pages. */
static uint32_t first_looked_at(struct fw_shm_op *op, uint32_t looks)
{
    if (looks == op->slots->size)
        return 0;
    op->looked += looks;
    return op->slots->rank + 1 + op->looked - looks;
}

bool mpi_fw_shm_odd(struct fw_shm_op *op)
{
    uint32_t size = op->slots->size, looks = size < LOOKED_AT ? size : LOOKED_AT;
    if (!op->put || (op->finished && !op->held))
        return false;
    uint32_t first = first_looked_at(op, looks);
    for (uint32_t i = 0; !op->mismatch && i < looks; i++)
        look_at(op, (first + i) % size);
    return op->mismatch;
}

void mpi_fw_shm_write_blame(const struct fw_shm_op *op, struct fw_shm_slot *slot)
{
    const uint64_t none = FW_SHM_NONE | FW_SHM_LAG_MASK;
    fw_shm_write(slot, op->k, none, op->blame, sizeof op->blame);
}

void mpi_fw_shm_hear_blame(struct fw_shm_op *op, const struct fw_shm_slot *slot)
{
    op->mismatch = true;
    memcpy(op->blame, slot->data, sizeof op->blame);
}
