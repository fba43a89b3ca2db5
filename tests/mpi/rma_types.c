/* Every predefined operation on every predefined type by accumulates of all kinds, held against
 * MPI_Reduce_local; elements side by side, beside their alignment and with gaps between them; and
 * long, with and without gaps; swaps of each type that has them; the kinds that Fortran programs
 * ask for.  argument: how memory is reached. */
#include <stdbool.h>

#include "t.h"

enum { COUNT = 5, ROOM = 1024, LONG = 70000 };

static const MPI_Datatype types[] = {
    MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
    MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_INT8_T, MPI_UINT16_T, MPI_INT32_T, MPI_UINT64_T,
    MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
    MPI_C_LONG_DOUBLE_COMPLEX, MPI_AINT, MPI_COUNT, MPI_OFFSET, MPI_BYTE, MPI_WCHAR, MPI_PACKED,
    MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT,
    MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_LOGICAL, MPI_COMPLEX, MPI_2INTEGER,
};
static const MPI_Op ops[] = {
    MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR,
    MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP,
};
#define HOW_MANY(a) ((int)(sizeof(a) / sizeof *(a)))

struct buffers { _Alignas(16) char origin[ROOM], result[ROOM], want[ROOM], got[ROOM], old[ROOM]; };
static struct buffers b;

/* Numbers that are none of a floating type's oddities. */
static void fill(MPI_Datatype type, char *at, MPI_Aint extent, int seed)
{
    memset(at, 0, ROOM);
    for (int i = 0; i < COUNT; i++) {
        char *p = at + i * extent;
        const int v = (seed + i * 7) % 5 + 1;
        if (type == MPI_FLOAT || type == MPI_REAL || type == MPI_FLOAT_INT)
            *(float *)(void *)p = (float)v;
        else if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION || type == MPI_DOUBLE_INT)
            *(double *)(void *)p = v;
        else if (type == MPI_LONG_DOUBLE || type == MPI_LONG_DOUBLE_INT)
            *(long double *)(void *)p = v;
        else if (type == MPI_C_FLOAT_COMPLEX || type == MPI_COMPLEX)
            *(float *)(void *)p = ((float *)(void *)p)[1] = (float)v;
        else if (type == MPI_C_DOUBLE_COMPLEX)
            *(double *)(void *)p = ((double *)(void *)p)[1] = v;
        else if (type == MPI_C_LONG_DOUBLE_COMPLEX)
            *(long double *)(void *)p = ((long double *)(void *)p)[1] = v;
        else
            *p = (char)(type == MPI_C_BOOL || type == MPI_LOGICAL ? v % 2 : v);
    }
}

/* False: not defined on the type, which the window's call says too. */
static bool expected(MPI_Datatype type, MPI_Op op)
{
    memcpy(b.want, b.old, ROOM);
    if (op == MPI_REPLACE)
        memcpy(b.want, b.origin, ROOM);
    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return true;
    return MPI_Reduce_local(b.origin, b.want, COUNT, type, op) == MPI_SUCCESS;
}

/* The data of elements are the same; gaps inside and between them do not count. */
static void same_data(MPI_Datatype type, const char *got, const char *want)
{
    char packed[2][ROOM];
    int bytes[2] = { 0, 0 };
    OK(MPI_Pack(got, COUNT, type, packed[0], ROOM, &bytes[0], MPI_COMM_SELF));
    OK(MPI_Pack(want, COUNT, type, packed[1], ROOM, &bytes[1], MPI_COMM_SELF));
    CHECK(!memcmp(packed[0], packed[1], (size_t)bytes[0]));
}

static bool leaves_padding(MPI_Datatype type)
{
    return type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX
           || type == MPI_LONG_DOUBLE_INT;
}

/* x87 numbers have bytes that no operation need keep. */
static void compare(MPI_Datatype type, const char *got, const char *want, MPI_Aint extent)
{
    for (int i = 0; leaves_padding(type) && i < COUNT; i++)
        CHECK(*(const long double *)(const void *)(got + i * extent)
              == *(const long double *)(const void *)(want + i * extent));
    if (!leaves_padding(type))
        same_data(type, got, want);
}

/* One type and operation at a place of the next rank's window, in units of 1 byte; no other rank is
 * there, whatever the lock says. */
static void one(MPI_Win win, MPI_Datatype type, MPI_Op op, MPI_Aint at, MPI_Datatype all, int lock)
{
    const int target = t_next();
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(type, &lb, &extent));
    fill(type, b.origin, extent, 3);
    fill(type, b.old, extent, 1);
    memset(b.result, 0, ROOM);
    memset(b.got, 0, ROOM);
    bool defined = expected(type, op);
    OK(MPI_Win_lock(lock, target, 0, win));
    OK(MPI_Put(b.old, COUNT, type, target, at, 1, all, win));
    OK(MPI_Win_flush(target, win));
    if (!defined) {
        CLASS(MPI_Get_accumulate(b.origin, COUNT, type, b.result, COUNT, type, target, at, 1, all,
                                 op, win), MPI_ERR_OP);
    } else {
        OK(MPI_Get_accumulate(b.origin, COUNT, type, b.result, COUNT, type, target, at, 1, all, op,
                              win));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Get(b.got, COUNT, type, target, at, 1, all, win));
        OK(MPI_Win_flush(target, win));
        compare(type, b.result, b.old, extent);
        compare(type, b.got, b.want, extent);
        if (op != MPI_NO_OP) {
            OK(MPI_Put(b.old, COUNT, type, target, at, COUNT, type, win));
            OK(MPI_Win_flush(target, win));
            OK(MPI_Accumulate(b.origin, COUNT, type, target, at, COUNT, type, op, win));
            OK(MPI_Win_flush(target, win));
            OK(MPI_Get(b.got, COUNT, type, target, at, COUNT, type, win));
            OK(MPI_Win_flush(target, win));
            compare(type, b.got, b.want, extent);
        }
        OK(MPI_Fetch_and_op(b.origin, b.result, type, target, at, MPI_NO_OP, win));
        OK(MPI_Fetch_and_op(b.old, b.got, type, target, at, MPI_REPLACE, win));
        OK(MPI_Win_flush(target, win));
        CHECK(leaves_padding(type) || b.result[0] == b.got[0]);
    }
    OK(MPI_Win_unlock(target, win));
}

static void all_types(MPI_Win win, int lock)
{
    for (int t = 0; t < HOW_MANY(types); t++) {
        MPI_Datatype close, far;
        OK(MPI_Type_contiguous(COUNT, types[t], &close));
        OK(MPI_Type_vector(COUNT, 1, 2, types[t], &far));
        OK(MPI_Type_commit(&close));
        OK(MPI_Type_commit(&far));
        for (int o = 0; o < HOW_MANY(ops); o++) {
            one(win, types[t], ops[o], 0, close, lock);
            one(win, types[t], ops[o], 16, far, lock);
            one(win, types[t], ops[o], 3, close, lock);
        }
        OK(MPI_Type_free(&close));
        OK(MPI_Type_free(&far));
    }
}

/* -- compare and swap: of integers, logicals, characters and bytes, of all their lengths */

static const MPI_Datatype swapped[] = {
    MPI_CHAR, MPI_SIGNED_CHAR, MPI_BYTE, MPI_C_BOOL, MPI_SHORT, MPI_UINT16_T, MPI_INT,
    MPI_UINT32_T, MPI_LONG, MPI_UINT64_T, MPI_AINT, MPI_COUNT, MPI_OFFSET, MPI_INTEGER,
    MPI_LOGICAL, MPI_INTEGER1, MPI_INTEGER16, MPI_LOGICAL16, MPI_CHARACTER,
};
static const MPI_Datatype unswapped[] = {
    MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_C_FLOAT_COMPLEX, MPI_2INT,
    MPI_DOUBLE_INT, MPI_DATATYPE_NULL,
};

/* The last byte of what is expected tells whether it is there. */
static void swap(MPI_Win win, MPI_Datatype type, MPI_Aint at, bool there)
{
    const int target = t_next();
    int bytes;
    OK(MPI_Type_size(type, &bytes));
    memset(b.old, 1, ROOM);
    memset(b.want, 1, ROOM);
    memset(b.origin, 2, ROOM);
    memset(b.result, 0, ROOM);
    memset(b.got, 0, ROOM);
    if (!there)
        b.want[bytes - 1] = 3;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    OK(MPI_Put(b.old, 1, type, target, at, 1, type, win));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Compare_and_swap(b.origin, b.want, b.result, type, target, at, win));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Get(b.got, 1, type, target, at, 1, type, win));
    OK(MPI_Win_unlock(target, win));
    CHECK(!memcmp(b.result, b.old, (size_t)bytes) && !b.result[bytes]);
    CHECK(!memcmp(b.got, there ? b.origin : b.old, (size_t)bytes));
}

/* Of elements of each length all bytes count, and none beside them. */
static void swap_bytes(MPI_Win win, MPI_Datatype type, size_t size, MPI_Aint at)
{
    enum { SEEN = 16 };
    unsigned char old[SEEN], want[SEEN], got[SEEN], value[8], other[8], result[8];
    const int target = t_next();
    for (int i = 0; i < SEEN; i++)
        old[i] = want[i] = (unsigned char)(i + 1);
    for (int i = 0; i < 8; i++)
        value[i] = (unsigned char)(i + 101);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    OK(MPI_Put(old, SEEN, MPI_BYTE, target, at, SEEN, MPI_BYTE, win));
    OK(MPI_Win_flush(target, win));
    for (size_t differs = 0; differs <= size; differs++) {
        memcpy(other, old, size);
        if (differs < size)
            other[differs] ^= 128;
        else
            memcpy(want, value, size);
        OK(MPI_Compare_and_swap(value, other, result, type, target, at, win));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Get(got, SEEN, MPI_BYTE, target, at, SEEN, MPI_BYTE, win));
        OK(MPI_Win_flush(target, win));
        CHECK(!memcmp(result, old, size) && !memcmp(got, want, SEEN));
    }
    OK(MPI_Win_unlock(target, win));
}

static void swaps(MPI_Win win)
{
    for (int t = 0; t < HOW_MANY(swapped); t++)
        for (int i = 0; i < 6; i++)
            swap(win, swapped[t], (const MPI_Aint[]){ 0, 16, 3 }[i / 2], i % 2);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    for (int t = 0; t < HOW_MANY(unswapped); t++)
        CLASS(MPI_Compare_and_swap(b.origin, b.old, b.result, unswapped[t], t_next(), 0, win),
              MPI_ERR_TYPE);
    OK(MPI_Win_unlock(t_next(), win));
    const MPI_Datatype integers[] = { MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T };
    for (int i = 0; i < 4; i++) {
        swap_bytes(win, integers[i], (size_t)1 << i, 16);
        swap_bytes(win, integers[i], (size_t)1 << i, 3);
    }
}

/* What MPI_Type_create_f90_* returns is predefined, too. */
static void fortran_kinds(MPI_Win win)
{
    MPI_Datatype integer[2], kind[3];
    OK(MPI_Type_create_f90_integer(9, &integer[0]));
    OK(MPI_Type_create_f90_integer(18, &integer[1]));
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &kind[0]));
    OK(MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &kind[1]));
    kind[2] = integer[0];
    for (int i = 0; i < 3; i++) {
        MPI_Datatype close;
        OK(MPI_Type_contiguous(COUNT, kind[i], &close));
        OK(MPI_Type_commit(&close));
        one(win, kind[i], MPI_SUM, 0, close, MPI_LOCK_SHARED);
        OK(MPI_Type_free(&close));
    }
    for (int i = 0; i < 2; i++)
        for (int there = 0; there < 2; there++) {
            swap(win, integer[i], 16, there);
            swap(win, integer[i], 3, there);
        }
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    for (int i = 0; i < 2; i++)
        CLASS(MPI_Compare_and_swap(b.origin, b.old, b.result, kind[i], t_next(), 0, win),
              MPI_ERR_TYPE);
    OK(MPI_Win_unlock(t_next(), win));
}

/* Members without data do not count, of whatever type they are. */
static void empty_members(MPI_Win win)
{
    const MPI_Aint at[2] = { 0, 16 };
    const MPI_Count at_c[2] = { 0, 16 }, long_c[2] = { 3, 0 };
    const int data[4] = { 1, 2, 3, 4 };
    MPI_Datatype type[4], empty;
    int got[3];
    OK(MPI_Type_contiguous(0, MPI_DOUBLE, &empty));
    OK(MPI_Type_create_struct(2, (int[]){ 3, 0 }, at, (MPI_Datatype[]){ MPI_INT, MPI_DOUBLE },
                              &type[0]));
    OK(MPI_Type_create_struct(2, (int[]){ 3, 1 }, at, (MPI_Datatype[]){ MPI_INT, empty },
                              &type[1]));
    OK(MPI_Type_create_struct_c(2, long_c, at_c, (MPI_Datatype[]){ MPI_INT, MPI_DOUBLE },
                                &type[2]));
    OK(MPI_Type_create_struct(2, (int[]){ 2, 1 }, at, (MPI_Datatype[]){ MPI_INT, MPI_FLOAT },
                              &type[3]));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_next(), 0, win));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Type_commit(&type[i]));
        OK(MPI_Put((int[]){ 7, 7, 7 }, 3, MPI_INT, t_next(), 0, 3, MPI_INT, win));
        OK(MPI_Win_flush(t_next(), win));
        if (i < 3) {
            OK(MPI_Accumulate(data, 3, MPI_INT, t_next(), 0, 1, type[i], MPI_SUM, win));
            OK(MPI_Accumulate(data, 1, type[i], t_next(), 0, 3, MPI_INT, MPI_SUM, win));
            OK(MPI_Get_accumulate(NULL, 0, MPI_INT, got, 3, MPI_INT, t_next(), 0, 1, type[i],
                                  MPI_NO_OP, win));
            OK(MPI_Win_flush(t_next(), win));
            CHECK(got[0] == 9 && got[1] == 11 && got[2] == 13);
        } else {
            CLASS(MPI_Accumulate(data, 3, MPI_INT, t_next(), 0, 1, type[i], MPI_SUM, win),
                  MPI_ERR_TYPE);
        }
        OK(MPI_Type_free(&type[i]));
    }
    OK(MPI_Win_unlock(t_next(), win));
    OK(MPI_Type_free(&empty));
}

/* A type without members goes with all that has no data. */
static void no_members(MPI_Win win)
{
    const int three[3] = { 1, 2, 3 };
    MPI_Datatype none, none_c;
    MPI_Request request;
    int got[3] = { 9, 9, 9 };

    OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &none));
    OK(MPI_Type_create_struct_c(0, NULL, NULL, NULL, &none_c));
    OK(MPI_Type_commit(&none));
    OK(MPI_Type_commit(&none_c));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_next(), 0, win));
    OK(MPI_Put((int[]){ 7, 7, 7 }, 3, MPI_INT, t_next(), 0, 3, MPI_INT, win));
    OK(MPI_Win_flush(t_next(), win));
    OK(MPI_Accumulate(three, 1, none, t_next(), 0, 1, none, MPI_SUM, win));
    OK(MPI_Accumulate_c(three, 2, none_c, t_next(), 0, 1, none, MPI_MAXLOC, win));
    OK(MPI_Accumulate(three, 0, MPI_INT, t_next(), 0, 1, none, MPI_SUM, win));
    OK(MPI_Accumulate(three, 1, none, t_next(), 0, 0, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(three, 1, none, got, 5, none_c, t_next(), 0, 3, none, MPI_NO_OP, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, got, 0, MPI_INT, t_next(), 0, 1, none, MPI_NO_OP,
                          win));
    OK(MPI_Raccumulate(three, 1, none, t_next(), 0, 1, none, MPI_BAND, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CLASS(MPI_Accumulate(three, 3, MPI_INT, t_next(), 0, 1, none, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Accumulate(three, 1, none, t_next(), 0, 3, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Accumulate(three, 0, MPI_INT, t_next(), 0, 1, none, MPI_OP_NULL, win),
          MPI_ERR_OP);
    OK(MPI_Get(got, 3, MPI_INT, t_next(), 0, 3, MPI_INT, win));
    OK(MPI_Win_unlock(t_next(), win));
    CHECK(got[0] == 7 && got[1] == 7 && got[2] == 7);
    OK(MPI_Type_free(&none));
    OK(MPI_Type_free(&none_c));
}

/* Long ones: pieces, lists of many blocks. */
static void long_data(MPI_Win win)
{
    int64_t *out = t_alloc(LONG * sizeof *out), *in = t_alloc(2 * LONG * sizeof *in);
    MPI_Datatype far;
    OK(MPI_Type_vector(LONG, 1, 2, MPI_INT64_T, &far));
    OK(MPI_Type_commit(&far));
    for (int i = 0; i < LONG; i++)
        out[i] = (int64_t)i * (t_rank + 1);
    memset(in, 0, 2 * LONG * sizeof *in);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, LONG, MPI_INT64_T, t_next(), 0, 1, far, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(out, LONG, MPI_INT64_T, t_next(), 0, 1, far, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(in, 1, far, t_next(), 0, 1, far, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < LONG; i++)
        CHECK(in[2 * i] == 2 * out[i] && in[2 * i + 1] == 0);
    OK(MPI_Type_free(&far));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "direct";
    const MPI_Aint bytes = 2 * LONG * 8;
    char *own, *mine;
    MPI_Win win[2];
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (!strcmp(way, "private"))
        setenv("MPILITE_RMA", way, 1);
    if (!strcmp(way, "packet"))
        setenv("NICEMU_REMOTE", "packet", 1);
    t_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    own = t_alloc((size_t)bytes);
    OK(MPI_Win_create(own, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]));
    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win[1]));
    memset(own, 0, (size_t)bytes);
    memset(mine, 0, (size_t)bytes);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Win_set_errhandler(win[i], MPI_ERRORS_RETURN));
        all_types(win[i], MPI_LOCK_EXCLUSIVE);
        all_types(win[i], MPI_LOCK_SHARED);
        swaps(win[i]);
        fortran_kinds(win[i]);
        empty_members(win[i]);
        no_members(win[i]);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        long_data(win[i]);
        OK(MPI_Win_free(&win[i]));
    }
    free(own);
    return t_end();
}
