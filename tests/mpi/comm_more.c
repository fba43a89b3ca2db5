/* Duplicates that are made while the call goes on, communicators made by the ranks of a group
 * alone, splits by hardware, hints; and what is wrong with their arguments. */
#define _GNU_SOURCE
#include "t.h"
#include <sched.h>

/* -- idup */

static void check_ring(MPI_Comm comm)
{
    int rank, size, in = -1;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT,
                    (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE));
    SAME(in, (rank + size - 1) % size);
}

/* The call does not wait: rank 0 sends what the others wait for before they call it, too. */
static void check_idup_returns(void)
{
    MPI_Comm dup;
    MPI_Request request;
    MPI_Status status;
    int in = -1, result;
    if (t_rank)
        OK(MPI_Recv(&in, 1, MPI_INT, t_rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request));
    if (t_rank + 1 < t_size)
        OK(MPI_Send(&t_rank, 1, MPI_INT, t_rank + 1, 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &in));      /* it is empty: this was no message */
    SAME(in, 0);
    SAME(status.MPI_SOURCE, MPI_ANY_SOURCE);
    SAME(status.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    SAME(result, MPI_CONGRUENT);
    check_ring(dup);
    OK(MPI_Comm_free(&dup));
}

/* Rank 0 tries to free a duplicate that cannot be there yet: the others wait for its message. */
static void check_idup_freed(void)
{
    MPI_Comm dup = MPI_COMM_NULL, copy;
    MPI_Request request;
    char word = 0;
    if (t_rank)
        OK(MPI_Recv(&word, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request));
    copy = dup;
    if (!t_rank && t_size > 1)
        CLASS(MPI_Comm_free(&copy), MPI_ERR_COMM);
    for (int i = 1; !t_rank && i < t_size; i++)
        OK(MPI_Send(&word, 1, MPI_CHAR, i, 9, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(dup));
    OK(MPI_Comm_free(&dup));
}

/* Many at once, of the same and of others, waited for in another order, with blocking calls that
 * agree in between. */
static void check_idup_many(void)
{
    enum { MANY = 12 };
    MPI_Comm odd, dup[MANY], more[3];
    MPI_Request request[MANY];
    int done = 0;
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &odd));
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Comm_idup(i % 3 ? MPI_COMM_WORLD : odd, &dup[i], &request[i]));
        if (i % 5 == 4)
            OK(MPI_Comm_dup(i % 2 ? odd : MPI_COMM_WORLD, &more[i / 5]));
    }
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -t_rank, &more[2]));
    for (int i = MANY - 1; i >= MANY / 2; i--)
        OK(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
    while (!done)
        OK(MPI_Testall(MANY, request, &done, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MANY; i++)
        check_ring(dup[i]);
    for (int i = 0; i < MANY; i++)
        OK(MPI_Comm_free(&dup[i]));
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_free(&more[i]));
    OK(MPI_Comm_free(&odd));
}

/* One rank waits for the duplicate before it calls what the others are in: they take it along. */
static void check_idup_blocked(void)
{
    MPI_Comm dup, other;
    MPI_Request request;
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request));
    if (t_rank == t_size - 1)
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_ring(dup);
    check_ring(other);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&other));
}

static int copies;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

/* What is copied is what was there when the call was made. */
static void check_idup_copies(void)
{
    MPI_Comm comm, dup;
    MPI_Request request;
    int key, flag;
    void *value;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, &copies));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_idup(comm, &dup, &request));
    SAME(copies, 1);
    OK(MPI_Comm_set_attr(comm, key, &key));
    OK(MPI_Comm_free(&comm));           /* the request holds it */
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_get_attr(dup, key, &value, &flag));
    CHECK(flag && value == &copies);
    CLASS(MPI_Send(&flag, 1, MPI_INT, t_size, 0, dup), MPI_ERR_RANK);
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_free(&dup));
}

/* -- hints */

static void check_hint(MPI_Comm comm, const char *key, const char *want)
{
    MPI_Info info;
    char value[16];
    int length = sizeof value, flag;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    SAME(flag, want != NULL);
    if (want && strcmp(value, want))
        FAIL("%s is %s, should be %s", key, value, want);
    OK(MPI_Info_free(&info));
}

static void check_hints(void)
{
    MPI_Info info;
    MPI_Comm one, two, three;
    MPI_Request request;
    const char *any_tag = "mpi_assert_no_any_tag", *exact = "mpi_assert_exact_length";
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, any_tag, "true"));
    OK(MPI_Info_set(info, "nobody_knows_this", "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &one));
    check_hint(one, any_tag, "true");
    check_hint(one, exact, "false");
    check_hint(one, "nobody_knows_this", NULL);
    check_hint(MPI_COMM_WORLD, any_tag, "false");
    OK(MPI_Comm_dup(one, &two));        /* hints do not go along */
    check_hint(two, any_tag, "false");
    OK(MPI_Info_set(info, any_tag, "maybe"));
    OK(MPI_Info_set(info, exact, "true"));
    OK(MPI_Comm_set_info(one, info));
    check_hint(one, any_tag, "true");
    check_hint(one, exact, "true");
    OK(MPI_Comm_idup_with_info(one, info, &three, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_hint(three, exact, "true");
    check_hint(three, any_tag, "false");
    check_ring(three);
    OK(MPI_Comm_set_info(one, MPI_INFO_NULL));
    check_hint(one, exact, "true");
    OK(MPI_Info_set(info, exact, "false"));
    OK(MPI_Comm_set_info(one, info));
    check_hint(one, exact, "false");
    check_hint(one, any_tag, "true");
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&one));
    OK(MPI_Comm_free(&two));
    OK(MPI_Comm_free(&three));
}

/* -- by the ranks of a group alone */

static void check_create_group(void)
{
    MPI_Group world, low;
    MPI_Comm comm, again, none;
    int range[1][3] = { { 0, t_size / 2, 1 } }, rank, size;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &low));
    if (t_rank <= t_size / 2) {         /* the others do not call */
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, low, 5, &comm));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, low, 5, &again));
        OK(MPI_Comm_rank(comm, &rank));
        SAME(rank, t_rank);
        OK(MPI_Comm_size(comm, &size));
        SAME(size, t_size / 2 + 1);
        check_ring(again);
        check_ring(comm);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_free(&again));
    } else {
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 5, &none));
        CHECK(none == MPI_COMM_NULL);
    }
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, world, 2147483647, &comm));
    check_ring(comm);
    if (t_size > 1) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
        CLASS(MPI_Comm_create_group(MPI_COMM_SELF, world, 5, &none), MPI_ERR_GROUP);
    }
    CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, world, -1, &none), MPI_ERR_TAG);
    CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_NULL, 1, &none), MPI_ERR_GROUP);
    CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, world, 1, NULL), MPI_ERR_ARG);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&low));
    OK(MPI_Group_free(&world));
}

/* Its messages are not the program's, whatever the tag: a receive of any waits for another one. */
static void check_apart(void)
{
    MPI_Group world;
    MPI_Comm comm;
    MPI_Request request;
    int in = -1;
    MPI_Status status;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, world, 9, &comm));
    OK(MPI_Send(&t_rank, 1, MPI_INT, (t_rank + 1) % t_size, 9, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    SAME(in, (t_rank + t_size - 1) % t_size);
    SAME(status.MPI_TAG, 9);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&world));
}

/* -- by hardware */

/* size 0: there is no such set. */
static void split_by_pset(MPI_Info info, const char *name, int size)
{
    MPI_Comm comm;
    int got = 0;
    OK(MPI_Info_set(info, "mpi_pset_name", name));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_size(comm, &got));
        OK(MPI_Comm_free(&comm));
    }
    SAME(got, size);
}

/* How many ranks are on the hardware thread of this one, by a name of the kind; 0: it has none. */
static int on_thread(const char *name)
{
    MPI_Info info;
    MPI_Comm comm;
    int size = 0;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", name));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    OK(MPI_Info_free(&info));
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_size(comm, &size));
        OK(MPI_Comm_free(&comm));
    }
    return size;
}

/* Who may run on several hardware threads is on none of them. */
static void check_threads_of_hardware(void)
{
    cpu_set_t before, one;
    int cpu = 0;
    if (sched_getaffinity(0, sizeof before, &before) || t_apart())
        return;
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    int all = on_thread("hwloc://PU"), several = CPU_COUNT(&before) > 1;
    CHECK(several ? all == 0 : all > 0);
    CHECK(!sched_setaffinity(0, sizeof one, &one));
    all = on_thread("hwloc://PU");
    CHECK(all > 0);
    SAME(on_thread("pu"), all);
    SAME(on_thread("HWLOC://pu"), all);
    SAME(on_thread("hwloc:/PU"), 0);
    CHECK(!sched_setaffinity(0, sizeof before, &before));
}

static void check_split_type(void)
{
    MPI_Comm comm, part;
    MPI_Info info;
    int size, result, all, flag, length;
    char kind[MPI_MAX_INFO_VAL];
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -t_rank, MPI_INFO_NULL, &comm));
    OK(MPI_Comm_size(comm, &size));
    SAME(size, t_near());
    OK(MPI_Comm_compare(MPI_COMM_WORLD, comm, &result));    /* one machine */
    SAME(result, t_size == 1 ? MPI_CONGRUENT : t_apart() ? MPI_UNEQUAL : MPI_SIMILAR);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, t_rank ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                           MPI_INFO_NULL, &comm));
    if (t_rank == 0) {
        OK(MPI_Comm_size(comm, &size));
        SAME(size, 1);
        OK(MPI_Comm_free(&comm));
    }
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_create(&info));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);                           /* guided by nothing */
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "no such thing"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    OK(MPI_Comm_size(comm, &size));
    SAME(size, t_near());
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Machine"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    OK(MPI_Comm_size(comm, &size));
    SAME(size, t_near());
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_delete(info, "mpi_hw_resource_type"));
    split_by_pset(info, "mpi://NOWHERE", 0);
    split_by_pset(info, "mpi://SELF", 1);
    split_by_pset(info, "mpi://WORLD", t_size);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);                           /* a set of processes is no hardware */
    /* down the machine, as long as it goes: each time fewer ranks, of one kind of hardware */
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    while (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_size(comm, &all));
        OK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part));
        OK(MPI_Comm_free(&comm));
        comm = part;
        if (comm == MPI_COMM_NULL)
            break;
        OK(MPI_Comm_size(comm, &size));
        CHECK(size < all);
        length = sizeof kind;
        OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &length, kind, &flag));
        SAME(flag, 1);
        check_ring(comm);
    }
    OK(MPI_Info_free(&info));
    CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);
    if (t_size > 2)             /* one that is in none between those that differ */
        CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, t_rank == 1 ? MPI_UNDEFINED
                                  : t_rank ? MPI_COMM_TYPE_SHARED : MPI_COMM_TYPE_HW_UNGUIDED, 0,
                                  MPI_INFO_NULL, &comm), MPI_ERR_ARG);
    if (t_size > 1)
        CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, t_rank ? MPI_COMM_TYPE_SHARED
                                  : MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm),
              MPI_ERR_ARG);
}

static void check_errors(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Info bad = (MPI_Info)(uintptr_t)0x7654321;
    CLASS(MPI_Comm_idup(MPI_COMM_NULL, &comm, &request), MPI_ERR_COMM);
    CLASS(MPI_Comm_idup(MPI_COMM_WORLD, NULL, &request), MPI_ERR_ARG);
    CLASS(MPI_Comm_idup(MPI_COMM_WORLD, &comm, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_idup_with_info(MPI_COMM_WORLD, bad, &comm, &request), MPI_ERR_INFO);
    CLASS(MPI_Comm_dup_with_info(MPI_COMM_WORLD, bad, &comm), MPI_ERR_INFO);
    CLASS(MPI_Comm_set_info(MPI_COMM_WORLD, bad), MPI_ERR_INFO);
    CLASS(MPI_Comm_get_info(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    check_idup_returns();
    check_idup_freed();
    check_idup_many();
    check_idup_blocked();
    check_idup_copies();
    check_hints();
    check_create_group();
    check_apart();
    check_split_type();
    check_threads_of_hardware();
    check_errors();
    return t_end();
}
