/* Requests while the NIC's thread has the baton: the host leaves it those of data without gaps and
 * goes on, and waits for the baton with all others. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/baton.h"
#include "core/comm.h"
#include "core/world.h"
#include "suite.h"

enum { TAG = 7 };

static pthread_t thread;
static atomic_bool inside, done;

/* In place of the NIC's thread: until the host waits for the baton, or needs nothing any more. */
static void *has_baton(void *nothing)
{
    while (!nic_baton_thread_try(mpi_nic))
        sched_yield();
    atomic_store(&inside, true);
    while (!atomic_load(&mpi_nic->host_wants) && !atomic_load(&done))
        sched_yield();
    nic_baton_thread_give(mpi_nic);
    return nothing;
}

static void thread_enters(void)
{
    atomic_store(&inside, false);
    atomic_store(&done, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, has_baton, NULL), 0);
    while (!atomic_load(&inside))
        sched_yield();
}

static void thread_leaves(void)
{
    atomic_store(&done, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

/* Requests that the host may fill in without the baton are such as it has freed before. */
static void make_spare(void)
{
    MPI_Request r;
    int value;
    ck_assert_int_eq(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_SELF, &r), 0);
    ck_assert_int_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), 0);
}

/* Nobody waits, and the communicator has somebody who names it before the NIC has the command. */
START_TEST(left_behind)
{
    int in = 0, out = 5;
    MPI_Comm comm;
    MPI_Request r;
    make_spare();
    ck_assert_int_eq(MPI_Comm_dup(MPI_COMM_SELF, &comm), 0);
    const struct mpi_comm *c = mpi_comm_get(comm);
    ck_assert(!mpi_comm_in_use(c));
    thread_enters();
    ck_assert_int_eq(MPI_Irecv(&in, 1, MPI_INT, 0, TAG, comm, &r), 0);
    ck_assert_int_eq(atomic_load(&mpi_nic->host_wants), 0);
    ck_assert(mpi_comm_in_use(c));
    thread_leaves();
    ck_assert_int_eq(MPI_Send(&out, 1, MPI_INT, 0, TAG, comm), 0);
    ck_assert_int_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), 0);
    ck_assert_int_eq(in, out);
    ck_assert(!mpi_comm_in_use(c));
    ck_assert_int_eq(MPI_Comm_free(&comm), 0);
}
END_TEST

START_TEST(from_nobody)
{
    int in = 3, flag = 0;
    MPI_Request r;
    MPI_Status s;
    make_spare();
    thread_enters();
    ck_assert_int_eq(MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_SELF, &r), 0);
    thread_leaves();
    ck_assert_int_eq(MPI_Test(&r, &flag, &s), 0);
    ck_assert_int_eq(flag, 1);
    ck_assert_int_eq(s.MPI_SOURCE, MPI_PROC_NULL);
    ck_assert_int_eq(in, 3);
}
END_TEST

START_TEST(with_gaps)
{
    int in[4] = { -1, -1, -1, -1 }, out[2] = { 5, 6 };
    MPI_Datatype every_other;
    MPI_Request r;
    make_spare();
    ck_assert_int_eq(MPI_Type_vector(2, 1, 2, MPI_INT, &every_other), 0);
    ck_assert_int_eq(MPI_Type_commit(&every_other), 0);
    thread_enters();
    ck_assert_int_eq(MPI_Irecv(in, 1, every_other, 0, TAG, MPI_COMM_SELF, &r), 0);
    thread_leaves();
    ck_assert_int_eq(MPI_Send(out, 2, MPI_INT, 0, TAG, MPI_COMM_SELF), 0);
    ck_assert_int_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), 0);
    ck_assert(in[0] == 5 && in[1] == -1 && in[2] == 6 && in[3] == -1);
    ck_assert_int_eq(MPI_Type_free(&every_other), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("submit");
    TCase *receives = tcase_create("receives");
    tcase_add_test(receives, left_behind);
    tcase_add_test(receives, from_nobody);
    tcase_add_test(receives, with_gaps);
    suite_add_tcase(suite, receives);
    setenv("NICEMU_PROGRESS", "host", 1);       /* the NIC's own thread stays away */
    MPI_Init(NULL, NULL);
    int failed = suite_run(suite);
    MPI_Finalize();
    return failed;
}
