/* accesses WHICH [right|threads]: one-sided calls of one epoch that have the same bytes, or whose
 * buffers are not left alone until they are complete; with "right" the same without the mistake,
 * with "threads" at a level at which nothing is followed.  "fine" is what looks like a mistake and
 * is none. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 64 };
static int rank, size;
static bool right;
static int *mine;               /* of the window */
static MPI_Win win;

static void put(const int *value, int target, int at)
{
    MPI_Put(value, 1, MPI_INT, target, at, 1, MPI_INT, win);
}

static void get(int *value, int target, int at)
{
    MPI_Get(value, 1, MPI_INT, target, at, 1, MPI_INT, win);
}

static void fence(void) { MPI_Win_fence(0, win); }

/* -- of several ranks */

static void across(void)
{
    int value = 100 + rank;
    fence();
    put(&value, 1, right ? rank : 3);
    fence();
}

static void read_across(void)
{
    int value = rank;
    fence();
    if (rank == 2)
        get(&value, 0, 7);
    if (right)
        fence();
    if (rank == 1)
        put(&value, 0, 7);
    fence();
}

static void combined_across(void)
{
    int one = 1;
    fence();
    if (rank)
        MPI_Accumulate(&one, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, win);
    if (right)
        fence();
    if (!rank)
        put(&one, 0, 5);
    fence();
}

static void same_across(void)
{
    const int one = 1;
    fence();
    if (!right || !rank)
        put(&one, 2, 9);
    fence();
}

/* A column of each rank, of a matrix of four. */
static void columns(void)
{
    int column[8] = { rank };
    MPI_Datatype type;
    MPI_Type_vector(8, 1, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    fence();
    MPI_Put(column, 8, MPI_INT, 0, right ? rank : rank / 2, 1, type, win);
    fence();
    MPI_Type_free(&type);
}

/* -- of one rank */

static void twice(void)
{
    int values[2] = { 1, 2 };
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    put(&values[0], rank, 4);
    if (right)
        MPI_Win_flush(rank, win);
    put(&values[1], rank, 4);
    MPI_Win_unlock(rank, win);
}

static void put_and_get(void)
{
    int value = 1, before;
    MPI_Win_lock_all(0, win);
    put(&value, rank, 4);
    if (right)
        MPI_Win_flush_all(win);
    get(&before, rank, 4);
    MPI_Win_unlock_all(win);
}

static void with_request(void)
{
    int values[2] = { 1, 2 };
    MPI_Request request;
    MPI_Win_lock_all(0, win);
    MPI_Rput(&values[0], 1, MPI_INT, rank, 4, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right)
        MPI_Win_flush(rank, win);
    put(&values[1], rank, 4);
    MPI_Win_unlock_all(win);
}

/* -- their buffers */

static void written(void)
{
    int value = 1;
    MPI_Win_lock_all(0, win);
    put(&value, rank, 4);
    if (right)
        MPI_Win_flush_local_all(win);
    value = 2;
    MPI_Win_unlock_all(win);
}

static void freed(void)
{
    size_t bytes = 8 << 20;
    int *values = calloc(bytes, 1);
    MPI_Win big;
    void *base;
    MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &big);
    MPI_Win_fence(0, big);
    MPI_Put(values, (int)bytes, MPI_BYTE, rank, 0, (int)bytes, MPI_BYTE, big);
    if (!right)
        free(values);
    MPI_Win_fence(0, big);
    if (right)
        free(values);
    MPI_Win_free(&big);
}

static void used_early(void)
{
    int value = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    get(&value, rank, 4);
    if (right)
        MPI_Win_flush_local(rank, win);
    put(&value, rank, 6);
    MPI_Win_unlock(rank, win);
}

static void got_twice(void)
{
    int values[2];
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    get(&values[0], rank, 4);
    get(&values[right], rank, 5);
    MPI_Win_unlock(rank, win);
}

/* -- no mistakes */

static void atomics(void)
{
    int one = 1, zero = 0, old, ignored;
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 3; i++) {
        MPI_Fetch_and_op(&one, &ignored, MPI_INT, 0, 11, MPI_SUM, win);
        MPI_Fetch_and_op(NULL, &ignored, MPI_INT, 0, 11, MPI_NO_OP, win);
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 11, win);
        MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, 11, 1, MPI_INT, MPI_NO_OP, win);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 11, 1, MPI_INT, MPI_REPLACE, win);
    }
    MPI_Win_unlock_all(win);
}

static void in_turns(void)
{
    MPI_Request request;
    int value = rank, got;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Rget(&got, 1, MPI_INT, 0, 12, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    got += value;
    put(&got, 0, 12);
    MPI_Win_flush(0, win);
    get(&got, 0, 12);
    MPI_Win_flush_local(0, win);
    put(&got, 0, 12);
    MPI_Win_unlock(0, win);
}

static void to_neighbour(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size, value = rank;
    MPI_Group all, to, from;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &before, &from);
    for (int i = 0; i < 2; i++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        put(&value, next, 13);
        MPI_Win_complete(win);
        value++;
        MPI_Win_wait(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

/* Displacements in units of the target's. */
static void units(void)
{
    int part[8] = { 0 }, value = rank;
    MPI_Win other;
    MPI_Win_create(part, sizeof part, rank ? 4 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_fence(0, other);
    MPI_Put(&value, 1, MPI_INT, 0, 4 * rank, 1, MPI_INT, other);
    MPI_Put(&value, 1, MPI_INT, 1, rank, 1, MPI_INT, other);
    MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, other);
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
}

static int copies;

static int copied(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)to = from;
    *flag = 1;
    return copies++ ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* A window's communicator may have attributes, which the checks do not copy. */
static void attributes(void)
{
    MPI_Comm comm;
    MPI_Win other;
    int key, part = 0;
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, &part);
    MPI_Win_create(&part, sizeof part, 4, MPI_INFO_NULL, comm, &other);
    if (copies)
        MPI_Abort(comm, 9);
    MPI_Win_fence(0, other);
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

/* One whose epoch is open is not freed, and goes on. */
static void not_freed(void)
{
    MPI_Win other = win;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    if (!MPI_Win_free(&other))
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Win_unlock_all(win);
    fence();
    fence();
}

static void fine(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    atomics();
    MPI_Barrier(MPI_COMM_WORLD);
    in_turns();
    MPI_Barrier(MPI_COMM_WORLD);
    to_neighbour();
    units();
    attributes();
    not_freed();
}

#define ACCESS(name) { #name, name }
static const struct { const char *name; void (*make)(void); } accesses[] = {
    ACCESS(across), ACCESS(read_across), ACCESS(combined_across), ACCESS(same_across),
    ACCESS(columns), ACCESS(twice), ACCESS(put_and_get), ACCESS(with_request), ACCESS(written),
    ACCESS(freed), ACCESS(used_early), ACCESS(got_twice), ACCESS(fine),
};

int main(int argc, char **argv)
{
    const bool threads = argc > 2 && !strcmp(argv[2], "threads");
    int level;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = argc > 2 && !threads;
    MPI_Win_allocate(CELLS * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                     &win);
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (argc > 1 && !strcmp(argv[1], accesses[i].name))
            accesses[i].make();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
