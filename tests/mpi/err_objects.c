/* Wrong handles and arguments of calls about communicators, groups, types and operations. */
#include "t.h"

static void communicators(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int value;

    CLASS(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CLASS(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CLASS(MPI_Comm_dup(MPI_COMM_NULL, &comm), MPI_ERR_COMM);
    CLASS(MPI_Comm_free(&comm), MPI_ERR_COMM);
    comm = MPI_COMM_WORLD;
    CLASS(MPI_Comm_free(&comm), MPI_ERR_COMM);
    CLASS(MPI_Comm_split(MPI_COMM_WORLD, -1, 0, &comm), MPI_ERR_ARG);
}

static void groups(void)
{
    int wrong[2] = {0, t_size}, twice[2] = {0, 0}, value;
    MPI_Group world, group;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CLASS(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
    CLASS(MPI_Group_incl(world, 2, wrong, &group), MPI_ERR_RANK);
    if (t_size > 1)
        CLASS(MPI_Group_incl(world, 2, twice, &group), MPI_ERR_RANK);
    CLASS(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &(MPI_Comm){MPI_COMM_NULL}),
          MPI_ERR_GROUP);
    OK(MPI_Group_free(&world));
}

static void types_and_ops(void)
{
    MPI_Op op = MPI_SUM;
    int value;

    CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &value), MPI_ERR_TYPE);
    CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CLASS(MPI_Reduce_local(&value, &(int){0}, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    communicators();
    groups();
    types_and_ops();
    return t_end();
}
