/* What the binary interface leaves open: sizes of integers, what the program tells of its Fortran
 * compiler, and that logical reductions give the truth values that it told; and which hardware the
 * process is bound to. */
#define _GNU_SOURCE
#include <sched.h>

#include "t.h"

static int value_of(MPI_Info info, const char *key, char value[MPI_MAX_INFO_VAL])
{
    int length = MPI_MAX_INFO_VAL, flag = -1;
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    return flag;
}

static void is(MPI_Info info, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL];
    if (!value_of(info, key, value) || strcmp(value, want))
        FAIL("%s is not %s", key, want);
}

static void sizes(void)
{
    MPI_Info info;
    int keys;
    OK(MPI_Abi_get_info(&info));
    OK(MPI_Info_get_nkeys(info, &keys));
    SAME(keys, 3);
    is(info, "mpi_aint_size", "8");
    is(info, "mpi_count_size", "8");
    is(info, "mpi_offset_size", "8");
    OK(MPI_Info_free(&info));
}

static int tell(const char *key, const char *value)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    int rc = MPI_Abi_set_fortran_info(info);
    OK(MPI_Info_free(&info));
    return rc;
}

static void fortran_wrong(void)
{
    MPI_Info info;
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK(info == MPI_INFO_NULL);
    CLASS(tell("mpi_integer_size", "8"), MPI_ERR_ABI);
    CLASS(tell("mpi_real_size", "8"), MPI_ERR_ABI);
    CLASS(tell("mpi_double_precision_size", "16"), MPI_ERR_ABI);
    CLASS(tell("mpi_logical_size", "four"), MPI_ERR_INFO_VALUE);
    CLASS(tell("mpi_logical_size", "4 bytes"), MPI_ERR_INFO_VALUE);
    CLASS(tell("mpi_real2_supported", "perhaps"), MPI_ERR_INFO_VALUE);
    CLASS(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO);
    CLASS(MPI_Abi_get_fortran_info(NULL), MPI_ERR_ARG);
    CLASS(MPI_Abi_get_info(NULL), MPI_ERR_ARG);
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK(info == MPI_INFO_NULL);
}

static void fortran_info(void)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_logical_size", "4"));
    OK(MPI_Info_set(info, "mpi_integer_size", "4"));
    OK(MPI_Info_set(info, "mpi_double_precision_size", "8"));
    OK(MPI_Info_set(info, "mpi_real16_supported", "false"));
    OK(MPI_Abi_set_fortran_info(info));
    CLASS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);     /* the first one counts */
    OK(MPI_Info_set(info, "mpi_integer_size", "99"));       /* it was copied */
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_info(&info));
    is(info, "mpi_logical_size", "4");
    is(info, "mpi_integer_size", "4");
    is(info, "mpi_real16_supported", "false");
    OK(MPI_Info_free(&info));
}

static void reduce(MPI_Datatype type, int in, int inout, MPI_Op op, int want)
{
    OK(MPI_Reduce_local(&in, &inout, 1, type, op));
    SAME(inout, want);
}

/* With any two values; other sizes keep 1 and 0, and C's truth stays C's. */
static void booleans(void)
{
    int yes = -1, no = 7, got_yes = 0, got_no = 0, set = -1, t = yes, f = no;
    long long wide[2];
    OK(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &set));
    SAME(set, 0);
    reduce(MPI_LOGICAL, 1, 0, MPI_LOR, 1);
    CLASS(MPI_Abi_set_fortran_booleans(3, &yes, &no), MPI_ERR_ARG);
    CLASS(MPI_Abi_set_fortran_booleans(32, &yes, &no), MPI_ERR_ARG);
    CLASS(MPI_Abi_set_fortran_booleans(-4, &yes, &no), MPI_ERR_ARG);
    CLASS(MPI_Abi_set_fortran_booleans(4, NULL, &no), MPI_ERR_ARG);
    CLASS(MPI_Abi_set_fortran_booleans(4, &no, &no), MPI_ERR_ARG);
    OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
    CLASS(MPI_Abi_set_fortran_booleans(4, &no, &yes), MPI_ERR_ABI);
    OK(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &set));
    SAME(set, 1);
    SAME(got_yes, yes);
    SAME(got_no, no);
    OK(MPI_Abi_get_fortran_booleans(8, &wide[0], &wide[1], &set));
    SAME(set, 0);
    reduce(MPI_LOGICAL, t, f, MPI_LAND, f);
    reduce(MPI_LOGICAL, t, t, MPI_LAND, t);
    reduce(MPI_LOGICAL4, f, f, MPI_LOR, f);
    reduce(MPI_LOGICAL4, f, t, MPI_LOR, t);
    reduce(MPI_LOGICAL, t, t, MPI_LXOR, f);
    reduce(MPI_LOGICAL, t, f, MPI_LXOR, t);
    reduce(MPI_INT, 7, 0, MPI_LAND, 0);
    reduce(MPI_INT, 7, -1, MPI_LAND, 1);
    int mine = t_rank == 0 ? t : f, all = 0, any = 0;
    OK(MPI_Allreduce(&mine, &all, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD));
    OK(MPI_Allreduce(&mine, &any, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD));
    SAME(all, t_size == 1 ? t : f);
    SAME(any, t);
}

/* On one processor there is one of everything; each kind that is there before still is. */
static void hardware(void)
{
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    MPI_Info free_to_move, bound;
    cpu_set_t all, one;
    int keys, more, cpu = 0;
    CHECK(!sched_getaffinity(getpid(), sizeof all, &all));
    OK(MPI_Get_hw_resource_info(&free_to_move));
    is(free_to_move, "hwloc://Machine", "true");
    is(free_to_move, "hwloc://PU", CPU_COUNT(&all) == 1 ? "true" : "false");
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(!sched_setaffinity(getpid(), sizeof one, &one));
    OK(MPI_Get_hw_resource_info(&bound));
    OK(MPI_Info_get_nkeys(free_to_move, &keys));
    OK(MPI_Info_get_nkeys(bound, &more));
    SAME(more, keys);
    for (int i = 0; i < keys; i++) {
        OK(MPI_Info_get_nthkey(free_to_move, i, key));
        CHECK(!strncmp(key, "hwloc://", 8));
        CHECK(value_of(free_to_move, key, value));
        CHECK(!strcmp(value, "true") || !strcmp(value, "false"));
        is(bound, key, "true");
    }
    CHECK(!sched_setaffinity(getpid(), sizeof all, &all));
    OK(MPI_Info_free(&free_to_move));
    OK(MPI_Info_free(&bound));
    CLASS(MPI_Get_hw_resource_info(NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    sizes();            /* before MPI_Init too */
    t_start(&argc, &argv);
    t_errors_return();
    sizes();
    fortran_wrong();
    fortran_info();
    booleans();
    hardware();
    return t_end();
}
