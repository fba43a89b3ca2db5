/* One request for a send and a receive: its status is that of the receive, it is done when both
 * are, and it mixes with others, of which MPI_Request_get_status and its family tell. */
#include "t.h"

enum { TAG = 3, LONG = 70000 };

static void exchange(int count, int displaced)
{
    int *out = t_ints((size_t)count), *in = t_ints((size_t)count);
    MPI_Request r;
    MPI_Status s = { .MPI_ERROR = 77 };
    int n;
    t_fill(out, (size_t)count * 4, (unsigned)t_rank);
    OK(MPI_Isendrecv(out, count - displaced, MPI_INT, t_next(), TAG, in, count, MPI_INT,
                     displaced ? MPI_ANY_SOURCE : t_prev(), displaced ? MPI_ANY_TAG : TAG,
                     MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, &s));
    CHECK(r == MPI_REQUEST_NULL);
    SAME(s.MPI_SOURCE, t_prev());
    SAME(s.MPI_TAG, TAG);
    SAME(s.MPI_ERROR, 77);
    OK(MPI_Get_count(&s, MPI_INT, &n));
    SAME(n, count - displaced);
    DATA(in, (size_t)n * 4, (unsigned)t_prev());
    free(out);
    free(in);
    OK(MPI_Barrier(MPI_COMM_WORLD));        /* for the wildcards of the next */
}

/* Every second int of an array, in place, by large counts. */
static void in_place(int count)
{
    int *data = t_ints(2 * (size_t)count);
    MPI_Datatype half;
    MPI_Request r;
    MPI_Status s;
    MPI_Count n;
    OK(MPI_Type_vector(count, 1, 2, MPI_INT, &half));
    OK(MPI_Type_commit(&half));
    for (int i = 0; i < count; i++)
        data[2 * i] = t_value(t_rank, i);
    OK(MPI_Isendrecv_replace_c(data, 1, half, t_next(), TAG, t_prev(), TAG, MPI_COMM_WORLD, &r));
    OK(MPI_Type_free(&half));
    OK(MPI_Wait(&r, &s));
    OK(MPI_Get_elements_c(&s, MPI_INT, &n));
    SAME(n, count);
    for (int i = 0; i < count; i++) {
        SAME(data[2 * i], t_value(t_prev(), i));
        SAME(data[2 * i + 1], -1);
    }
    free(data);
}

/* To nobody, from nobody. */
static void one_half(void)
{
    int out = t_rank, in = -1, flag, n;
    MPI_Request to, from, neither;
    MPI_Status s;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, t_next(), TAG, NULL, 0, MPI_INT, MPI_PROC_NULL, TAG,
                     MPI_COMM_WORLD, &to));
    OK(MPI_Isendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, TAG, &in, 1, MPI_INT, t_prev(), TAG,
                     MPI_COMM_WORLD, &from));
    OK(MPI_Isendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_PROC_NULL, TAG,
                             MPI_COMM_WORLD, &neither));
    OK(MPI_Test(&neither, &flag, &s));
    SAME(flag, 1);
    SAME(s.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Wait(&to, &s));
    SAME(s.MPI_SOURCE, MPI_PROC_NULL);
    SAME(s.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(&s, MPI_INT, &n));
    SAME(n, 0);
    OK(MPI_Wait(&from, &s));
    SAME(s.MPI_SOURCE, t_prev());
    SAME(in, t_prev());
}

/* Not done as long as one half is open: a receive of which nothing has come, a synchronous send
 * would be the other (a long one is). */
static void both_halves(void)
{
    int *out = t_values(t_rank, LONG), *in = t_ints(LONG), little = 5, flag;
    MPI_Request r;
    OK(MPI_Isendrecv(out, LONG, MPI_INT, t_next(), TAG, &little, 1, MPI_INT, t_prev(), TAG + 1,
                     MPI_COMM_WORLD, &r));
    OK(MPI_Recv(in, LONG, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < LONG; i++)
        SAME(in[i], t_value(t_prev(), i));
    for (int i = 0; i < 10; i++) {
        OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    flag = t_rank;
    OK(MPI_Send(&flag, 1, MPI_INT, t_next(), TAG + 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    SAME(little, t_prev());
    free(out);
    free(in);
}

/* While the NIC's thread may still write: a race, on purpose. */
__attribute__((noinline, no_sanitize("thread")))
static int there(const int *in, int value)
{
    return *(const volatile int *)in == value;
}

/* Freed while under way; the data come all the same. */
static void freed(void)
{
    static int in = -1, out;    /* nobody is told when they may go */
    MPI_Request r;
    out = t_rank;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, t_next(), TAG, &in, 1, MPI_INT,
                     t_prev(), TAG, MPI_COMM_WORLD, &r));
    OK(MPI_Request_free(&r));
    CHECK(r == MPI_REQUEST_NULL);
    while (!there(&in, t_prev())) {
        int flag;
        OK(MPI_Iprobe(MPI_ANY_SOURCE, TAG + 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
}

/* -- the family of MPI_Request_get_status, over requests of all kinds */

static void get_status(void)
{
    int out[2] = { t_rank, t_rank + 1 }, in[3] = { -1, -1, -1 }, flag, index, n, indices[4];
    MPI_Request r[4], persistent;
    MPI_Status s[4];
    OK(MPI_Recv_init(&in[2], 1, MPI_INT, t_prev(), TAG + 2, MPI_COMM_WORLD, &persistent));
    r[0] = MPI_REQUEST_NULL;
    r[3] = persistent;
    OK(MPI_Irecv(&in[0], 1, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, &r[1]));
    OK(MPI_Isendrecv(&out[1], 1, MPI_INT, t_next(), TAG + 1, &in[1], 1, MPI_INT, t_prev(), TAG + 1,
                     MPI_COMM_WORLD, &r[2]));
    flag = 0;
    while (!flag)
        OK(MPI_Request_get_status_any(4, r, &index, &flag, s));
    SAME(index, 2);
    SAME(s[0].MPI_TAG, TAG + 1);
    SAME(in[1], t_prev() + 1);
    OK(MPI_Request_get_status_all(4, r, &flag, s));
    SAME(flag, 0);
    OK(MPI_Request_get_status_some(4, r, &n, indices, s));
    SAME(n, 1);
    SAME(indices[0], 2);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&out[0], 1, MPI_INT, t_next(), TAG, MPI_COMM_WORLD));
    for (n = 0; n < 2;)
        OK(MPI_Request_get_status_some(4, r, &n, indices, s));
    SAME(n, 2);
    SAME(indices[0], 1);
    SAME(indices[1], 2);
    SAME(s[0].MPI_TAG, TAG);
    SAME(s[1].MPI_TAG, TAG + 1);
    OK(MPI_Request_get_status_all(4, r, &flag, s));
    SAME(flag, 1);
    SAME(s[0].MPI_SOURCE, MPI_ANY_SOURCE);
    SAME(s[1].MPI_TAG, TAG);
    SAME(s[2].MPI_TAG, TAG + 1);
    SAME(s[3].MPI_SOURCE, MPI_ANY_SOURCE);
    SAME(in[0], t_prev());
    CHECK(r[1] != MPI_REQUEST_NULL && r[2] != MPI_REQUEST_NULL);
    OK(MPI_Waitall(4, r, s));
    SAME(s[2].MPI_SOURCE, t_prev());
    s[0].MPI_SOURCE = s[0].MPI_TAG = 4242;
    OK(MPI_Request_get_status_any(4, r, &index, &flag, s));     /* none is active now */
    SAME(flag, 1);
    SAME(index, MPI_UNDEFINED);
    SAME(s[0].MPI_SOURCE, MPI_ANY_SOURCE);
    SAME(s[0].MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Request_get_status_some(4, r, &n, indices, s));
    SAME(n, MPI_UNDEFINED);
    OK(MPI_Request_get_status_all(0, NULL, &flag, NULL));
    SAME(flag, 1);
    OK(MPI_Request_free(&persistent));
}

/* -- errors: of either half, and of the arguments */

static void errors(void)
{
    int out[4] = {0}, in[4], flag, index;
    MPI_Request r, bad = (MPI_Request)(uintptr_t)0x123456;
    MPI_Status s;
    OK(MPI_Isendrecv(out, 4, MPI_INT, t_next(), TAG, in, 2, MPI_INT, t_prev(), TAG,
                     MPI_COMM_WORLD, &r));
    CLASS(MPI_Wait(&r, &s), MPI_ERR_TRUNCATE);
    CHECK(r == MPI_REQUEST_NULL);
    SAME(s.MPI_SOURCE, t_prev());
    CLASS(MPI_Isendrecv(out, -1, MPI_INT, t_next(), TAG, in, 2, MPI_INT, t_prev(), TAG,
                        MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CLASS(MPI_Isendrecv(out, 1, MPI_INT, t_next(), TAG, in, 2, MPI_INT, t_size, TAG,
                        MPI_COMM_WORLD, &r), MPI_ERR_RANK);
    CLASS(MPI_Isendrecv_replace(out, 1, MPI_INT, t_next(), -5, t_prev(), TAG, MPI_COMM_WORLD, &r),
          MPI_ERR_TAG);
    CLASS(MPI_Isendrecv_replace(out, 1, MPI_INT, t_next(), TAG, t_prev(), TAG, MPI_COMM_WORLD,
                                NULL), MPI_ERR_REQUEST);
    CLASS(MPI_Request_get_status_any(1, &bad, &index, &flag, &s), MPI_ERR_REQUEST);
    CLASS(MPI_Request_get_status_all(-1, &bad, &flag, &s), MPI_ERR_COUNT);
    CLASS(MPI_Request_get_status_some(1, &bad, NULL, &index, &s), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status_all(2, NULL, &flag, &s), MPI_ERR_REQUEST);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        exchange(10, i % 2);
        exchange(LONG, i % 2);
    }
    in_place(3);
    in_place(LONG);
    one_half();
    both_halves();
    freed();
    get_status();
    t_errors_return();
    errors();
    return t_end();
}
