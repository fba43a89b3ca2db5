/* MPI_Type_contiguous, vectors, lists of blocks, structs, resized and duplicates. */
#include <stdlib.h>

#include "core/err.h"
#include "core/world.h"
#include "mpi/attribute.h"
#include "mpi/type_make.h"
#include "mpi/weak_alias.h"

static int negative(const char *call, int class, const char *what, MPI_Count value)
{
    return mpi_err(NULL, call, class, "the %s is %lld", what, (long long)value);
}

/* -- contiguous and vectors */

enum { IN_EXTENTS, IN_BYTES };

/* Of a contiguous type `length` is 1 and the stride one extent. */
static int vector(struct mpi_recipe *r, MPI_Count count, MPI_Count length, MPI_Count stride,
                  int unit, MPI_Datatype old, MPI_Datatype *newtype)
{
    struct mpi_derived *made = NULL;
    const struct mpi_type *t;
    int rc = mpi_type_made_from(r->call, old, newtype, &t);
    if (rc)
        return rc;
    if (count < 0)
        return negative(r->call, MPI_ERR_COUNT, "count", count);
    if (length < 0)
        return negative(r->call, MPI_ERR_ARG, "block length", length);
    ptrdiff_t bytes = (ptrdiff_t)stride;
    if (unit == IN_EXTENTS && __builtin_mul_overflow(stride, t->extent, &bytes))
        bytes = PTRDIFF_MAX;
    int class = mpi_derive_vector(t, (size_t)count, (size_t)length, bytes, &made);
    r->type = &old;
    r->types = 1;
    return mpi_type_made(r, class, made, newtype);
}

static int contiguous(const char *call, bool large, MPI_Count count, MPI_Datatype old,
                      MPI_Datatype *newtype)
{
    struct mpi_recipe r = { .call = call, .combiner = MPI_COMBINER_CONTIGUOUS, .large = large,
                            .number = &count, .numbers = 1 };
    return vector(&r, count, 1, 1, IN_EXTENTS, old, newtype);
}

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    MPI_ENTER("MPI_Type_contiguous");
    return contiguous("MPI_Type_contiguous", false, count, oldtype, newtype);
}
MPI_WEAK_ALIAS(Type_contiguous);

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    MPI_ENTER("MPI_Type_contiguous_c");
    return contiguous("MPI_Type_contiguous_c", true, count, oldtype, newtype);
}
MPI_WEAK_ALIAS(Type_contiguous_c);

static int plain_vector(const char *call, bool large, MPI_Count count, MPI_Count length,
                        MPI_Count stride, MPI_Datatype old, MPI_Datatype *newtype)
{
    MPI_Count number[] = { count, length, stride };
    struct mpi_recipe r = { .call = call, .combiner = MPI_COMBINER_VECTOR, .large = large,
                            .number = number, .numbers = 3 };
    return vector(&r, count, length, stride, IN_EXTENTS, old, newtype);
}

static int byte_vector(const char *call, bool large, MPI_Count count, MPI_Count length,
                       MPI_Count stride, MPI_Datatype old, MPI_Datatype *newtype)
{
    MPI_Count number[] = { count, length };
    struct mpi_recipe r = { .call = call, .combiner = MPI_COMBINER_HVECTOR, .large = large,
                            .number = number, .numbers = 2, .address = &stride,
                            .addresses = 1 };
    return vector(&r, count, length, stride, IN_BYTES, old, newtype);
}

/* name, make, type of numbers, type of the stride, large */
#define VECTOR(name, make, NUMBER, STRIDE, large) \
    int PMPI_##name(NUMBER count, NUMBER blocklength, STRIDE stride, MPI_Datatype oldtype, \
                    MPI_Datatype *newtype) \
    { \
        MPI_ENTER("MPI_" #name); \
        return make("MPI_" #name, large, count, blocklength, stride, oldtype, newtype); \
    } \
    MPI_WEAK_ALIAS(name)

VECTOR(Type_vector, plain_vector, int, int, false);
VECTOR(Type_vector_c, plain_vector, MPI_Count, MPI_Count, true);
VECTOR(Type_create_hvector, byte_vector, int, MPI_Aint, false);
VECTOR(Type_create_hvector_c, byte_vector, MPI_Count, MPI_Count, true);

/* -- lists of blocks */

/* The arguments of all four: lengths is NULL where all blocks have `each`. */
struct blocks {
    const char *call;
    int combiner;
    bool large, in_bytes;
    MPI_Count count, each;
    MPI_Count *length, *displacement;   /* owned; NULL: no memory */
};

static int check_blocks(const struct blocks *b, bool given)
{
    if (b->count < 0)
        return negative(b->call, MPI_ERR_COUNT, "count", b->count);
    if (!given && b->count)
        return mpi_err(NULL, b->call, MPI_ERR_ARG, "an array of lengths or places is NULL");
    if (b->each < 0)
        return negative(b->call, MPI_ERR_ARG, "block length", b->each);
    for (MPI_Count i = 0; b->length && i < b->count; i++)
        if (b->length[i] < 0)
            return negative(b->call, MPI_ERR_ARG, "length of a block", b->length[i]);
    return MPI_SUCCESS;
}

/* count, then lengths or the one length, then places that are numbers. */
static MPI_Count *numbers_of(const struct blocks *b, size_t *numbers)
{
    size_t n = (size_t)b->count, at = 0;
    bool fixed = b->combiner == MPI_COMBINER_INDEXED_BLOCK
                 || b->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    MPI_Count *number = malloc((2 + 2 * n) * sizeof *number);
    if (!number)
        return NULL;
    number[at++] = b->count;
    if (fixed)
        number[at++] = b->each;
    for (size_t i = 0; i < n && !fixed; i++)
        number[at++] = b->length[i];
    for (size_t i = 0; i < n && !b->in_bytes; i++)
        number[at++] = b->displacement[i];
    *numbers = at;
    return number;
}

/* Places in bytes, in place of the program's; false: out of range. */
static bool places(struct blocks *b, const struct mpi_type *t)
{
    bool fits = true;
    for (MPI_Count i = 0; i < b->count && !b->in_bytes; i++)
        fits &= !__builtin_mul_overflow(b->displacement[i], (MPI_Count)t->extent,
                                        &b->displacement[i]);
    return fits;
}

static int derive_blocks(struct blocks *b, const struct mpi_type *t, struct mpi_recipe *r,
                         MPI_Count *number, MPI_Datatype *newtype)
{
    struct mpi_derived *made = NULL;
    MPI_Count *address = b->in_bytes ? b->displacement : NULL;
    int class = MPI_ERR_NO_MEM;
    if (number && places(b, t))
        class = mpi_derive_indexed(t, (size_t)b->count, b->length, (size_t)b->each,
                                   b->displacement, &made);
    r->number = number;
    r->address = address;
    r->addresses = address ? (size_t)b->count : 0;
    return mpi_type_made(r, class, made, newtype);
}

static int indexed(struct blocks *b, bool given, MPI_Datatype old, MPI_Datatype *newtype)
{
    struct mpi_recipe r = { .call = b->call, .combiner = b->combiner, .large = b->large,
                            .type = &old, .types = 1 };
    const struct mpi_type *t;
    int rc = mpi_type_made_from(b->call, old, newtype, &t);
    if (!rc)
        rc = check_blocks(b, given);
    if (!rc) {
        MPI_Count *number = b->displacement ? numbers_of(b, &r.numbers) : NULL;
        rc = derive_blocks(b, t, &r, number, newtype);
        free(number);
    }
    free(b->length);
    free(b->displacement);
    return rc;
}

static MPI_Count *counts_of_counts(const MPI_Count *from, size_t n)
{
    MPI_Count *to = malloc((n + 1) * sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = from[i];
    return to;
}

static MPI_Count *counts_of_aints(const MPI_Aint *from, size_t n)
{
    MPI_Count *to = malloc((n + 1) * sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = from[i];
    return to;
}

/* A copy of an array of the program's; an empty one where there is none to be. */
#define COPY(copy, from, count) copy(from, (from) && (count) > 0 ? (size_t)(count) : 0)

#define INDEXED(name, kind, NUMBER, PLACE, numbers, addresses, bytes, are_large) \
    int PMPI_##name(NUMBER count, const NUMBER array_of_blocklengths[], \
                    const PLACE array_of_displacements[], MPI_Datatype oldtype, \
                    MPI_Datatype *newtype) \
    { \
        MPI_ENTER("MPI_" #name); \
        struct blocks b = { \
            .call = "MPI_" #name, .combiner = kind, .large = are_large, .in_bytes = bytes, \
            .count = count, .length = COPY(numbers, array_of_blocklengths, count), \
            .displacement = COPY(addresses, array_of_displacements, count), \
        }; \
        return indexed(&b, array_of_blocklengths && array_of_displacements, oldtype, newtype); \
    } \
    MPI_WEAK_ALIAS(name)

INDEXED(Type_indexed, MPI_COMBINER_INDEXED, int, int, mpi_counts_of, mpi_counts_of, false, false);
INDEXED(Type_indexed_c, MPI_COMBINER_INDEXED, MPI_Count, MPI_Count, counts_of_counts,
        counts_of_counts, false, true);
INDEXED(Type_create_hindexed, MPI_COMBINER_HINDEXED, int, MPI_Aint, mpi_counts_of,
        counts_of_aints, true, false);
INDEXED(Type_create_hindexed_c, MPI_COMBINER_HINDEXED, MPI_Count, MPI_Count, counts_of_counts,
        counts_of_counts, true, true);

#define INDEXED_BLOCK(name, kind, NUMBER, PLACE, addresses, bytes, are_large) \
    int PMPI_##name(NUMBER count, NUMBER blocklength, const PLACE array_of_displacements[], \
                    MPI_Datatype oldtype, MPI_Datatype *newtype) \
    { \
        MPI_ENTER("MPI_" #name); \
        struct blocks b = { \
            .call = "MPI_" #name, .combiner = kind, .large = are_large, .in_bytes = bytes, \
            .count = count, .each = blocklength, \
            .displacement = COPY(addresses, array_of_displacements, count), \
        }; \
        return indexed(&b, array_of_displacements, oldtype, newtype); \
    } \
    MPI_WEAK_ALIAS(name)

INDEXED_BLOCK(Type_create_indexed_block, MPI_COMBINER_INDEXED_BLOCK, int, int, mpi_counts_of,
              false, false);
INDEXED_BLOCK(Type_create_indexed_block_c, MPI_COMBINER_INDEXED_BLOCK, MPI_Count, MPI_Count,
              counts_of_counts, false, true);
INDEXED_BLOCK(Type_create_hindexed_block, MPI_COMBINER_HINDEXED_BLOCK, int, MPI_Aint,
              counts_of_aints, true, false);
INDEXED_BLOCK(Type_create_hindexed_block_c, MPI_COMBINER_HINDEXED_BLOCK, MPI_Count, MPI_Count,
              counts_of_counts, true, true);

/* -- resized and duplicates */

static int resized(const char *call, bool large, MPI_Datatype old, MPI_Count lb, MPI_Count extent,
                   MPI_Datatype *newtype)
{
    MPI_Count address[] = { lb, extent };
    struct mpi_recipe r = { .call = call, .combiner = MPI_COMBINER_RESIZED, .large = large,
                            .address = address, .addresses = 2, .type = &old, .types = 1 };
    struct mpi_derived *made = NULL;
    const struct mpi_type *t;
    int rc = mpi_type_made_from(call, old, newtype, &t);
    if (rc)
        return rc;
    int class = mpi_derive_resized(t, (ptrdiff_t)lb, (ptrdiff_t)extent, &made);
    return mpi_type_made(&r, class, made, newtype);
}

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                             MPI_Datatype *newtype)
{
    MPI_ENTER("MPI_Type_create_resized");
    return resized("MPI_Type_create_resized", false, oldtype, lb, extent, newtype);
}
MPI_WEAK_ALIAS(Type_create_resized);

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                               MPI_Datatype *newtype)
{
    MPI_ENTER("MPI_Type_create_resized_c");
    return resized("MPI_Type_create_resized_c", true, oldtype, lb, extent, newtype);
}
MPI_WEAK_ALIAS(Type_create_resized_c);

/* The attributes go along, or there is no duplicate. */
static int copy_attributes(const char *call, MPI_Datatype old, MPI_Datatype *newtype)
{
    struct mpi_attribute_error error, ignored;
    struct mpi_derived *made = mpi_type_derived(mpi_type_get(*newtype));
    if (mpi_attributes_copy(mpi_type_attributes(mpi_type_get(old)), (uintptr_t)old,
                            &made->attributes, &error))
        return MPI_SUCCESS;
    mpi_attributes_abandon(&made->attributes, (uintptr_t)*newtype, &ignored);
    mpi_type_free_handle(made);
    *newtype = MPI_DATATYPE_NULL;
    return mpi_attribute_raise(NULL, call, &error);
}

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi_recipe r = { .call = "MPI_Type_dup", .combiner = MPI_COMBINER_DUP,
                            .type = &oldtype, .types = 1 };
    struct mpi_derived *made = NULL;
    const struct mpi_type *t;
    MPI_ENTER(r.call);
    int rc = mpi_type_made_from(r.call, oldtype, newtype, &t);
    if (rc)
        return rc;
    int class = mpi_derive_dup(t, &made);
    rc = mpi_type_made(&r, class, made, newtype);
    return rc ? rc : copy_attributes(r.call, oldtype, newtype);
}
MPI_WEAK_ALIAS(Type_dup);
