/* All predefined datatypes, for tests that go through them.  X(name, bytes of data, what it is):
 * the letters are those of the standard's table of reductions, integers of C and of Fortran (i, j),
 * floating point (f), complex (c), logical (l), byte (b), address (a), pair (p), characters (h),
 * and none of them (n). */
#ifndef TYPES_H
#define TYPES_H

#include <wchar.h>
#include <mpi.h>

#define TYPES(X) \
    X(MPI_AINT, 8, 'a') X(MPI_COUNT, 8, 'a') X(MPI_OFFSET, 8, 'a') X(MPI_PACKED, 1, 'n') \
    X(MPI_SHORT, sizeof(short), 'i') X(MPI_INT, sizeof(int), 'i') X(MPI_LONG, sizeof(long), 'i') \
    X(MPI_LONG_LONG_INT, sizeof(long long), 'i') X(MPI_UNSIGNED_SHORT, sizeof(short), 'i') \
    X(MPI_UNSIGNED, sizeof(int), 'i') X(MPI_UNSIGNED_LONG, sizeof(long), 'i') \
    X(MPI_UNSIGNED_LONG_LONG, sizeof(long long), 'i') X(MPI_SIGNED_CHAR, 1, 'i') \
    X(MPI_UNSIGNED_CHAR, 1, 'i') \
    X(MPI_INT8_T, 1, 'i') X(MPI_UINT8_T, 1, 'i') X(MPI_INT16_T, 2, 'i') X(MPI_UINT16_T, 2, 'i') \
    X(MPI_INT32_T, 4, 'i') X(MPI_UINT32_T, 4, 'i') X(MPI_INT64_T, 8, 'i') X(MPI_UINT64_T, 8, 'i') \
    X(MPI_BYTE, 1, 'b') X(MPI_C_BOOL, sizeof(_Bool), 'l') X(MPI_CXX_BOOL, 1, 'l') \
    X(MPI_CHAR, 1, 'h') \
    X(MPI_WCHAR, sizeof(wchar_t), 'n') \
    X(MPI_FLOAT, sizeof(float), 'f') X(MPI_DOUBLE, sizeof(double), 'f') \
    X(MPI_LONG_DOUBLE, sizeof(long double), 'f') \
    X(MPI_C_COMPLEX, 2 * sizeof(float), 'c') \
    X(MPI_C_DOUBLE_COMPLEX, 2 * sizeof(double), 'c') \
    X(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), 'c') \
    X(MPI_CXX_FLOAT_COMPLEX, 2 * sizeof(float), 'c') \
    X(MPI_CXX_DOUBLE_COMPLEX, 2 * sizeof(double), 'c') \
    X(MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), 'c') \
    X(MPI_FLOAT_INT, sizeof(float) + sizeof(int), 'p') \
    X(MPI_DOUBLE_INT, sizeof(double) + sizeof(int), 'p') \
    X(MPI_LONG_INT, sizeof(long) + sizeof(int), 'p') X(MPI_2INT, 2 * sizeof(int), 'p') \
    X(MPI_SHORT_INT, sizeof(short) + sizeof(int), 'p') \
    X(MPI_LONG_DOUBLE_INT, sizeof(long double) + sizeof(int), 'p') \
    X(MPI_2REAL, 2 * sizeof(float), 'p') \
    X(MPI_2DOUBLE_PRECISION, 2 * sizeof(double), 'p') X(MPI_2INTEGER, 2 * sizeof(int), 'p') \
    X(MPI_LOGICAL, 4, 'l') X(MPI_INTEGER, 4, 'j') X(MPI_REAL, 4, 'f') X(MPI_COMPLEX, 8, 'c') \
    X(MPI_DOUBLE_PRECISION, 8, 'f') X(MPI_DOUBLE_COMPLEX, 16, 'c') X(MPI_CHARACTER, 1, 'h') \
    X(MPI_LOGICAL1, 1, 'l') X(MPI_LOGICAL2, 2, 'l') X(MPI_LOGICAL4, 4, 'l') \
    X(MPI_LOGICAL8, 8, 'l') \
    X(MPI_LOGICAL16, 16, 'l') X(MPI_INTEGER1, 1, 'j') X(MPI_INTEGER2, 2, 'j') \
    X(MPI_INTEGER4, 4, 'j') \
    X(MPI_INTEGER8, 8, 'j') X(MPI_INTEGER16, 16, 'j') X(MPI_REAL2, 2, HALF('f')) \
    X(MPI_REAL4, 4, 'f') \
    X(MPI_REAL8, 8, 'f') X(MPI_REAL16, 16, 'f') X(MPI_COMPLEX4, 4, HALF('c')) \
    X(MPI_COMPLEX8, 8, 'c') \
    X(MPI_COMPLEX16, 16, 'c') X(MPI_COMPLEX32, 32, 'c')

#ifdef __FLT16_MANT_DIG__
#define HALF(kind) kind
#else
#define HALF(kind) 'n'  /* the compiler cannot compute with it */
#endif

struct type_entry { MPI_Datatype h; const char *name; size_t bytes; char kind; };

#define TYPE_ENTRY(h, bytes, kind) { h, #h, bytes, kind },
static const struct type_entry all_types[] = { TYPES(TYPE_ENTRY) };
#undef TYPE_ENTRY

enum { ALL_TYPES = sizeof all_types / sizeof all_types[0] };

#endif
