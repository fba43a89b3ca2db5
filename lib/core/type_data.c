/* Packing and counting the data of elements. */
#include "core/type_data.h"

#include <string.h>

#include "core/derived.h"
#include "core/world.h"
#include "nicemu/model.h"
#include "type/pack.h"

/* -- pairs of different sizes are the only predefined types with gaps */

static void pack_pairs(const struct mpi_type *type, const char *from, size_t count, char *to)
{
    size_t value = type->value_size, index = type->size - value;
    for (; count > 0; count--, from += type->extent, to += type->size) {
        memcpy(to, from, value);
        memcpy(to + value, from + type->index_at, index);
    }
}

static void unpack_pairs(const struct mpi_type *type, const char *from, size_t bytes, char *to)
{
    size_t value = type->value_size, index = type->size - value;
    for (; bytes >= type->size; bytes -= type->size, from += type->size, to += type->extent) {
        memcpy(to, from, value);
        memcpy(to + type->index_at, from + value, index);
    }
    if (bytes >= value)
        memcpy(to, from, value);
}

/* -- any type */

static struct mpi_data data_of(const struct mpi_derived *d, const void *buf, size_t count)
{
    return (struct mpi_data){ d->placed, (void *)(uintptr_t)buf, count, d->type.extent };
}

/* Elements that lie one after the other, or one element alone. */
static inline bool is_run(const struct mpi_type *type, size_t count, ptrdiff_t *at)
{
    const struct mpi_derived *d = mpi_type_derived(type);
    *at = 0;
    if (type->contiguous || !count || !type->size)
        return true;
    if (!d || d->placed.layout->kind != MPI_LAYOUT_RUN)
        return false;
    *at = d->placed.at;
    return count == 1 || type->extent == (ptrdiff_t)type->size;
}

bool mpi_type_is_run(const struct mpi_type *type, size_t count, ptrdiff_t *at)
{
    return is_run(type, count, at);
}

void mpi_type_pack(const struct mpi_type *type, const void *buf, size_t count, void *packed)
{
    const struct mpi_derived *d = mpi_type_derived(type);
    ptrdiff_t at;
    if (count == 0 || type->size == 0)
        return;
    if (is_run(type, count, &at)) {
        memcpy(packed, (const void *)((uintptr_t)buf + (uintptr_t)at), count * type->size);
    } else if (d) {
        struct mpi_data data = data_of(d, buf, count);
        mpi_data_pack(&data, 0, count * type->size, packed);
    } else {
        pack_pairs(type, buf, count, packed);
    }
}

void mpi_type_unpack(const struct mpi_type *type, const void *packed, size_t bytes, void *buf)
{
    const struct mpi_derived *d = mpi_type_derived(type);
    ptrdiff_t at;
    if (bytes == 0 || type->size == 0)
        return;
    size_t count = bytes <= type->size ? 1 : (bytes - 1) / type->size + 1;
    if (is_run(type, count, &at)) {
        memcpy((void *)((uintptr_t)buf + (uintptr_t)at), packed, bytes);
    } else if (d) {
        struct mpi_data data = data_of(d, buf, count);
        mpi_data_unpack(&data, 0, bytes, packed);
    } else {
        unpack_pairs(type, packed, bytes, buf);
    }
}

/* -- what packing is charged by */

static bool count_run(void *count, void *at, size_t bytes)
{
    (void)at, (void)bytes;
    ++*(uint64_t *)count;
    return true;
}

uint64_t mpi_type_blocks(const struct mpi_type *type, size_t bytes)
{
    ptrdiff_t at;
    size_t whole = type->size ? bytes / type->size : 0, rest = bytes - whole * type->size;
    uint64_t blocks = 0;
    if (mpi_type_is_run(type, whole + (rest != 0), &at))
        return 0;
    struct mpi_placed placed = mpi_type_layout(type);
    if (!placed.layout)
        return 0;
    struct mpi_data last = { placed, NULL, 1, type->extent };
    mpi_data_runs(&last, 0, rest, count_run, &blocks);
    blocks += whole * placed.layout->runs;
    mpi_layout_drop(placed.layout);
    return blocks;
}

void mpi_type_charge(const struct mpi_type *type, size_t bytes)
{
    if (mpi_modelled)
        nic_packed(mpi_nic, mpi_type_blocks(type, bytes), bytes);
}

/* -- elements: pairs are made of two, all other predefined types of one */

static MPI_Count elements_of_pairs(const struct mpi_type *type, int64_t whole, int64_t rest)
{
    return rest == 0 ? 2 * whole : rest == type->value_size ? 2 * whole + 1 : MPI_UNDEFINED;
}

static MPI_Count derived_elements(const struct mpi_derived *d, int64_t bytes)
{
    int64_t elements = mpi_signature_elements(d->signature, (uint64_t)bytes);
    return elements < 0 ? MPI_UNDEFINED : elements;
}

MPI_Count mpi_type_elements(const struct mpi_type *type, int64_t bytes)
{
    if (type->size == 0)
        return 0;
    if (type->derived)
        return derived_elements(mpi_type_derived(type), bytes);
    int64_t whole = bytes / (int64_t)type->size, rest = bytes % (int64_t)type->size;
    if (type->value_size)
        return elements_of_pairs(type, whole, rest);
    return rest == 0 ? whole : MPI_UNDEFINED;
}

int64_t mpi_type_bytes_of(const struct mpi_type *type, int64_t elements)
{
    if (type->derived)
        return (int64_t)mpi_signature_bytes(mpi_type_derived(type)->signature, (uint64_t)elements);
    if (type->value_size == 0)
        return elements * (int64_t)type->size;
    return elements / 2 * (int64_t)type->size + elements % 2 * type->value_size;
}
