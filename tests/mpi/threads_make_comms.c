/* threads_make_comms THREADS: threads of one rank that make communicators at once, each from a
 * parent of its own. */
#include "t.h"
#include <pthread.h>

enum { THREADS_MAX = 4, ROUNDS = 30 };

struct job { pthread_t thread; int number; MPI_Comm parent; };

static struct job jobs[THREADS_MAX];

/* The communicator has this size and goes round: sums of what its ranks know to be theirs. */
static void use(MPI_Comm comm, int number, int want_size)
{
    int rank, size, sum = 0, mine, want = 0;

    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    SAME(size, want_size);
    mine = rank + 100 * number;
    for (int r = 0; r < size; r++)
        want += r + 100 * number;
    OK(MPI_Barrier(comm));
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    SAME(sum, want);
    mine = -1;
    OK(MPI_Sendrecv(&number, 1, MPI_INT, (rank + 1) % size, 7, &mine, 1, MPI_INT, MPI_ANY_SOURCE,
                    MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
    SAME(mine, number);
}

static void make_dup(const struct job *job)
{
    MPI_Comm comm, again;

    OK(MPI_Comm_dup(job->parent, &comm));
    use(comm, job->number, t_size);
    OK(MPI_Comm_dup(comm, &again));
    OK(MPI_Comm_free(&comm));
    use(again, job->number, t_size);
    OK(MPI_Comm_free(&again));
}

static void make_split(const struct job *job)
{
    int odd = t_rank % 2;
    MPI_Comm comm;

    OK(MPI_Comm_split(job->parent, odd, -t_rank, &comm));
    use(comm, job->number, odd ? t_size / 2 : (t_size + 1) / 2);
    OK(MPI_Comm_free(&comm));
}

/* Of the ranks but the last, where there are several. */
static void make_create(const struct job *job)
{
    int last = t_size - 1;
    MPI_Group all, some;
    MPI_Comm comm;

    OK(MPI_Comm_group(job->parent, &all));
    OK(MPI_Group_excl(all, t_size > 1, &last, &some));
    OK(MPI_Comm_create(job->parent, some, &comm));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&some));
    if (t_size > 1 && t_rank == last) {
        CHECK(comm == MPI_COMM_NULL);
        return;
    }
    use(comm, job->number, t_size > 1 ? t_size - 1 : 1);
    OK(MPI_Comm_free(&comm));
}

static void make_alone(const struct job *job)
{
    MPI_Comm comm;

    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    use(comm, job->number, 1);
    OK(MPI_Comm_free(&comm));
}

/* Threads of a number go through the same on all ranks, and each number in another order. */
static void *make_all(void *argument)
{
    static void (*const make[])(const struct job *) = {
        make_dup, make_split, make_create, make_alone,
    };
    const struct job *job = argument;

    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < 4; k++)
            make[(k + job->number) % 4](job);
    return NULL;
}

/* Nothing but making: agreements follow each other without a pause. */
static void *make_fast(void *argument)
{
    const struct job *job = argument;
    MPI_Comm comm;

    for (int i = 0; i < 5 * ROUNDS; i++) {
        OK(MPI_Comm_dup(job->parent, &comm));
        OK(MPI_Barrier(comm));
        OK(MPI_Comm_free(&comm));
    }
    return NULL;
}

static void all_threads(int threads, void *(*body)(void *))
{
    for (int i = 0; i < threads; i++)
        CHECK(pthread_create(&jobs[i].thread, NULL, body, &jobs[i]) == 0);
    for (int i = 0; i < threads; i++)
        CHECK(pthread_join(jobs[i].thread, NULL) == 0);
}

static void *make_one(void *argument)
{
    make_dup(argument);
    return NULL;
}

/* Even ranks make all at once; odd ones one after the other, the last parent's first: none waits
 * for another's turn. */
static void some_in_order(int threads)
{
    for (int round = 0; round < ROUNDS; round++)
        if (t_rank % 2 == 0)
            all_threads(threads, make_one);
        else
            for (int i = threads - 1; i >= 0; i--)
                make_dup(&jobs[i]);
}

/* Rank 0 is inside an agreement that the others join only later, and makes a communicator of its
 * own meanwhile. */
static void nobody_asked(void)
{
    char go = 1;

    if (t_rank == 0) {
        CHECK(pthread_create(&jobs[0].thread, NULL, make_one, &jobs[0]) == 0);
        for (int i = 0; i < 200; i++) {
            make_alone(&jobs[1]);
            usleep(500);
        }
        for (int r = 1; r < t_size; r++)
            OK(MPI_Send(&go, 1, MPI_CHAR, r, 1, MPI_COMM_WORLD));
        CHECK(pthread_join(jobs[0].thread, NULL) == 0);
    } else {
        OK(MPI_Recv(&go, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        make_dup(&jobs[0]);
    }
}

int main(int argc, char **argv)
{
    t_start_threads(&argc, &argv);
    int threads = argc > 1 ? atoi(argv[1]) : 2;

    CHECK(threads >= 2 && threads <= THREADS_MAX);
    for (int i = 0; i < threads; i++) {
        jobs[i].number = i;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].parent));
    }
    nobody_asked();
    all_threads(threads, make_fast);
    all_threads(threads, make_all);
    some_in_order(threads);
    for (int i = 0; i < threads; i++)
        OK(MPI_Comm_free(&jobs[i].parent));
    return t_end();
}
