/* accesses WHICH [right|threads|multiple]: one-sided calls of one epoch that have the same bytes,
 * or whose buffers are not left alone until they are complete; with "right" the same without the
 * mistake, with "threads" when two threads have called, and nothing is followed, with "multiple" as
 * if they might.  "fine" is what looks like a mistake and is none. */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 64 };
static int rank, size;
static bool right;
static int *mine;               /* of the window */
static MPI_Win win;
static const int data[] = { 5, 6 };

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

/* Two cells each, of which one is that of another rank, too: all put the same, but elsewhere. */
static void in_part(void)
{
    const int values[] = { 1, 2 };
    fence();
    MPI_Put(values, 2, MPI_INT, 1, right ? 20 + 2 * rank : 20 + rank, 2, MPI_INT, win);
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

/* Behind more that are complete than may be open at once. */
static void twice_late(void)
{
    const int values[] = { 1, 2 };
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < 40000; i++) {
        put(&values[0], rank, 5);
        MPI_Win_flush(rank, win);
    }
    put(&values[0], rank, 4);
    if (right)
        MPI_Win_flush(rank, win);
    put(&values[1], rank, 4);
    MPI_Win_unlock(rank, win);
}

static void twice_in_part(void)
{
    const int values[] = { 1, 2, 3, 4 };
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Put(values, 2, MPI_INT, rank, 5, 2, MPI_INT, win);
    MPI_Put(values + 2, 2, MPI_INT, rank, right ? 7 : 4, 2, MPI_INT, win);
    MPI_Win_unlock(rank, win);
}

/* The same again. */
static void twice_alike(void)
{
    const int value = 1;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    put(&value, rank, 4);
    if (right)
        MPI_Win_flush(rank, win);
    put(&value, rank, 4);
    MPI_Win_unlock(rank, win);
}

/* What completes others, or these only here, does not complete them there. */
static void flushed_others(void)
{
    const int values[] = { 1, 2 };
    MPI_Win_lock_all(0, win);
    put(&values[0], rank, 4);
    MPI_Win_flush(right ? rank : (rank + 1) % size, win);
    put(&values[1], rank, 4);
    MPI_Win_unlock_all(win);
}

static void unlocked_others(void)
{
    const int values[] = { 1, 2 }, next = (rank + 1) % size;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    put(&values[0], rank, 4);
    if (right)
        MPI_Win_flush(rank, win);
    MPI_Win_unlock(next, win);
    put(&values[1], rank, 4);
    MPI_Win_unlock(rank, win);
}

static void flushed_here(void)
{
    const int values[] = { 1, 2 };
    MPI_Win_lock_all(0, win);
    put(&values[0], rank, 4);
    (right ? MPI_Win_flush : MPI_Win_flush_local)(rank, win);
    put(&values[1], rank, 4);
    MPI_Win_unlock_all(win);
}

static void flushed_all_here(void)
{
    const int values[] = { 1, 2 };
    MPI_Win_lock_all(0, win);
    put(&values[0], rank, 4);
    (right ? MPI_Win_flush_all : MPI_Win_flush_local_all)(win);
    put(&values[1], rank, 4);
    MPI_Win_unlock_all(win);
}

/* Behind a put to the same cell, each in a cell of its own; large: by the calls with large
 * counts. */
static void accesses_behind_put(bool large)
{
    const int one = 1;
    int old[5];
    MPI_Request r[3];
    MPI_Win_lock_all(0, win);
    for (int i = 30; i < 39; i++)
        put(&one, rank, i);
    if (right)
        MPI_Win_flush_all(win);
    if (large) {
        MPI_Accumulate_c(&one, 1, MPI_INT, rank, 30, 1, MPI_INT, MPI_SUM, win);
        MPI_Get_accumulate_c(&one, 1, MPI_INT, &old[0], 1, MPI_INT, rank, 31, 1, MPI_INT, MPI_SUM,
                             win);
        MPI_Raccumulate_c(&one, 1, MPI_INT, rank, 32, 1, MPI_INT, MPI_SUM, win, &r[0]);
        MPI_Put_c(&data[1], 1, MPI_INT, rank, 33, 1, MPI_INT, win);
        MPI_Get_c(&old[1], 1, MPI_INT, rank, 34, 1, MPI_INT, win);
        MPI_Rput_c(&data[1], 1, MPI_INT, rank, 35, 1, MPI_INT, win, &r[1]);
    } else {
        MPI_Accumulate(&one, 1, MPI_INT, rank, 30, 1, MPI_INT, MPI_SUM, win);
        MPI_Get_accumulate(&one, 1, MPI_INT, &old[0], 1, MPI_INT, rank, 31, 1, MPI_INT, MPI_SUM,
                           win);
        MPI_Raccumulate(&one, 1, MPI_INT, rank, 32, 1, MPI_INT, MPI_SUM, win, &r[0]);
        put(&data[1], rank, 33);
        get(&old[1], rank, 34);
        MPI_Rput(&data[1], 1, MPI_INT, rank, 35, 1, MPI_INT, win, &r[1]);
        MPI_Fetch_and_op(&one, &old[2], MPI_INT, rank, 36, MPI_SUM, win);
        MPI_Compare_and_swap(&one, &data[1], &old[3], MPI_INT, rank, 37, win);
        MPI_Fetch_and_op(NULL, &old[4], MPI_INT, rank, 38, MPI_NO_OP, win);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
}

static void behind_put(void) { accesses_behind_put(false); }
static void behind_put_c(void) { accesses_behind_put(true); }

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

/* Of each call that reads one. */
static void all_written(void)
{
    int from[4] = { 1, 2, 3, 4 }, old[4], zero = 0;
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(&from[0], 1, MPI_INT, rank, 40, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(&from[1], 1, MPI_INT, &old[0], 1, MPI_INT, rank, 41, 1, MPI_INT, MPI_SUM,
                       win);
    MPI_Fetch_and_op(&from[2], &old[1], MPI_INT, rank, 42, MPI_SUM, win);
    MPI_Compare_and_swap(&from[3], &zero, &old[2], MPI_INT, rank, 43, win);
    if (!right)
        memset(from, 0, sizeof from);
    MPI_Win_unlock_all(win);
}

/* Results that are read before they are there. */
static void all_used_early(void)
{
    int one = 1, zero = 0, old[3] = { 0 };
    MPI_Win_lock_all(0, win);
    MPI_Get_accumulate(&one, 1, MPI_INT, &old[0], 1, MPI_INT, rank, 41, 1, MPI_INT, MPI_SUM, win);
    MPI_Fetch_and_op(&one, &old[1], MPI_INT, rank, 42, MPI_SUM, win);
    MPI_Compare_and_swap(&one, &zero, &old[2], MPI_INT, rank, 43, win);
    if (right)
        MPI_Win_flush_local(rank, win);
    for (int i = 0; i < 3; i++)
        put(&old[i], rank, 44 + i);
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

/* What is got comes where what is put may not have been read yet; it is the same. */
static void got_early(void)
{
    int value = mine[6] = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    put(&value, rank, 4);
    if (right)
        MPI_Win_flush_local(rank, win);
    get(&value, rank, 6);
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

/* What only fetches reads no buffer, and goes with reading and with accumulates; accumulates with
 * requests are accumulates. */
static void no_operation(void)
{
    int from = 1, old[5];
    MPI_Request r[2];
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&from, &old[0], MPI_INT, rank, 50, MPI_NO_OP, win);
    MPI_Get_accumulate(&from, 1, MPI_INT, &old[1], 1, MPI_INT, rank, 50, 1, MPI_INT, MPI_NO_OP,
                       win);
    from = 2;
    get(&old[2], rank, 50);
    MPI_Fetch_and_op(NULL, &old[3], MPI_INT, rank, 50, MPI_NO_OP, win);
    MPI_Accumulate(&from, 1, MPI_INT, rank, 52, 1, MPI_INT, MPI_SUM, win);
    MPI_Fetch_and_op(NULL, &old[4], MPI_INT, rank, 52, MPI_NO_OP, win);
    MPI_Win_flush_all(win);
    for (int i = 0; i < 2; i++)
        MPI_Raccumulate(&from, 1, MPI_INT, rank, 51, 1, MPI_INT, MPI_SUM, win, &r[i]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
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
    no_operation();
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
    ACCESS(in_part), ACCESS(twice_in_part), ACCESS(twice_alike), ACCESS(flushed_others),
    ACCESS(flushed_here), ACCESS(flushed_all_here), ACCESS(behind_put), ACCESS(behind_put_c),
    ACCESS(all_written), ACCESS(all_used_early), ACCESS(freed), ACCESS(used_early),
    ACCESS(got_early), ACCESS(got_twice), ACCESS(twice_late), ACCESS(unlocked_others),
    ACCESS(fine),
};

static void *second(void *unused)
{
    int number;
    (void)unused;
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    return NULL;
}

int main(int argc, char **argv)
{
    const bool threads = argc > 2 && !strcmp(argv[2], "threads"),
        multiple = threads || (argc > 2 && !strcmp(argv[2], "multiple"));
    int level;
    MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = argc > 2 && !multiple;
    pthread_t thread;
    if (threads && !pthread_create(&thread, NULL, second, NULL))
        pthread_join(thread, NULL);
    MPI_Win_allocate(CELLS * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                     &win);
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (argc > 1 && !strcmp(argv[1], accesses[i].name))
            accesses[i].make();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
