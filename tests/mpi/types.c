/* Every predefined datatype: its size, its extent, that of a struct that begins with it, and a
 * message of it. */
#include "t.h"
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* extent 0: pairs, whose extent is the compiler's; size: the bytes of data; padded: the extent with
 * a character behind it */
struct type { MPI_Datatype type; const char *name; size_t size, extent, padded; };

struct float_int { float a; int b; };
struct double_int { double a; int b; };
struct long_int { long a; int b; };
struct two_int { int a, b; };
struct short_int { short a; int b; };
struct ldouble_int { long double a; int b; };

#define PADDED(c) sizeof(struct { c value; char more; })
#define PLAIN(mpi, c) {mpi, #mpi, sizeof(c), sizeof(c), PADDED(c)}
#define PAIR(mpi, first, c) {mpi, #mpi, sizeof(first) + sizeof(int), sizeof(c), PADDED(c)}

static void check_type(const struct type *t)
{
    MPI_Aint lb = -1, extent = -1;
    int size = -1;

    OK(MPI_Type_size(t->type, &size));
    OK(MPI_Type_get_extent(t->type, &lb, &extent));
    if ((size_t)size != t->size || lb != 0 || (size_t)extent != t->extent)
        FAIL("%s: size %d, lower bound %ld, extent %ld; should be %zu, 0, %zu", t->name, size,
             (long)lb, (long)extent,
             t->size, t->extent);
}

/* Its end is padded as the compiler does it, so that an array of it is aligned. */
static void check_struct(const struct type *t)
{
    const int length[] = { 1, 1 };
    const MPI_Aint at[] = { 0, (MPI_Aint)t->extent };
    const MPI_Datatype member[] = { t->type, MPI_CHAR };
    MPI_Aint lb, extent;
    MPI_Datatype both;

    OK(MPI_Type_create_struct(2, length, at, member, &both));
    OK(MPI_Type_get_extent(both, &lb, &extent));
    if (lb != 0 || (size_t)extent != t->padded)
        FAIL("a struct of %s and a character has the extent %ld, should be %zu", t->name,
             (long)extent, t->padded);
    OK(MPI_Type_free(&both));
}

static void check_message(const struct type *t, int count)
{
    size_t bytes = t->extent * (size_t)count;
    unsigned char *out = t_alloc(bytes), *in = t_alloc(bytes);
    MPI_Request send;
    MPI_Status status;
    int got;

    memset(out, 0x41, bytes);
    memset(in, 0, bytes);
    OK(MPI_Isend(out, count, t->type, t_next(), 4, MPI_COMM_WORLD, &send));
    OK(MPI_Recv(in, count, t->type, t_prev(), 4, MPI_COMM_WORLD, &status));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Get_count(&status, t->type, &got));
    SAME(got, count);
    for (int i = 0; i < count && t->size == t->extent; i++)
        if (memcmp(in + (size_t)i * t->size, out, t->size) != 0)
            FAIL("element %d of %s is wrong", i, t->name);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);

    const struct type types[] = {
        PLAIN(MPI_CHAR, char), PLAIN(MPI_SIGNED_CHAR, signed char),
            PLAIN(MPI_UNSIGNED_CHAR, unsigned char),
        PLAIN(MPI_BYTE, char), PLAIN(MPI_PACKED, char), PLAIN(MPI_WCHAR, wchar_t),
            PLAIN(MPI_SHORT, short),
        PLAIN(MPI_UNSIGNED_SHORT, short), PLAIN(MPI_INT, int), PLAIN(MPI_UNSIGNED, int),
            PLAIN(MPI_LONG, long),
        PLAIN(MPI_UNSIGNED_LONG, long), PLAIN(MPI_LONG_LONG, long long),
            PLAIN(MPI_LONG_LONG_INT, long long),
        PLAIN(MPI_UNSIGNED_LONG_LONG, long long), PLAIN(MPI_FLOAT, float),
            PLAIN(MPI_DOUBLE, double),
        PLAIN(MPI_LONG_DOUBLE, long double), PLAIN(MPI_INT8_T, int8_t), PLAIN(MPI_UINT8_T, uint8_t),
        PLAIN(MPI_INT16_T, int16_t), PLAIN(MPI_UINT16_T, uint16_t), PLAIN(MPI_INT32_T, int32_t),
        PLAIN(MPI_UINT32_T, uint32_t), PLAIN(MPI_INT64_T, int64_t), PLAIN(MPI_UINT64_T, uint64_t),
        PLAIN(MPI_AINT, MPI_Aint), PLAIN(MPI_OFFSET, MPI_Offset), PLAIN(MPI_COUNT, MPI_Count),
            PLAIN(MPI_C_BOOL, bool),
        PLAIN(MPI_C_FLOAT_COMPLEX, float complex), PLAIN(MPI_C_DOUBLE_COMPLEX, double complex),
        PLAIN(MPI_C_LONG_DOUBLE_COMPLEX, long double complex),
        PAIR(MPI_FLOAT_INT, float, struct float_int),
            PAIR(MPI_DOUBLE_INT, double, struct double_int),
        PAIR(MPI_LONG_INT, long, struct long_int), PAIR(MPI_2INT, int, struct two_int),
        PAIR(MPI_SHORT_INT, short, struct short_int),
            PAIR(MPI_LONG_DOUBLE_INT, long double, struct ldouble_int),
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        check_type(&types[i]);
        check_struct(&types[i]);
        check_message(&types[i], 1);
        check_message(&types[i], 100);
        check_message(&types[i], 20000);
    }
    return t_end();
}
