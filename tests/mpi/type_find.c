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
    MPI_Datatype t;
    int size;
    OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, &t));
    CHECK(t == MPI_REAL4);
    OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &t));
    CHECK(t == MPI_INTEGER8);
    OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &t));
    OK(MPI_Type_size(t, &size));
    SAME(size, 16);
    CLASS(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &t), MPI_ERR_ARG);
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
    MPI_Datatype t;
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &t));
    CHECK(t == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &t));
    CHECK(t == MPI_2INT);
    OK(MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &t));
    CHECK(t == MPI_DATATYPE_NULL);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    names();
    by_size();
    by_kind();
    by_value();
    return t_end();
}
