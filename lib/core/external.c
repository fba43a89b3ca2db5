/* Converting along the signature: each basic type is one number, or two that are equally long. */
#include "core/external.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "core/derived.h"

/* -- numbers */

enum form { SAME, TRUNCATED, TRUNCATED_SIGNED, EXTENDED };

/* Bytes here and there, how many of them an element has. */
struct number { size_t here, there, each; enum form form; };

#define INDEX(type) ((unsigned)((uintptr_t)MPI_##type - MPI_TYPE_FIRST))

static struct number number_of(unsigned basic, size_t bytes)
{
    const struct mpi_type *t = &mpi_type_predefined[basic];
    size_t each = t->family == MPI_FAMILY_COMPLEX || basic == INDEX(COMPLEX4) ? 2 : 1;
    struct number n = { bytes / each, bytes / each, each, SAME };
    if (t->elem == MPI_ELEM_LDBL || t->elem == MPI_ELEM_CLDBL) {
        n.there = 16;
        n.form = EXTENDED;
    } else if (basic == INDEX(LONG) || basic == INDEX(UNSIGNED_LONG)) {
        n.there = 4;
        n.form = basic == INDEX(LONG) ? TRUNCATED_SIGNED : TRUNCATED;
    } else if (basic == INDEX(WCHAR)) {
        n.there = 2;
        n.form = TRUNCATED;
    }
    return n;
}

/* Between this machine's order of bytes and the big endian one. */
static void turn(unsigned char *to, const unsigned char *from, size_t bytes)
{
    bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[big ? i : bytes - 1 - i];
}

/* The same of many numbers, whose places need not be aligned. */
#define TURN_ALL(bits) \
    static void turn_all_##bits(unsigned char *to, const unsigned char *from, size_t count) \
    { \
        for (size_t i = 0; i < count; i++) { \
            uint##bits##_t number; \
            memcpy(&number, from + i * sizeof number, sizeof number); \
            if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__) \
                number = __builtin_bswap##bits(number); \
            memcpy(to + i * sizeof number, &number, sizeof number); \
        } \
    }
TURN_ALL(16)
TURN_ALL(32)
TURN_ALL(64)

static void turn_all(unsigned char *to, const unsigned char *from, size_t bytes, size_t count)
{
    switch (bytes) {
    case 1: memcpy(to, from, count); return;
    case 2: turn_all_16(to, from, count); return;
    case 4: turn_all_32(to, from, count); return;
    case 8: turn_all_64(to, from, count); return;
    }
    for (size_t i = 0; i < count; i++)
        turn(to + i * bytes, from + i * bytes, bytes);
}

/* Where the lowest bytes of a number stand that has `more` higher ones. */
static size_t low_at(size_t more)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? more : 0;
}

static void write_one(const struct number *n, const unsigned char *from, unsigned char *to)
{
    if (n->form == EXTENDED) {
        long double value;
        memcpy(&value, from, sizeof value);
        mpi_f128 wide = (mpi_f128)value;
        turn(to, (const unsigned char *)&wide, sizeof wide);
    } else {
        turn(to, from + low_at(n->here - n->there), n->there);
    }
}

/* An x86 long double has 10 bytes, and gaps. */
static void read_extended(const unsigned char *from, unsigned char *to)
{
    mpi_f128 wide;
    turn((unsigned char *)&wide, from, sizeof wide);
    long double value = (long double)wide;
    memset(to, 0, sizeof value);
    memcpy(to, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
}

static void read_one(const struct number *n, const unsigned char *from, unsigned char *to)
{
    if (n->form == EXTENDED) {
        read_extended(from, to);
        return;
    }
    bool negative = n->form == TRUNCATED_SIGNED && from[0] & 0x80;
    memset(to, negative ? 0xff : 0, n->here);
    turn(to + low_at(n->here - n->there), from, n->there);
}

/* -- elements */

struct walk { const unsigned char *from; unsigned char *to; bool read; };

static void convert_each(struct walk *w, const struct number *n, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (w->read)
            read_one(n, w->from + i * n->there, w->to + i * n->here);
        else
            write_one(n, w->from + i * n->here, w->to + i * n->there);
}

static bool convert(void *context, unsigned basic, size_t bytes, size_t count)
{
    struct walk *w = context;
    struct number n = number_of(basic, bytes);
    size_t all = count * n.each;
    if (n.form == SAME)
        turn_all(w->to, w->from, n.here, all);
    else
        convert_each(w, &n, all);
    w->from += all * (w->read ? n.there : n.here);
    w->to += all * (w->read ? n.here : n.there);
    return true;
}

static bool add_size(void *context, unsigned basic, size_t bytes, size_t count)
{
    struct number n = number_of(basic, bytes);
    *(size_t *)context += count * n.each * n.there;
    return true;
}

bool mpi_external_size(const struct mpi_type *t, size_t *bytes)
{
    const struct mpi_signature *s = mpi_type_signature(t);
    *bytes = 0;
    if (s)
        mpi_signature_walk(s, 1, add_size, bytes);
    mpi_signature_drop(s);
    return s;
}

static bool walk(const struct mpi_type *t, const void *from, size_t count, void *to, bool read)
{
    const struct mpi_signature *s = mpi_type_signature(t);
    struct walk w = { from, to, read };
    if (s)
        mpi_signature_walk(s, count, convert, &w);
    mpi_signature_drop(s);
    return s;
}

bool mpi_external_write(const struct mpi_type *t, const void *packed, size_t count, void *external)
{
    return walk(t, packed, count, external, false);
}

bool mpi_external_read(const struct mpi_type *t, const void *external, size_t count, void *packed)
{
    return walk(t, external, count, packed, true);
}
