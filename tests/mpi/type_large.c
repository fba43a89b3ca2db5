/* Types of more than 2 GiB, and counts that an int has no room for. */
#include "t.h"

static void sizes(void)
{
    MPI_Datatype gib, many, strided;
    MPI_Count size, lb, extent;
    MPI_Aint low, room;
    int small;
    OK(MPI_Type_contiguous(1 << 30, MPI_BYTE, &gib));
    OK(MPI_Type_contiguous(5, gib, &many));
    OK(MPI_Type_size(gib, &small));
    SAME(small, 1 << 30);
    OK(MPI_Type_size(many, &small));
    SAME(small, MPI_UNDEFINED);
    OK(MPI_Type_size_x(many, &size));
    SAME(size, 5LL << 30);
    OK(MPI_Type_size_c(many, &size));
    SAME(size, 5LL << 30);
    OK(MPI_Type_get_extent_c(many, &lb, &extent));
    CHECK(lb == 0 && extent == 5LL << 30);
    OK(MPI_Type_contiguous_c(3LL << 31, MPI_INT, &strided));
    OK(MPI_Type_get_true_extent_c(strided, &lb, &extent));
    CHECK(lb == 0 && extent == 3LL << 33);
    OK(MPI_Type_get_true_extent_x(strided, &lb, &extent));
    OK(MPI_Type_get_extent(strided, &low, &room));
    SAME(room, 3LL << 33);
    OK(MPI_Pack_size(1, many, MPI_COMM_SELF, &small));
    SAME(small, MPI_UNDEFINED);
    OK(MPI_Pack_size_c(3, many, MPI_COMM_SELF, &size));
    SAME(size, 15LL << 30);
    OK(MPI_Type_free(&gib));
    OK(MPI_Type_free(&many));
    OK(MPI_Type_free(&strided));
}

/* A status may speak of more elements than an int. */
static void counts(void)
{
    MPI_Status status;
    MPI_Datatype wide;
    MPI_Count elements;
    int count;
    OK(MPI_Type_contiguous_c(3LL << 30, MPI_BYTE, &wide));
    memset(&status, 0, sizeof status);
    OK(MPI_Status_set_elements(&status, wide, 0));
    OK(MPI_Get_count(&status, wide, &count));
    SAME(count, 0);
    OK(MPI_Status_set_elements(&status, MPI_DOUBLE, 3 << 27));
    OK(MPI_Get_elements(&status, wide, &count));
    SAME(count, MPI_UNDEFINED);
    OK(MPI_Get_elements_x(&status, wide, &elements));
    SAME(elements, 3LL << 30);
    OK(MPI_Get_count(&status, wide, &count));
    SAME(count, 1);
    OK(MPI_Type_free(&wide));
}

/* Two bytes 3 GiB apart are no reason to touch what is between: each in memory of its own. */
static void far_apart(void)
{
    MPI_Aint at[2];
    const int length[] = { 1, 1 };
    char *one = t_alloc(1), *other = t_alloc(1), packed[2];
    MPI_Datatype t;
    int position = 0;
    *one = 'x';
    *other = 'y';
    OK(MPI_Get_address(one, &at[0]));
    OK(MPI_Get_address(other, &at[1]));
    OK(MPI_Type_create_hindexed(2, length, at, MPI_CHAR, &t));
    OK(MPI_Type_commit(&t));
    OK(MPI_Pack(MPI_BOTTOM, 1, t, packed, 2, &position, MPI_COMM_SELF));
    CHECK(packed[0] == 'x' && packed[1] == 'y');
    OK(MPI_Type_free(&t));
    free(one);
    free(other);
}

/* Beyond all addresses. */
static void too_large(void)
{
    MPI_Datatype t, u;
    OK(MPI_Type_contiguous_c(1LL << 59, MPI_INT, &t));
    CLASS(MPI_Type_contiguous(1 << 20, t, &u), MPI_ERR_NO_MEM);
    CHECK(u == MPI_DATATYPE_NULL);
    OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    sizes();
    counts();
    far_apart();
    too_large();
    return t_end();
}
