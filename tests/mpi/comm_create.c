/* Communicators from groups, comparison of communicators, their names. */
#include "t.h"

static void check_create(void)
{
    MPI_Group world, some;
    MPI_Comm comm;
    int range[1][3] = {{t_size - 1, 0, -2}}, rank, size;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &some));
    OK(MPI_Group_rank(some, &rank));
    OK(MPI_Comm_create(MPI_COMM_WORLD, some, &comm));
    if (rank == MPI_UNDEFINED) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        int got, sum = 0, one = 1;

        OK(MPI_Comm_rank(comm, &got));
        OK(MPI_Comm_size(comm, &size));
        SAME(got, rank);
        SAME(got, (t_size - 1 - t_rank) / 2);
        SAME(size, (t_size + 1) / 2);
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
        SAME(sum, size);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&some));
    CHECK(world == MPI_GROUP_NULL);
}

static void check_compare(void)
{
    MPI_Comm dup, back;
    int result;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -t_rank, &back));
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
    SAME(result, MPI_IDENT);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    SAME(result, MPI_CONGRUENT);
    OK(MPI_Comm_compare(dup, back, &result));
    SAME(result, t_size == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result));
    SAME(result, t_size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&back));
}

static void check_name(MPI_Comm comm, const char *want)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;

    OK(MPI_Comm_get_name(comm, name, &length));
    SAME(length, strlen(want));
    CHECK(strcmp(name, want) == 0);
}

static void check_names(void)
{
    MPI_Comm dup;

    check_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    check_name(MPI_COMM_SELF, "MPI_COMM_SELF");
    check_name(MPI_COMM_NULL, "MPI_COMM_NULL");
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_set_name(dup, "the second world"));
    check_name(dup, "the second world");
    OK(MPI_Comm_set_name(dup, ""));
    check_name(dup, "");
    check_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    OK(MPI_Comm_free(&dup));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    check_create();
    check_compare();
    check_names();
    return t_end();
}
