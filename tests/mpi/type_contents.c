/* Envelopes and contents of every constructor; the types that come back are the program's. */
#include "t.h"

static void envelope(MPI_Datatype t, int combiner, int integers, int addresses, int types)
{
    int i, a, d, c;
    OK(MPI_Type_get_envelope(t, &i, &a, &d, &c));
    SAME(c, combiner);
    SAME(i, integers);
    SAME(a, addresses);
    SAME(d, types);
}

enum { MOST = 16 };
static int integer[MOST];
static MPI_Aint address[MOST];
static MPI_Datatype type[MOST];

/* Looks at the envelope and frees the type. */
static void contents(MPI_Datatype t, int combiner, int integers, int addresses, int types)
{
    envelope(t, combiner, integers, addresses, types);
    OK(MPI_Type_get_contents(t, MOST, MOST, MOST, integer, address, type));
    OK(MPI_Type_free(&t));
}

static void integers(int n, const int *want)
{
    for (int i = 0; i < n; i++)
        SAME(integer[i], want[i]);
}

#define INTEGERS(...) \
    integers(sizeof (int[]){ __VA_ARGS__ } / sizeof(int), (int[]){ __VA_ARGS__ })

static void vectors(void)
{
    MPI_Datatype t;
    OK(MPI_Type_dup(MPI_INT, &t));
    contents(t, MPI_COMBINER_DUP, 0, 0, 1);
    CHECK(type[0] == MPI_INT);
    OK(MPI_Type_contiguous(7, MPI_CHAR, &t));
    contents(t, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    INTEGERS(7);
    CHECK(type[0] == MPI_CHAR);
    OK(MPI_Type_vector(2, 3, 4, MPI_INT, &t));
    contents(t, MPI_COMBINER_VECTOR, 3, 0, 1);
    INTEGERS(2, 3, 4);
    OK(MPI_Type_create_hvector(2, 3, 44, MPI_INT, &t));
    contents(t, MPI_COMBINER_HVECTOR, 2, 1, 1);
    INTEGERS(2, 3);
    SAME(address[0], 44);
    OK(MPI_Type_create_resized(MPI_INT, -4, 12, &t));
    contents(t, MPI_COMBINER_RESIZED, 0, 2, 1);
    SAME(address[0], -4);
    SAME(address[1], 12);
}

static void lists(void)
{
    const int length[] = { 1, 2 }, at[] = { 4, 0 };
    const MPI_Aint byte[] = { 40, 8 };
    const MPI_Datatype member[] = { MPI_DOUBLE, MPI_CHAR };
    MPI_Datatype t;
    OK(MPI_Type_indexed(2, length, at, MPI_INT, &t));
    contents(t, MPI_COMBINER_INDEXED, 5, 0, 1);
    INTEGERS(2, 1, 2, 4, 0);
    OK(MPI_Type_create_hindexed(2, length, byte, MPI_INT, &t));
    contents(t, MPI_COMBINER_HINDEXED, 3, 2, 1);
    INTEGERS(2, 1, 2);
    SAME(address[0], 40);
    SAME(address[1], 8);
    OK(MPI_Type_create_indexed_block(2, 3, at, MPI_INT, &t));
    contents(t, MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1);
    INTEGERS(2, 3, 4, 0);
    OK(MPI_Type_create_hindexed_block(2, 3, byte, MPI_INT, &t));
    contents(t, MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1);
    INTEGERS(2, 3);
    SAME(address[0], 40);
    SAME(address[1], 8);
    OK(MPI_Type_create_struct(2, length, byte, member, &t));
    contents(t, MPI_COMBINER_STRUCT, 3, 2, 2);
    INTEGERS(2, 1, 2);
    CHECK(address[0] == 40 && address[1] == 8);
    CHECK(type[0] == MPI_DOUBLE && type[1] == MPI_CHAR);
}

static void arrays(void)
{
    const int size[] = { 8, 9 }, part[] = { 3, 4 }, start[] = { 5, 1 }, grid[] = { 2, 1 };
    const int how[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE };
    const int usual[] = { 3, MPI_DISTRIBUTE_DFLT_DARG };
    MPI_Datatype t;
    OK(MPI_Type_create_subarray(2, size, part, start, MPI_ORDER_FORTRAN, MPI_INT, &t));
    contents(t, MPI_COMBINER_SUBARRAY, 8, 0, 1);
    INTEGERS(2, 8, 9, 3, 4, 5, 1, MPI_ORDER_FORTRAN);
    OK(MPI_Type_create_darray(2, 1, 2, size, how, usual, grid, MPI_ORDER_C, MPI_INT, &t));
    contents(t, MPI_COMBINER_DARRAY, 12, 0, 1);
    INTEGERS(2, 1, 2, 8, 9, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, 3,
             MPI_DISTRIBUTE_DFLT_DARG, 2, 1, MPI_ORDER_C);
}

/* The inner type outlives its own handle, and the one from the contents is another. */
static void nested(void)
{
    MPI_Datatype inner, outer, again;
    int size;
    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &inner));
    OK(MPI_Type_contiguous(5, inner, &outer));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, integer, NULL, &inner));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, integer, NULL, &again));
    OK(MPI_Type_free(&outer));
    envelope(inner, MPI_COMBINER_VECTOR, 3, 0, 1);
    OK(MPI_Type_size(inner, &size));
    SAME(size, 8);
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_size(again, &size));
    OK(MPI_Type_free(&again));
}

/* One handle from the contents keeps what the program has freed before. */
static void kept(void)
{
    MPI_Datatype inner, outer, stale;
    int size;
    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &inner));
    OK(MPI_Type_contiguous(5, inner, &outer));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, integer, NULL, &inner));
    OK(MPI_Type_free(&outer));
    OK(MPI_Type_size(inner, &size));
    SAME(size, 8);
    stale = inner;
    OK(MPI_Type_free(&inner));
    CLASS(MPI_Type_size(stale, &size), MPI_ERR_TYPE);
}

static void large(void)
{
    const MPI_Count at[] = { 4, 0 }, size[] = { 8, 9 }, part[] = { 3, 4 }, start[] = { 5, 1 };
    const MPI_Datatype member[] = { MPI_DOUBLE, MPI_CHAR };
    MPI_Count i, a, l, d, count[MOST];
    MPI_Datatype t;
    int c;
    OK(MPI_Type_create_indexed_block_c(2, 3, at, MPI_INT, &t));
    CLASS(MPI_Type_get_envelope(t, &c, &c, &c, &c), MPI_ERR_TYPE);
    OK(MPI_Type_get_envelope_c(t, &i, &a, &l, &d, &c));
    CHECK(i == 0 && a == 0 && l == 4 && d == 1 && c == MPI_COMBINER_INDEXED_BLOCK);
    OK(MPI_Type_get_contents_c(t, 0, 0, 4, 1, NULL, NULL, count, type));
    CHECK(count[0] == 2 && count[1] == 3 && count[2] == 4 && count[3] == 0);
    CLASS(MPI_Type_get_contents(t, MOST, MOST, MOST, integer, address, type), MPI_ERR_TYPE);
    CLASS(MPI_Type_get_contents_c(t, 0, 0, 3, 1, NULL, NULL, count, type), MPI_ERR_ARG);
    CLASS(MPI_Type_get_contents_c(t, 0, 0, 4, 1, NULL, NULL, NULL, type), MPI_ERR_ARG);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_subarray_c(2, size, part, start, MPI_ORDER_C, MPI_INT, &t));
    OK(MPI_Type_get_envelope_c(t, &i, &a, &l, &d, &c));
    CHECK(i == 2 && a == 0 && l == 6 && d == 1);
    OK(MPI_Type_get_contents_c(t, 2, 0, 6, 1, integer, NULL, count, type));
    INTEGERS(2, MPI_ORDER_C);
    CHECK(count[0] == 8 && count[2] == 3 && count[5] == 1);
    OK(MPI_Type_free(&t));
    /* places in bytes stand behind the counts and lengths */
    OK(MPI_Type_create_hvector_c(2, 3, 44, MPI_INT, &t));
    OK(MPI_Type_get_contents_c(t, 0, 0, 3, 1, NULL, NULL, count, type));
    CHECK(count[0] == 2 && count[1] == 3 && count[2] == 44);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_struct_c(2, part, size, member, &t));
    OK(MPI_Type_get_envelope_c(t, &i, &a, &l, &d, &c));
    CHECK(i == 0 && a == 0 && l == 5 && d == 2 && c == MPI_COMBINER_STRUCT);
    OK(MPI_Type_get_contents_c(t, 0, 0, 5, 2, NULL, NULL, count, type));
    CHECK(count[0] == 2 && count[1] == 3 && count[2] == 4 && count[3] == 8 && count[4] == 9);
    CHECK(type[0] == MPI_DOUBLE && type[1] == MPI_CHAR);
    OK(MPI_Type_free(&t));
}

static void predefined(void)
{
    MPI_Datatype t;
    envelope(MPI_INT, MPI_COMBINER_NAMED, 0, 0, 0);
    envelope(MPI_FLOAT_INT, MPI_COMBINER_NAMED, 0, 0, 0);
    CLASS(MPI_Type_get_contents(MPI_INT, 1, 1, 1, integer, address, type), MPI_ERR_TYPE);
    OK(MPI_Type_contiguous(7, MPI_CHAR, &t));
    CLASS(MPI_Type_get_contents(t, 0, 0, 1, integer, address, type), MPI_ERR_ARG);
    CLASS(MPI_Type_get_contents(t, 1, 0, 0, integer, address, type), MPI_ERR_ARG);
    CLASS(MPI_Type_get_contents(t, 1, 0, 1, NULL, address, type), MPI_ERR_ARG);
    CLASS(MPI_Type_get_contents(t, 1, 0, 1, integer, address, NULL), MPI_ERR_ARG);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_resized(MPI_INT, -4, 12, &t));
    CLASS(MPI_Type_get_contents(t, 0, 1, 1, integer, address, type), MPI_ERR_ARG);
    CLASS(MPI_Type_get_contents(t, 0, 2, 1, integer, NULL, type), MPI_ERR_ARG);
    OK(MPI_Type_get_contents(t, 0, 2, 1, NULL, address, type));
    OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    vectors();
    lists();
    arrays();
    nested();
    kept();
    large();
    predefined();
    return t_end();
}
