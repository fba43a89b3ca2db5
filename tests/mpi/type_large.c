/* Types of more than 2 GiB, and counts that an int has no room for. */
#include <limits.h>

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
    OK(MPI_Type_contiguous(INT_MAX, MPI_BYTE, &gib));       /* just fits */
    OK(MPI_Type_size(gib, &small));
    SAME(small, INT_MAX);
    OK(MPI_Pack_size(1, gib, MPI_COMM_SELF, &small));
    SAME(small, INT_MAX);
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
static void far_apart(char *one, char *other)
{
    MPI_Aint at[2];
    const int length[] = { 1, 1 };
    char packed[2];
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
}

static void anywhere(void)
{
    char here, *one = t_alloc(1), *other = t_alloc(1);
    far_apart(one, other);
    far_apart(one, &here);
    far_apart(&here, one);
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

/* Places and strides as far away as numbers go: no type, and no overflow. */
static void ends_of_numbers(void)
{
    const int one[] = { 1, 1 };
    const MPI_Count one_c[] = { 1, 1 };
    const MPI_Aint ends[] = { PTRDIFF_MAX, PTRDIFF_MIN };
    const MPI_Count ends_c[] = { PTRDIFF_MAX, PTRDIFF_MIN };
    const MPI_Count square[] = { (MPI_Count)1 << 32, (MPI_Count)1 << 32 }, none_c[] = { 0, 0 };
    const MPI_Count far = (MPI_Count)1 << 62;   /* times an int's bytes: 2^64, or 0 */
    const MPI_Datatype ints[] = { MPI_INT, MPI_INT };
    MPI_Datatype t, far_off;
    CLASS(MPI_Type_create_hindexed(2, one, ends, MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_hindexed(1, one, &ends[1], MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_hindexed_block(2, 1, ends, MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_struct(2, one, ends, ints, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_indexed_c(2, one_c, ends_c, MPI_CHAR, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_indexed_c(1, one_c, &far, MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_vector_c(2, 1, far, MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_subarray_c(2, square, one_c, none_c, MPI_ORDER_C, MPI_INT, &t),
          MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_hvector(3, 1, PTRDIFF_MAX, MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_hvector(2, 1, PTRDIFF_MIN, MPI_INT, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_resized(MPI_INT, PTRDIFF_MAX, PTRDIFF_MAX, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_resized(MPI_INT, PTRDIFF_MIN, -1, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_create_resized(MPI_INT, 0, PTRDIFF_MAX, &t), MPI_ERR_NO_MEM);
    OK(MPI_Type_create_hvector(1, 1, PTRDIFF_MAX, MPI_INT, &t));    /* a stride without use */
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_resized(MPI_INT, -(PTRDIFF_MAX / 2), PTRDIFF_MAX / 2, &far_off));
    CLASS(MPI_Type_create_hindexed(1, one, (MPI_Aint[]){ -1 }, far_off, &t), MPI_ERR_NO_MEM);
    CLASS(MPI_Type_contiguous(3, far_off, &t), MPI_ERR_NO_MEM);
    OK(MPI_Type_free(&far_off));
    /* bounds, place and length are each near enough, but not together: up, and down */
    const MPI_Aint near = PTRDIFF_MAX / 2;
    for (int down = 0; down < 2; down++) {
        const MPI_Count length = near / 8 - 1, at = down ? -near : near;
        OK(MPI_Type_create_resized_c(MPI_INT, down ? 8 - near : near - 8, down ? -8 : 8, &far_off));
        CLASS(MPI_Type_create_hindexed_c(1, &length, &at, far_off, &t), MPI_ERR_NO_MEM);
        OK(MPI_Type_free(&far_off));
    }
    OK(MPI_Type_create_hindexed_block(1, 1, (MPI_Aint[]){ PTRDIFF_MAX / 2 - 8 }, MPI_INT, &t));
    CLASS(MPI_Type_contiguous_c(PTRDIFF_MAX, t, &far_off), MPI_ERR_NO_MEM);
    OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    sizes();
    counts();
    anywhere();
    ends_of_numbers();
    too_large();
    return t_end();
}
