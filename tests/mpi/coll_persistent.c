/* Persistent collectives: their requests' life, beside what tests/mpi/coll_random.c has: objects
 * freed behind the initialization, requests not freed while active, starts in other orders than the
 * initializations, ranks that run ahead, errors. */
#include "compose.h"

enum { ROUNDS = 50, LONG = 40000 };

/* All that the initialization was given is freed, but for the data. */
static void objects_freed(void)
{
    uint64_t in[2], out[2];
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Info info;
    MPI_Request q;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Type_contiguous(1, MPI_UINT64_T, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(compose, 0, &op));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hint", "anything"));
    OK(MPI_Allreduce_init(in, out, 2, MPI_UINT64_T, op, comm, info, &q));
    OK(MPI_Op_free(&op));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_free(&info));
    OK(MPI_Type_free(&type));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++)
            in[i] = compose_value(t_rank, i + round);
        OK(MPI_Start(&q));
        OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
        for (int i = 0; i < 2; i++)
            CHECK(out[i] == compose_ranks(0, t_size, i + round));
    }
    OK(MPI_Request_free(&q));
    CHECK(q == MPI_REQUEST_NULL);
}

/* Of data with gaps, of a type that is gone. */
static void type_freed(void)
{
    int data[6];
    MPI_Datatype type;
    MPI_Request q;

    OK(MPI_Type_vector(3, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Bcast_init(data, 1, type, t_size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &q));
    OK(MPI_Type_free(&type));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 6; i++)
            data[i] = t_rank == t_size - 1 ? 100 * round + i : -i;
        OK(MPI_Start(&q));
        OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
        for (int i = 0; i < 6; i++)
            SAME(data[i], i % 2 && t_rank != t_size - 1 ? -i : 100 * round + i);
    }
    OK(MPI_Request_free(&q));
}

/* Ranks start in orders of their own, and run ahead of each other: nothing waits in between.  Long
 * and short ones, and others of the communicator's collectives beside them. */
static void orders(void)
{
    static int data[2][LONG];
    int sum, token = 1;
    MPI_Request q[3];

    OK(MPI_Bcast_init(data[0], LONG, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]));
    OK(MPI_Bcast_init(data[1], 3, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]));
    OK(MPI_Allreduce_init(&token, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[2]));
    for (int round = 0; round < ROUNDS; round++) {
        data[0][0] = data[0][LONG - 1] = data[1][2] = t_rank ? -1 : round;
        if ((t_rank + round) % 2) {
            OK(MPI_Startall(3, q));
        } else {
            for (int i = 2; i >= 0; i--)
                OK(MPI_Start(&q[i]));
        }
        if (round % 8 == 0)
            OK(MPI_Barrier(MPI_COMM_WORLD));
        if (round % 3 == 0) {
            OK(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
        } else {
            for (int left = 3, index; left; left--) {
                OK(MPI_Waitany(3, q, &index, MPI_STATUS_IGNORE));
                CHECK(index != MPI_UNDEFINED);
            }
        }
        SAME(data[0][0], round);
        SAME(data[0][LONG - 1], round);
        SAME(data[1][2], round);
        SAME(sum, t_size);
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Request_free(&q[i]));
}

/* Only the root need be there: the others run many starts behind. */
static void ahead(void)
{
    int value = 0;
    MPI_Request q, other;

    OK(MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q));
    OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &other));
    for (int round = 0; round < ROUNDS; round++) {
        value = t_rank ? -1 : round;
        OK(MPI_Start(&q));
        OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
        SAME(value, round);
    }
    OK(MPI_Request_free(&q));
    OK(MPI_Request_free(&other));       /* never started */
}

/* One that is active goes on, whatever is asked of it, and the handle stays. */
static void not_freed_active(void)
{
    int value = t_rank ? -1 : 7;
    MPI_Request q, before;
    MPI_Comm comm;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Bcast_init(&value, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &q));
    before = q;
    OK(MPI_Start(&q));
    CLASS(MPI_Request_free(&q), MPI_ERR_REQUEST);
    CLASS(MPI_Cancel(&q), MPI_ERR_REQUEST);
    CHECK(q == before);
    OK(MPI_Comm_free(&comm));       /* the request has it */
    CLASS(MPI_Request_free(&q), MPI_ERR_REQUEST);
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    SAME(value, 7);
    OK(MPI_Request_free(&q));
    CHECK(q == MPI_REQUEST_NULL);
}

/* So many are made that numbers come up again, of which two are still in use, and at rank 0 the
 * next one as well. */
static void many(void)
{
    enum { NUMBERS = 1 << 15, USED = 3 };
    int in[USED], out[USED];
    MPI_Comm comm;
    MPI_Request used[USED], other, q;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < USED - 1; i++)
        OK(MPI_Bcast_init(&in[i], 1, MPI_INT, 0, comm, MPI_INFO_NULL, &used[i]));
    OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &other));
    for (int i = USED; i < NUMBERS; i++) {
        OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &q));
        OK(MPI_Request_free(&q));
    }
    if (t_rank)
        OK(MPI_Request_free(&other));
    OK(MPI_Bcast_init(&in[USED - 1], 1, MPI_INT, 0, comm, MPI_INFO_NULL, &used[USED - 1]));
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < USED; i++) {
            out[i] = 10 * round + i;
            in[i] = t_rank ? 77 : out[i];
        }
        for (int i = 0; i < USED; i++)
            OK(MPI_Start(&used[t_rank % 2 ? i : USED - 1 - i]));
        OK(MPI_Waitall(USED, used, MPI_STATUSES_IGNORE));
        for (int i = 0; i < USED; i++)
            SAME(in[i], out[i]);
    }
    for (int i = 0; i < USED; i++)
        OK(MPI_Request_free(&used[i]));
    if (!t_rank)
        OK(MPI_Request_free(&other));
    OK(MPI_Comm_free(&comm));
}

static void states(void)
{
    int flag = 0, count = -1, index, done, x = 0;
    MPI_Request q;
    MPI_Status status;

    OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &q));
    OK(MPI_Test(&q, &flag, &status));           /* inactive: as if it were null */
    SAME(flag, 1);
    OK(MPI_Request_get_status(q, &flag, &status));
    SAME(flag, 1);
    OK(MPI_Waitany(1, &q, &index, &status));
    SAME(index, MPI_UNDEFINED);
    OK(MPI_Start(&q));
    CLASS(MPI_Start(&q), MPI_ERR_REQUEST);
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status(q, &flag, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, 0);
    SAME(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CLASS(MPI_Start(&q), MPI_ERR_REQUEST);      /* complete, but nobody has waited */
    OK(MPI_Testsome(1, &q, &done, &index, &status));
    SAME(done, 1);
    CHECK(q != MPI_REQUEST_NULL);
    OK(MPI_Request_free(&q));
    CLASS(MPI_Start(&q), MPI_ERR_REQUEST);
    CLASS(MPI_Startall(-1, &q), MPI_ERR_COUNT);
    CLASS(MPI_Startall(1, NULL), MPI_ERR_REQUEST);
    CLASS(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CLASS(MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, (MPI_Info)&x, &q), MPI_ERR_INFO);
    CLASS(MPI_Bcast_init(&x, 1, MPI_INT, t_size, MPI_COMM_WORLD, MPI_INFO_NULL, &q), MPI_ERR_ROOT);
    CLASS(MPI_Bcast_init(&x, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q), MPI_ERR_COUNT);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    objects_freed();
    type_freed();
    orders();
    ahead();
    not_freed_active();
    many();
    states();
    return t_end();
}
