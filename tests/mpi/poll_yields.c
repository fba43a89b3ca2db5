/* Where ranks outnumber the cores each call that looks for something, and has not found it, lets
 * others run: else a rank that polls keeps its core from those that it waits for. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>

#include "t.h"

static _Atomic int yields;

/* In place of the C library's. */
__attribute__((visibility("default"))) int sched_yield(void)
{
    yields++;
    return (int)syscall(SYS_sched_yield);
}

static int now;
static void begin(void) { now = yields; }
static void end(const char *call)
{
    if (yields == now)
        FAIL("%s finds nothing and does not let others run", call);
}

#define YIELDS(call) \
    do { \
        begin(); \
        OK(call); \
        end(#call); \
    } while (0)

static void tests(void)
{
    enum { COUNT = 3 };
    MPI_Request r[COUNT];
    int flag, index, indices[COUNT], many, value[COUNT];
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Irecv(&value[i], 1, MPI_INT, t_rank, i, MPI_COMM_WORLD, &r[i]));
    YIELDS(MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE));
    YIELDS(MPI_Testall(COUNT, r, &flag, MPI_STATUSES_IGNORE));
    YIELDS(MPI_Testany(COUNT, r, &index, &flag, MPI_STATUS_IGNORE));
    YIELDS(MPI_Testsome(COUNT, r, &many, indices, MPI_STATUSES_IGNORE));
    SAME(many, 0);
    YIELDS(MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE));
    YIELDS(MPI_Request_get_status_all(COUNT, r, &flag, MPI_STATUSES_IGNORE));
    YIELDS(MPI_Request_get_status_any(COUNT, r, &index, &flag, MPI_STATUS_IGNORE));
    YIELDS(MPI_Request_get_status_some(COUNT, r, &many, indices, MPI_STATUSES_IGNORE));
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Send(&i, 1, MPI_INT, t_rank, i, MPI_COMM_WORLD));
    OK(MPI_Waitall(COUNT, r, MPI_STATUSES_IGNORE));
    for (int i = 0; i < COUNT; i++)
        SAME(value[i], i);
}

static void probes(void)
{
    int flag;
    MPI_Message m;
    YIELDS(MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    SAME(flag, 0);
    YIELDS(MPI_Improbe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE));
    SAME(flag, 0);
}

static void parts(void)
{
    MPI_Request send, recv;
    int value = 5, got = 0, flag;
    OK(MPI_Psend_init(&value, 1, 1, MPI_INT, t_rank, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    OK(MPI_Precv_init(&got, 1, 1, MPI_INT, t_rank, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &recv));
    OK(MPI_Start(&recv));
    OK(MPI_Start(&send));
    YIELDS(MPI_Parrived(recv, 0, &flag));
    SAME(flag, 0);
    OK(MPI_Pready(0, send));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&recv, MPI_STATUS_IGNORE));
    SAME(got, 5);
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&recv));
}

static void windows(void)
{
    enum { LOOKS = 100 };
    int64_t *base, old, zero = 0, one = 1;
    MPI_Win win;
    MPI_Group all, self;
    int flag;
    OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, 1, &t_rank, &self));
    OK(MPI_Win_post(self, 0, win));
    YIELDS(MPI_Win_test(win, &flag));
    SAME(flag, 0);
    OK(MPI_Win_start(self, 0, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_rank, 0, win));
    begin();
    for (int i = 0; i < LOOKS; i++)
        OK(MPI_Fetch_and_op(&zero, &old, MPI_INT64_T, t_rank, 0, MPI_NO_OP, win));
    end("MPI_Fetch_and_op with MPI_NO_OP");
    begin();
    for (int i = 0; i < LOOKS; i++)
        OK(MPI_Compare_and_swap(&zero, &one, &old, MPI_INT64_T, t_rank, 0, win));
    end("MPI_Compare_and_swap");
    OK(MPI_Win_unlock(t_rank, win));
    OK(MPI_Group_free(&self));
    OK(MPI_Group_free(&all));
    OK(MPI_Win_free(&win));
}

/* Ranks are said to share cores if all are on one machine, which reaches them without a wire. */
static void need_shared_cores(void)
{
    MPI_Comm here;
    int size;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
    OK(MPI_Comm_size(here, &size));
    OK(MPI_Comm_free(&here));
    if (size < t_size || getenv("NICEMU_FAULT") || t_modelled())
        t_skip("ranks do not share cores");
}

int main(int argc, char **argv)
{
    setenv("NICEMU_CROWDED", "yes", 1);
    t_start(&argc, &argv);
    need_shared_cores();
    tests();
    probes();
    parts();
    windows();
    return t_end();
}
