/* Types made at random, nested up to five deep, against their type maps: size, bounds, packing,
 * unpacking, and messages to the same type and to packed bytes.  Half of the calls are those that
 * count in MPI_Count. */
#include "typemap.h"

static uint32_t seed;

static int below(int n) { return (int)(t_random(&seed) % (uint32_t)n); }

static struct map *basic(void)
{
    switch (below(6)) {
    case 0: return map_basic(MPI_CHAR, 1);
    case 1: return map_basic(MPI_SHORT, 2);
    case 2: return map_basic(MPI_INT, 4);
    case 3: return map_basic(MPI_DOUBLE, 8);
    case 4: return map_basic(MPI_LONG, 8);
    default: return map_basic(MPI_BYTE, 1);
    }
}

static int fits(const struct map *m)
{
    long low = 0, high = 0;
    map_least(m, DATA, &low);
    map_most(m, DATA, &high);
    long lb, extent;
    map_bounds(m, &lb, &extent);
    return low > -MAP_SPAN && high < MAP_SPAN && labs(lb) < MAP_SPAN && labs(extent) < MAP_SPAN;
}

/* -- constructors: each fills in the map and returns whether it fitted */

static int vector(struct map *m, const struct map *old, int in_bytes)
{
    long lb, extent;
    int count = below(4), length = below(4), stride = below(9) - 2;
    map_bounds(old, &lb, &extent);
    long step = in_bytes ? stride * 5L : stride * extent;
    for (int i = 0; i < count; i++)
        if (!map_add(m, old, length, i * step))
            return 0;
    int large = below(2);
    if (in_bytes)
        OK(large ? MPI_Type_create_hvector_c(count, length, step, old->type, &m->type)
                 : MPI_Type_create_hvector(count, length, step, old->type, &m->type));
    else
        OK(large ? MPI_Type_vector_c(count, length, stride, old->type, &m->type)
                 : MPI_Type_vector(count, length, stride, old->type, &m->type));
    return 1;
}

static int contiguous(struct map *m, const struct map *old)
{
    int count = below(5);
    if (!map_add(m, old, count, 0))
        return 0;
    OK(below(2) ? MPI_Type_contiguous_c(count, old->type, &m->type)
                : MPI_Type_contiguous(count, old->type, &m->type));
    return 1;
}

enum { BLOCKS = 6 };

static void indexed_large(struct map *m, const struct map *old, int in_bytes, int same, int count,
                          const int *length, const int *at, const MPI_Aint *byte)
{
    MPI_Count lengths[BLOCKS], place[BLOCKS];
    MPI_Count each = count ? length[0] : 1;
    for (int i = 0; i < count; i++) {
        lengths[i] = length[i];
        place[i] = in_bytes ? byte[i] : at[i];
    }
    if (same && in_bytes)
        OK(MPI_Type_create_hindexed_block_c(count, each, place, old->type, &m->type));
    else if (same)
        OK(MPI_Type_create_indexed_block_c(count, each, place, old->type, &m->type));
    else if (in_bytes)
        OK(MPI_Type_create_hindexed_c(count, lengths, place, old->type, &m->type));
    else
        OK(MPI_Type_indexed_c(count, lengths, place, old->type, &m->type));
}

static int indexed(struct map *m, const struct map *old, int in_bytes, int same)
{
    int count = below(BLOCKS), length[BLOCKS], at[BLOCKS];
    MPI_Aint byte[BLOCKS];
    long lb, extent;
    map_bounds(old, &lb, &extent);
    for (int i = 0; i < count; i++) {
        length[i] = same && i ? length[0] : below(4);
        at[i] = 3 * i + below(3) - 1;
        byte[i] = in_bytes ? at[i] * (extent + 3) : at[i] * extent;
        if (!map_add(m, old, length[i], byte[i]))
            return 0;
    }
    int each = count ? length[0] : 1;
    if (below(2))
        indexed_large(m, old, in_bytes, same, count, length, at, byte);
    else if (same && in_bytes)
        OK(MPI_Type_create_hindexed_block(count, each, byte, old->type, &m->type));
    else if (same)
        OK(MPI_Type_create_indexed_block(count, each, at, old->type, &m->type));
    else if (in_bytes)
        OK(MPI_Type_create_hindexed(count, length, byte, old->type, &m->type));
    else
        OK(MPI_Type_indexed(count, length, at, old->type, &m->type));
    return 1;
}

static struct map *make(int depth);

static void structure_large(struct map *m, int count, const int *length, const MPI_Aint *at,
                            const MPI_Datatype *type)
{
    MPI_Count lengths[4], place[4];
    for (int i = 0; i < count; i++) {
        lengths[i] = length[i];
        place[i] = at[i];
    }
    OK(MPI_Type_create_struct_c(count, lengths, place, type, &m->type));
}

static int structure(struct map *m, int depth)
{
    int count = below(4), length[4], fit = 1;
    MPI_Aint at[4], place = below(9) - 4;
    MPI_Datatype type[4];
    struct map *member[4];
    for (int i = 0; i < count; i++) {
        long lb, extent;
        member[i] = make(depth - 1);
        map_bounds(member[i], &lb, &extent);
        length[i] = below(3);
        type[i] = member[i]->type;
        at[i] = place;
        place += extent * length[i] + below(5);
        fit = fit && map_add(m, member[i], length[i], at[i]);
    }
    if (fit && below(2))
        structure_large(m, count, length, at, type);
    else if (fit)
        OK(MPI_Type_create_struct(count, length, at, type, &m->type));
    for (int i = 0; i < count; i++)
        map_free(member[i]);
    return fit;
}

static int resized(struct map *m, const struct map *old)
{
    long lb, extent, first = below(7) - 3;
    map_bounds(old, &lb, &extent);
    long room = below(6) ? extent + below(16) : -extent - below(16);     /* backwards */
    for (int i = 0; i < old->entries; i++)
        if (old->entry[i].kind == DATA)
            m->entry[m->entries++] = old->entry[i];
    if (m->entries + 2 > MAP_MAX)
        return 0;
    m->entry[m->entries++] = (struct entry){ LOWER, first, 0 };
    m->entry[m->entries++] = (struct entry){ UPPER, first + room, 0 };
    OK(below(2) ? MPI_Type_create_resized_c(old->type, first, room, &m->type)
                : MPI_Type_create_resized(old->type, first, room, &m->type));
    return 1;
}

static int subarray(struct map *m, const struct map *old)
{
    int size[2], part[2], start[2], fortran = below(2);
    long lb, extent;
    map_bounds(old, &lb, &extent);
    for (int i = 0; i < 2; i++) {
        size[i] = 1 + below(5);
        part[i] = 1 + below(size[i]);
        start[i] = below(size[i] - part[i] + 1);
    }
    int fast = fortran ? 0 : 1, slow = 1 - fast;
    for (int i = 0; i < part[slow]; i++)
        if (!map_add(m, old, part[fast], ((start[slow] + i) * size[fast] + start[fast]) * extent))
            return 0;
    if (m->entries + 2 > MAP_MAX)
        return 0;
    for (int i = 0; i < m->entries;) {
        if (m->entry[i].kind == DATA)
            i++;
        else
            memmove(&m->entry[i], &m->entry[i + 1],
                    (size_t)(--m->entries - i) * sizeof *m->entry);
    }
    m->entry[m->entries++] = (struct entry){ LOWER, 0, 0 };
    m->entry[m->entries++] = (struct entry){ UPPER, size[0] * size[1] * extent, 0 };
    int order = fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    const MPI_Count sizes[] = { size[0], size[1] }, parts[] = { part[0], part[1] };
    const MPI_Count starts[] = { start[0], start[1] };
    OK(below(2) ? MPI_Type_create_subarray_c(2, sizes, parts, starts, order, old->type, &m->type)
                : MPI_Type_create_subarray(2, size, part, start, order, old->type, &m->type));
    return 1;
}

static int duplicate(struct map *m, const struct map *old)
{
    OK(MPI_Type_dup(old->type, &m->type));
    return map_add(m, old, 1, 0);
}

static int build(struct map *m, const struct map *old, int depth)
{
    switch (below(11)) {
    case 0: return contiguous(m, old);
    case 1: return vector(m, old, 0);
    case 2: return vector(m, old, 1);
    case 3: return indexed(m, old, 0, 0);
    case 4: return indexed(m, old, 0, 1);
    case 5: return indexed(m, old, 1, 0);
    case 6: return indexed(m, old, 1, 1);
    case 7: return resized(m, old);
    case 8: return subarray(m, old);
    case 9: return duplicate(m, old);
    default: return structure(m, depth);
    }
}

static struct map *make(int depth)
{
    struct map *old = depth > 1 && below(4) ? make(depth - 1) : basic(), *m = map_new();
    if (!build(m, old, depth) || !fits(m)) {
        if (m->type != MPI_DATATYPE_NULL)
            OK(MPI_Type_free(&m->type));
        free(m);
        return old;
    }
    map_free(old);
    return m;
}

/* -- checks */

static void check_bounds(const struct map *m)
{
    long lb, extent, low = 0, high = 0;
    MPI_Aint got_lb, got_extent;
    int size;
    map_bounds(m, &lb, &extent);
    OK(MPI_Type_size(m->type, &size));
    SAME(size, map_size(m));
    OK(MPI_Type_get_extent(m->type, &got_lb, &got_extent));
    SAME(got_lb, lb);
    SAME(got_extent, extent);
    OK(MPI_Type_get_true_extent(m->type, &got_lb, &got_extent));
    map_least(m, DATA, &low);
    map_most(m, DATA, &high);
    SAME(got_lb, low);
    SAME(got_extent, high - low);
}

/* A buffer on which the elements lie, its first byte `before` bytes in front of them. */
struct area { unsigned char *base, *origin; size_t bytes; };

static struct area area_new(const long *bytes, long n)
{
    long low = 0, high = 1;
    for (long i = 0; i < n; i++) {
        low = bytes[i] < low ? bytes[i] : low;
        high = bytes[i] >= high ? bytes[i] + 1 : high;
    }
    struct area a = { .bytes = (size_t)(high - low) };
    a.base = t_alloc(a.bytes);
    a.origin = a.base - low;
    return a;
}

/* Whether a byte is there twice: what may not be received into. */
static int overlaps(const struct area *a, const long *bytes, long n)
{
    int twice = 0;
    memset(a->base, 0, a->bytes);
    for (long i = 0; i < n; i++)
        twice |= a->origin[bytes[i]]++;
    return twice;
}

static void check_area(const struct area *a, const long *bytes, long n, const unsigned char *packed)
{
    unsigned char *want = t_alloc(a->bytes);
    memset(want, 0x5c, a->bytes);
    for (long i = 0; i < n; i++)
        want[a->origin - a->base + bytes[i]] = packed[i];
    if (memcmp(want, a->base, a->bytes) != 0)
        FAIL("%ld bytes received are at wrong places", n);
    free(want);
}

struct trial { const struct map *m; int count; long *bytes, n; struct area area;
               unsigned char *packed, *got; };

static void check_pack(const struct trial *t)
{
    int position = 0, size;
    t_fill(t->area.base, t->area.bytes, 5);
    for (long i = 0; i < t->n; i++)
        t->packed[i] = t->area.origin[t->bytes[i]];
    OK(MPI_Pack_size(t->count, t->m->type, MPI_COMM_SELF, &size));
    CHECK(size >= t->n);
    OK(MPI_Pack(t->area.origin, t->count, t->m->type, t->got, (int)t->n, &position,
                MPI_COMM_SELF));
    SAME(position, t->n);
    if (memcmp(t->got, t->packed, (size_t)t->n) != 0)
        FAIL("%ld bytes are packed wrongly", t->n);
    MPI_Count large = 0;
    memset(t->got, 0x5c, (size_t)t->n);
    OK(MPI_Pack_c(t->area.origin, t->count, t->m->type, t->got, t->n, &large, MPI_COMM_SELF));
    SAME(large, t->n);
    CHECK(!memcmp(t->got, t->packed, (size_t)t->n));
}

static void check_unpack(const struct trial *t)
{
    int position = 0;
    memset(t->area.base, 0x5c, t->area.bytes);
    OK(MPI_Unpack(t->packed, (int)t->n, &position, t->area.origin, t->count, t->m->type,
                  MPI_COMM_SELF));
    SAME(position, t->n);
    check_area(&t->area, t->bytes, t->n, t->packed);
    MPI_Count large = 0;
    memset(t->area.base, 0x5c, t->area.bytes);
    OK(MPI_Unpack_c(t->packed, t->n, &large, t->area.origin, t->count, t->m->type,
                    MPI_COMM_SELF));
    SAME(large, t->n);
    check_area(&t->area, t->bytes, t->n, t->packed);
}

/* All ranks make the same types and fill the same data. */
static void check_sent(const struct trial *t)
{
    MPI_Status status;
    int got;
    t_fill(t->area.base, t->area.bytes, 5);
    OK(MPI_Sendrecv(t->area.origin, t->count, t->m->type, t_next(), 1, t->got, (int)t->n,
                    MPI_PACKED, t_prev(), 1, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_PACKED, &got));
    SAME(got, t->n);
    if (memcmp(t->got, t->packed, (size_t)t->n) != 0)
        FAIL("%ld bytes are sent wrongly", t->n);
}

/* The first n bytes of the stream: a sender may have fewer elements. */
static void check_received(const struct trial *t, int count)
{
    MPI_Status status;
    long n = t->count ? t->n / t->count * count : 0;
    int got;
    memset(t->area.base, 0x5c, t->area.bytes);
    OK(MPI_Sendrecv(t->packed, (int)n, MPI_PACKED, t_next(), 2, t->area.origin, t->count,
                    t->m->type, t_prev(), 2, MPI_COMM_WORLD, &status));
    check_area(&t->area, t->bytes, n, t->packed);
    OK(MPI_Get_count(&status, t->m->type, &got));
    SAME(got, t->n ? count : 0);
}

static void try(const struct map *m)
{
    struct trial t = { .m = m, .count = 1 + below(3) };
    t.bytes = map_bytes(m, t.count);
    t.n = map_size(m) * t.count;
    t.area = area_new(t.bytes, t.n);
    t.packed = t_alloc((size_t)t.n);
    t.got = t_alloc((size_t)t.n);
    check_bounds(m);
    int overlap = overlaps(&t.area, t.bytes, t.n);
    check_pack(&t);
    check_sent(&t);
    if (!overlap) {
        check_unpack(&t);
        check_received(&t, t.count);
        check_received(&t, t.count - 1);
    }
    free(t.bytes);
    free(t.area.base);
    free(t.packed);
    free(t.got);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < 1500; i++) {
        seed = 7919u * (uint32_t)i + 17;
        struct map *m = make(1 + i % 5);
        OK(MPI_Type_commit(&m->type));
        try(m);
        map_free(m);
    }
    return t_end();
}
