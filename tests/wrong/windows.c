/* Windows that are used wrongly: ranks that wait for each other in synchronization, one that is
 * killed in the middle of it, accesses that may not be.  Arguments: which, and
 * "right", with which it is done as it should be. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank;
static bool right;
static MPI_Win win;

/* Rank 1 has the lock of rank 0 and waits for a message of a rank that waits for the lock. */
static void lock(void)
{
    int value;
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (right && rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 42, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right && rank == 1)
        MPI_Win_unlock(0, win);
    if (rank != 1)
        MPI_Win_lock(rank == 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (right && rank != 1)
        MPI_Win_unlock(0, win);
}

static void fence(void)
{
    int value;
    if (right && rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 42, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
}

static void post(void)
{
    MPI_Group all, rest, one;
    MPI_Win_get_group(win, &all);
    MPI_Group_excl(all, 1, (int[]){ 1 }, &rest);
    MPI_Group_incl(all, 1, (int[]){ 1 }, &one);
    if (right && rank == 1) {
        MPI_Win_start(rest, 0, win);
        MPI_Win_complete(win);
    } else if (right) {
        MPI_Win_post(one, 0, win);
        MPI_Win_wait(win);
    } else if (rank == 1) {
        MPI_Win_start(all, 0, win);
    } else {
        MPI_Win_post(all, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&rest);
    MPI_Group_free(&one);
}

static void killed(int locked)
{
    if (rank == 1 && locked)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && !right)
        abort();
    if (rank == 1 && locked)
        MPI_Win_unlock(0, win);
    if (locked)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (right && locked)
        MPI_Win_unlock(0, win);
    if (!locked)
        MPI_Win_fence(0, win);
}

/* Rank 1 makes another kind of window than the others. */
static void kinds(int kind, int other)
{
    void *memory;
    static char own[8];
    MPI_Win mixed;
    switch (rank == 1 && !right ? other : kind) {
    case 0: MPI_Win_create(own, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mixed); break;
    case 1: MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &mixed); break;
    case 2: MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &mixed); break;
    default: MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &mixed);
    }
    MPI_Win_free(&mixed);
}

/* All of it has to be in one rank's heap. */
static void too_long(void)
{
    const MPI_Aint bytes = right ? 1 << 20 : (MPI_Aint)5 << 30;
    MPI_Win shared;
    void *memory;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &shared);
    MPI_Win_free(&shared);
}

static void outside(void)
{
    long value = 0;
    if (right)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    if (right)
        MPI_Win_unlock(0, win);
}

static void range(void)
{
    long value = 0;
    MPI_Win_fence(0, win);
    MPI_Get(&value, 1, MPI_LONG, 0, right ? 7 : 8, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

/* The window is of memory that nobody may read. */
static void unreadable(void)
{
    enum { BYTES = 300000 };
    static char value[BYTES];
    void *memory = mmap(NULL, BYTES, right ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    MPI_Win w;
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 1)
        MPI_Get(value, BYTES, MPI_CHAR, 0, 0, BYTES, MPI_CHAR, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    munmap(memory, BYTES);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    void *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    right = argc > 2;
    MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (!strcmp(what, "lock"))
        lock();
    if (!strcmp(what, "fence"))
        fence();
    if (!strcmp(what, "post"))
        post();
    if (!strcmp(what, "holder"))
        killed(1);
    if (!strcmp(what, "fencer"))
        killed(0);
    if (!strncmp(what, "kinds", 5))
        kinds(what[5] - '0', what[6] - '0');
    if (!strcmp(what, "too_long"))
        too_long();
    if (!strcmp(what, "outside"))
        outside();
    if (!strcmp(what, "range"))
        range();
    if (!strcmp(what, "unreadable"))
        unreadable();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
