/* Names of types; types found by class and size, by Fortran's kinds, by value and index. */
#include "t.h"

static void name_is(MPI_Datatype t, const char *want)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    OK(MPI_Type_get_name(t, name, &length));
    if (strcmp(name, want) != 0)
        FAIL("the name is \"%s\", should be \"%s\"", name, want);
    SAME(length, (int)strlen(want));
}

static void names(void)
{
    char name[2 * MPI_MAX_OBJECT_NAME];
    MPI_Datatype t, copy;
    OK(MPI_Type_contiguous(2, MPI_INT, &t));
    name_is(t, "");
    OK(MPI_Type_set_name(t, "two of them"));
    name_is(t, "two of them");
    OK(MPI_Type_dup(t, &copy));
    name_is(copy, "");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    OK(MPI_Type_set_name(t, name));
    name[MPI_MAX_OBJECT_NAME - 1] = '\0';
    name_is(t, name);
    name_is(MPI_INT, "MPI_INT");
    OK(MPI_Type_set_name(MPI_INT, "whole"));
    name_is(MPI_INT, "whole");
    name_is(MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL");
    CLASS(MPI_Type_set_name(MPI_DATATYPE_NULL, "none"), MPI_ERR_TYPE);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_free(&copy));
}

static void by_size(void)
{
    const struct { int typeclass, size; MPI_Datatype type; } rows[] = {
        { MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1 }, { MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2 },
        { MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4 }, { MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8 },
        { MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16 }, { MPI_TYPECLASS_REAL, 2, MPI_REAL2 },
        { MPI_TYPECLASS_REAL, 4, MPI_REAL4 }, { MPI_TYPECLASS_REAL, 8, MPI_REAL8 },
        { MPI_TYPECLASS_REAL, 16, MPI_REAL16 }, { MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4 },
        { MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8 }, { MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16 },
        { MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32 },
    };
    MPI_Datatype t;
    int size;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(MPI_Type_match_size(rows[i].typeclass, rows[i].size, &t));
        CHECK(t == rows[i].type);
        OK(MPI_Type_size(t, &size));
        SAME(size, rows[i].size);
    }
    CLASS(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 1, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 2, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_match_size(0, 4, &t), MPI_ERR_ARG);
}

/* Makes it twice: the same handle; nobody frees it; it needs no commit. */
static void kind(MPI_Datatype t, MPI_Datatype again, int combiner, int first, int bytes)
{
    int integers, addresses, types, c, integer[2], size;
    CHECK(t == again);
    OK(MPI_Type_get_envelope(t, &integers, &addresses, &types, &c));
    SAME(c, combiner);
    SAME(integers, combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2);
    CHECK(addresses == 0 && types == 0);
    OK(MPI_Type_get_contents(t, 2, 0, 0, integer, NULL, NULL));
    SAME(integer[0], first);
    OK(MPI_Type_size(t, &size));
    SAME(size, bytes);
    CLASS(MPI_Type_free(&again), MPI_ERR_TYPE);
}

/* The smallest kinds that have both, at their limits; bytes 0: none has. */
static void limits(void)
{
    enum { ANY = MPI_UNDEFINED };
    static const struct { int p, r, bytes; } reals[] = {
        { 6, 37, 4 }, { 7, 37, 8 }, { 6, 38, 8 }, { 15, 307, 8 }, { 16, 307, 16 }, { 15, 308, 16 },
        { 33, 4931, 16 }, { 34, 4931, 0 }, { 33, 4932, 0 }, { ANY, 37, 4 }, { ANY, 38, 8 },
        { ANY, 307, 8 }, { ANY, 308, 16 }, { ANY, 4932, 0 }, { 6, ANY, 4 }, { 7, ANY, 8 },
        { 15, ANY, 8 }, { 16, ANY, 16 }, { 33, ANY, 16 }, { 34, ANY, 0 },
    };
    static const struct { int r, bytes; } integers[] = {
        { 2, 1 }, { 3, 2 }, { 4, 2 }, { 5, 4 }, { 9, 4 }, { 10, 8 }, { 18, 8 }, { 19, 16 },
        { 38, 16 }, { 39, 0 },
    };
    MPI_Datatype t;
    int size;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        for (int parts = 1; parts <= 2; parts++) {
            int rc = parts == 1 ? MPI_Type_create_f90_real(reals[i].p, reals[i].r, &t)
                     : MPI_Type_create_f90_complex(reals[i].p, reals[i].r, &t);
            CLASS(rc, reals[i].bytes ? MPI_SUCCESS : MPI_ERR_ARG);
            if (rc)
                continue;
            OK(MPI_Type_size(t, &size));
            SAME(size, parts * reals[i].bytes);
        }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int rc = MPI_Type_create_f90_integer(integers[i].r, &t);
        CLASS(rc, integers[i].bytes ? MPI_SUCCESS : MPI_ERR_ARG);
        if (rc)
            continue;
        OK(MPI_Type_size(t, &size));
        SAME(size, integers[i].bytes);
    }
}

/* Each question has a handle of its own, which tells it, and operations that its numbers have. */
static void questions(void)
{
    static const int p[] = { 6, 5, MPI_UNDEFINED }, r[] = { 30, 20, 30 };
    MPI_Datatype t[3], whole;
    int asked[2], in = 6, out = 0;
    for (int i = 0; i < 3; i++) {
        OK(MPI_Type_create_f90_real(p[i], r[i], &t[i]));
        OK(MPI_Type_get_contents(t[i], 2, 0, 0, asked, NULL, NULL));
        SAME(asked[0], p[i]);
        SAME(asked[1], r[i]);
        for (int k = 0; k < i; k++)
            CHECK(t[i] != t[k]);
    }
    OK(MPI_Type_create_f90_integer(9, &whole));
    OK(MPI_Allreduce(&in, &out, 1, whole, MPI_BAND, MPI_COMM_SELF));
    SAME(out, 6);
    CLASS(MPI_Allreduce(&in, &out, 1, t[0], MPI_BAND, MPI_COMM_SELF), MPI_ERR_OP);
}

static void by_kind(void)
{
    MPI_Datatype t, again;
    double one = 1.5, sum = 0;
    OK(MPI_Type_create_f90_real(7, MPI_UNDEFINED, &t));
    OK(MPI_Type_create_f90_real(7, MPI_UNDEFINED, &again));
    kind(t, again, MPI_COMBINER_F90_REAL, 7, 8);
    OK(MPI_Allreduce(&one, &sum, 1, t, MPI_SUM, MPI_COMM_SELF));
    CHECK(sum == 1.5);
    OK(MPI_Type_create_f90_complex(6, 30, &t));
    OK(MPI_Type_create_f90_complex(6, 30, &again));
    kind(t, again, MPI_COMBINER_F90_COMPLEX, 6, 8);
    OK(MPI_Type_create_f90_integer(12, &t));
    OK(MPI_Type_create_f90_integer(12, &again));
    kind(t, again, MPI_COMBINER_F90_INTEGER, 12, 8);
    CLASS(MPI_Type_create_f90_integer(100, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_f90_real(40, 10, &t), MPI_ERR_ARG);
}

static void by_value(void)
{
    const struct { MPI_Datatype value, index, pair; } rows[] = {
        { MPI_FLOAT, MPI_INT, MPI_FLOAT_INT }, { MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT },
        { MPI_LONG, MPI_INT, MPI_LONG_INT }, { MPI_INT, MPI_INT, MPI_2INT },
        { MPI_SHORT, MPI_INT, MPI_SHORT_INT },
        { MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT }, { MPI_REAL, MPI_REAL, MPI_2REAL },
        { MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER },
        { MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION },
        { MPI_CHAR, MPI_INT, MPI_DATATYPE_NULL }, { MPI_DOUBLE, MPI_LONG, MPI_DATATYPE_NULL },
        { MPI_DOUBLE, MPI_DOUBLE, MPI_DATATYPE_NULL },
        { MPI_REAL, MPI_INTEGER, MPI_DATATYPE_NULL },
    };
    MPI_Datatype t;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(MPI_Type_get_value_index(rows[i].value, rows[i].index, &t));
        CHECK(t == rows[i].pair);
    }
    CLASS(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &t), MPI_ERR_TYPE);
    CLASS(MPI_Type_get_value_index(MPI_INT, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    names();
    by_size();
    by_kind();
    limits();
    questions();
    by_value();
    return t_end();
}
