/* external32: the bytes that the standard says, and back. */
#include "t.h"

static void bytes_are(const unsigned char *got, const char *want)
{
    for (size_t i = 0; want[2 * i]; i++) {
        unsigned byte;
        sscanf(want + 2 * i, "%2x", &byte);
        if (got[i] != byte)
            FAIL("byte %zu is %02x, should be %02x of %s", i, got[i], byte, want);
    }
}

static void same(const void *data, size_t bytes, MPI_Datatype t, const char *want)
{
    unsigned char external[64] = { 0 }, back[64] = { 0 };
    MPI_Aint size = 0, position = 0;
    OK(MPI_Pack_external_size("external32", 1, t, &size));
    SAME(size, (MPI_Aint)strlen(want) / 2);
    OK(MPI_Pack_external("external32", data, 1, t, external, size, &position));
    SAME(position, size);
    bytes_are(external, want);
    position = 0;
    OK(MPI_Unpack_external("external32", external, size, &position, back, 1, t));
    SAME(position, size);
    CHECK(memcmp(back, data, bytes) == 0);
}

#define VALUE(type, mpi, value, want) \
    do { type value_ = (value); same(&value_, sizeof value_, mpi, want); } while (0)

static void basic(void)
{
    VALUE(int, MPI_INT, 0x01020304, "01020304");
    VALUE(short, MPI_SHORT, -2, "fffe");
    VALUE(long, MPI_LONG, -3, "fffffffd");
    VALUE(unsigned long, MPI_UNSIGNED_LONG, 0xfffffffdu, "fffffffd");
    VALUE(long long, MPI_LONG_LONG, 0x0102030405060708, "0102030405060708");
    VALUE(wchar_t, MPI_WCHAR, 0x20ac, "20ac");
    VALUE(char, MPI_CHAR, 'A', "41");
    VALUE(float, MPI_FLOAT, 1.0f, "3f800000");
    VALUE(double, MPI_DOUBLE, -2.0, "c000000000000000");
    VALUE(float _Complex, MPI_C_FLOAT_COMPLEX, 1.0f, "3f80000000000000");
    VALUE(MPI_Aint, MPI_AINT, 258, "0000000000000102");
}

/* Value and index, without the gap that the compiler leaves. */
static void pairs(void)
{
    struct { double value; int index; } double_int = { 1.0, 7 };
    struct { long value; int index; } long_int = { -3, 5 };
    double doubles[] = { 1.0, -2.0 };
    float reals[] = { 1.0f, -2.0f };
    same(&double_int, 12, MPI_DOUBLE_INT, "3ff0000000000000" "00000007");
    same(&long_int, 12, MPI_LONG_INT, "fffffffd" "00000005");
    same(doubles, 16, MPI_2DOUBLE_PRECISION, "3ff0000000000000" "c000000000000000");
    same(reals, 8, MPI_2REAL, "3f800000" "c0000000");
}

static void long_double(void)
{
    long double value = -1.5L, back = 0;
    unsigned char external[16];
    MPI_Aint position = 0;
    OK(MPI_Pack_external("external32", &value, 1, MPI_LONG_DOUBLE, external, 16, &position));
    bytes_are(external, "bfff8000000000000000000000000000");
    position = 0;
    OK(MPI_Unpack_external("external32", external, 16, &position, &back, 1, MPI_LONG_DOUBLE));
    CHECK(back == value);
}

/* A struct with gaps, twice. */
static void derived(void)
{
    struct { char c; int i; long l; } from[2] = { { 'a', 1, 2 }, { 'b', 3, -4 } }, to[2];
    const int length[] = { 1, 1, 1 };
    const MPI_Aint at[] = { 0, 4, 8 };
    const MPI_Datatype member[] = { MPI_CHAR, MPI_INT, MPI_LONG };
    unsigned char external[18];
    MPI_Count position = 0, size;
    MPI_Datatype t;
    OK(MPI_Type_create_struct(3, length, at, member, &t));
    OK(MPI_Type_commit(&t));
    OK(MPI_Pack_external_size_c("external32", 2, t, &size));
    SAME(size, 18);
    OK(MPI_Pack_external_c("external32", from, 2, t, external, size, &position));
    bytes_are(external, "610000000100000002" "6200000003fffffffc");
    position = 0;
    memset(to, 0, sizeof to);
    OK(MPI_Unpack_external_c("external32", external, size, &position, to, 2, t));
    for (int i = 0; i < 2; i++)
        CHECK(to[i].c == from[i].c && to[i].i == from[i].i && to[i].l == from[i].l);
    OK(MPI_Type_free(&t));
}

/* Behind each other in one buffer, which has room for no more. */
static void behind(void)
{
    const int first = 0x01020304, second = 0x05060708;
    unsigned char external[9];
    int back[2] = { 0, 0 };
    MPI_Aint position = 0;
    memset(external, 0xee, sizeof external);
    OK(MPI_Pack_external("external32", &first, 1, MPI_INT, external, 8, &position));
    SAME(position, 4);
    OK(MPI_Pack_external("external32", &second, 1, MPI_INT, external, 8, &position));
    SAME(position, 8);
    CLASS(MPI_Pack_external("external32", &first, 1, MPI_CHAR, external, 8, &position),
          MPI_ERR_TRUNCATE);
    SAME(position, 8);
    bytes_are(external, "0102030405060708ee");
    position = 0;
    for (int i = 0; i < 2; i++)
        OK(MPI_Unpack_external("external32", external, 8, &position, &back[i], 1, MPI_INT));
    SAME(position, 8);
    CHECK(back[0] == first && back[1] == second);
    CLASS(MPI_Unpack_external("external32", external, 8, &position, back, 1, MPI_CHAR),
          MPI_ERR_TRUNCATE);
    position = 4;
    OK(MPI_Unpack_external("external32", external, 8, &position, back, 1, MPI_INT));
    SAME(back[0], second);
}

/* No data, and a type that is not committed. */
static void no_data(void)
{
    int value = 1;
    unsigned char external[8];
    MPI_Aint position = 0;
    MPI_Datatype t;
    CLASS(MPI_Pack_external("external32", NULL, 1, MPI_INT, external, 8, &position),
          MPI_ERR_BUFFER);
    CLASS(MPI_Unpack_external("external32", external, 8, &position, NULL, 1, MPI_INT),
          MPI_ERR_BUFFER);
    OK(MPI_Pack_external("external32", NULL, 0, MPI_INT, external, 8, &position));
    OK(MPI_Type_contiguous(1, MPI_INT, &t));
    CLASS(MPI_Pack_external("external32", &value, 1, t, external, 8, &position), MPI_ERR_TYPE);
    CLASS(MPI_Unpack_external("external32", external, 8, &position, &value, 1, t), MPI_ERR_TYPE);
    SAME(position, 0);
    OK(MPI_Type_free(&t));
}

/* Bytes that memory cannot have, though the external form of them were possible. */
static void too_many(void)
{
    MPI_Count size = 7;
    CLASS(MPI_Pack_external_size_c("external32", (MPI_Count)1 << 60, MPI_LONG, &size),
          MPI_ERR_COUNT);
    SAME(size, 7);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    basic();
    pairs();
    long_double();
    derived();
    t_errors_return();
    behind();
    no_data();
    too_many();
    return t_end();
}
