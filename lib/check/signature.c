/* Signatures by what types say of how they were made.  A hash of a sequence is a polynomial, so
 * that those of parts put together make that of the whole. */
#include "check/signature.h"

#include <stdio.h>
#include <stdlib.h>


#define PRIME UINT64_C(0x9e3779b97f4a7c55)

static const struct signature nothing = { .hash = 0 };
static const struct signature unknown = { .unknown = true };

/* -- sequences */

static uint64_t power(uint64_t n)
{
    uint64_t result = 1;

    for (uint64_t base = PRIME; n; n >>= 1, base *= base)
        result *= n & 1 ? base : 1;
    return result;
}

static struct signature join(struct signature a, struct signature b)
{
    if (a.unknown || b.unknown)
        return unknown;
    if (!a.count || !b.count)
        return a.count ? a : b;
    return (struct signature){ a.hash * power(b.count) + b.hash, a.count + b.count,
                               a.kind == b.kind ? a.kind : 0, false };
}

static struct signature repeat(struct signature s, int64_t times)
{
    struct signature result = nothing;

    for (; times > 0; times >>= 1) {
        if (times & 1)
            result = join(s, result);
        s = join(s, s);
    }
    return result;
}

/* -- basic types */

/* Types of one kind and size hold the same values: to mix their names harms nobody. */
static const struct { MPI_Datatype type; char kind; } basic[] = {
    { MPI_CHAR, 'i' }, { MPI_SIGNED_CHAR, 'i' }, { MPI_CHARACTER, 'i' }, { MPI_SHORT, 'i' },
    { MPI_INT, 'i' }, { MPI_LONG, 'i' }, { MPI_LONG_LONG, 'i' }, { MPI_INT8_T, 'i' },
    { MPI_INT16_T, 'i' }, { MPI_INT32_T, 'i' }, { MPI_INT64_T, 'i' }, { MPI_AINT, 'i' },
    { MPI_COUNT, 'i' }, { MPI_OFFSET, 'i' }, { MPI_INTEGER, 'i' }, { MPI_INTEGER1, 'i' },
    { MPI_INTEGER2, 'i' }, { MPI_INTEGER4, 'i' }, { MPI_INTEGER8, 'i' }, { MPI_WCHAR, 'i' },
    { MPI_UNSIGNED_CHAR, 'u' }, { MPI_UNSIGNED_SHORT, 'u' }, { MPI_UNSIGNED, 'u' },
    { MPI_UNSIGNED_LONG, 'u' }, { MPI_UNSIGNED_LONG_LONG, 'u' }, { MPI_UINT8_T, 'u' },
    { MPI_UINT16_T, 'u' }, { MPI_UINT32_T, 'u' }, { MPI_UINT64_T, 'u' },
    { MPI_FLOAT, 'f' }, { MPI_DOUBLE, 'f' }, { MPI_LONG_DOUBLE, 'f' }, { MPI_REAL, 'f' },
    { MPI_DOUBLE_PRECISION, 'f' }, { MPI_REAL4, 'f' }, { MPI_REAL8, 'f' }, { MPI_REAL16, 'f' },
    { MPI_C_FLOAT_COMPLEX, 'z' }, { MPI_C_DOUBLE_COMPLEX, 'z' },
    { MPI_C_LONG_DOUBLE_COMPLEX, 'z' }, { MPI_CXX_FLOAT_COMPLEX, 'z' },
    { MPI_CXX_DOUBLE_COMPLEX, 'z' }, { MPI_CXX_LONG_DOUBLE_COMPLEX, 'z' }, { MPI_COMPLEX, 'z' },
    { MPI_DOUBLE_COMPLEX, 'z' }, { MPI_COMPLEX8, 'z' }, { MPI_COMPLEX16, 'z' },
    { MPI_BYTE, 'b' }, { MPI_PACKED, 'b' },
};
enum { BASIC = sizeof basic / sizeof *basic };

/* Others are of their own kind. */
static struct signature of_basic(MPI_Datatype type)
{
    MPI_Count size = 0;
    unsigned i = 0;

    PMPI_Type_size_c(type, &size);
    while (i < BASIC && basic[i].type != type)
        i++;
    if (i == BASIC || size <= 0)
        return unknown;
    if (basic[i].kind == 'b')
        return unknown;
    uint64_t kind = (uint64_t)(unsigned char)basic[i].kind << 32 | (uint64_t)size;
    return (struct signature){ kind * UINT64_C(0xff51afd7ed558ccd), 1, kind, false };
}

const char *check_signature_name(const struct signature *s, bool one, char *text)
{
    const char *word = "";

    switch (s->kind >> 32) {
    case 'i': word = "signed integer"; break;
    case 'u': word = "unsigned integer"; break;
    case 'f': word = "floating-point number"; break;
    case 'z': word = "complex number"; break;
    default: return s->kind ? "one type" : "a sequence of types";
    }
    sprintf(text, "%s%s of %u bytes", word, one ? "" : "s", (unsigned)(s->kind & 0xffffffff));
    return text;
}

/* -- types made of others */

struct contents {
    int combiner, *integers;
    MPI_Aint *addresses;
    MPI_Datatype *types;
    int count[3];
};

static struct signature of_blocks(const int *length, int blocks, struct signature one)
{
    struct signature s = nothing;

    for (int i = 0; i < blocks; i++)
        s = join(s, repeat(one, length[i]));
    return s;
}

static struct signature of_struct(const struct contents *c)
{
    struct signature s = nothing;

    for (int i = 0; i < c->integers[0]; i++)
        s = join(s, repeat(check_signature(c->types[i]), c->integers[1 + i]));
    return s;
}

static struct signature of_subarray(const struct contents *c, struct signature one)
{
    int64_t elements = 1;
    int dimensions = c->integers[0];

    for (int i = 0; i < dimensions; i++)
        elements *= c->integers[1 + dimensions + i];
    return repeat(one, elements);
}

static struct signature of_contents(const struct contents *c)
{
    const int *n = c->integers;
    struct signature one = c->combiner == MPI_COMBINER_STRUCT ? nothing
                           : check_signature(c->types[0]);

    switch (c->combiner) {
    case MPI_COMBINER_DUP: case MPI_COMBINER_RESIZED: return one;
    case MPI_COMBINER_CONTIGUOUS: return repeat(one, n[0]);
    case MPI_COMBINER_VECTOR: case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK: case MPI_COMBINER_HINDEXED_BLOCK:
        return repeat(one, (int64_t)n[0] * n[1]);
    case MPI_COMBINER_INDEXED: case MPI_COMBINER_HINDEXED:
        return of_blocks(n + 1, n[0], one);
    case MPI_COMBINER_STRUCT: return of_struct(c);
    case MPI_COMBINER_SUBARRAY: return of_subarray(c, one);
    default: return unknown;
    }
}

/* Types of which one is made come as new handles, unless they are predefined.  Any of them may have
 * been made with large counts. */
static void free_types(struct contents *c)
{
    for (int i = 0; i < c->count[2]; i++) {
        int combiner = MPI_COMBINER_NAMED;
        MPI_Count n[4];
        PMPI_Type_get_envelope_c(c->types[i], &n[0], &n[1], &n[2], &n[3], &combiner);
        if (combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_INTEGER
            && combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX
            && combiner != MPI_COMBINER_VALUE_INDEX)
            PMPI_Type_free(&c->types[i]);
    }
}

static struct signature of_derived(MPI_Datatype type, struct contents *c)
{
    struct signature s = unknown;

    c->integers = calloc((size_t)c->count[0] + 1, sizeof *c->integers);
    c->addresses = calloc((size_t)c->count[1] + 1, sizeof *c->addresses);
    c->types = calloc((size_t)c->count[2] + 1, sizeof(MPI_Datatype));
    if (c->integers && c->addresses && c->types
        && !PMPI_Type_get_contents(type, c->count[0], c->count[1], c->count[2], c->integers,
                                   c->addresses, c->types)) {
        s = of_contents(c);
        free_types(c);
    }
    free(c->integers);
    free(c->addresses);
    free(c->types);
    return s;
}

/* Types that were made with large counts are not followed. */
struct signature check_signature(MPI_Datatype type)
{
    struct contents c = { .combiner = MPI_COMBINER_NAMED };
    MPI_Count n[4] = { 0 };

    if ((uintptr_t)type < 4096)
        return type == MPI_DATATYPE_NULL ? unknown : of_basic(type);
    if (PMPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &c.combiner) || n[2])
        return unknown;
    c.count[0] = (int)n[0];
    c.count[1] = (int)n[1];
    c.count[2] = (int)n[3];
    switch (c.combiner) {
    case MPI_COMBINER_NAMED: case MPI_COMBINER_F90_INTEGER: case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX: case MPI_COMBINER_DARRAY: case MPI_COMBINER_VALUE_INDEX:
        return unknown;
    default:
        return of_derived(type, &c);
    }
}

struct signature check_signature_of(MPI_Datatype type, int64_t count)
{
    return repeat(check_signature(type), count);
}

/* -- comparing */

bool check_signature_fits(const struct signature *sent, const struct signature *one)
{
    if (sent->unknown || one->unknown || !sent->count || !one->count)
        return true;
    if (sent->kind && one->kind)
        return sent->kind == one->kind;
    if (sent->count % one->count)
        return true;
    return repeat(*one, (int64_t)(sent->count / one->count)).hash == sent->hash;
}
