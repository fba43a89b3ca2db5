/* The calls that count in MPI_Count: each moves its data, counts beyond an int arrive, a message of
 * more than 2^31 elements comes whole, and what does not fit is an error. */
#define _GNU_SOURCE
#include <stdbool.h>
#include "t.h"

#define BEYOND_INT ((MPI_Count)1 << 33)

/* -- every call, with a few elements */

enum { N = 5 };

static void sent(void *in, MPI_Status *s, int tag)
{
    MPI_Count count, elements;
    SAME(s->MPI_SOURCE, t_prev());
    SAME(s->MPI_TAG, tag);
    OK(MPI_Get_count_c(s, MPI_INT, &count));
    OK(MPI_Get_elements_c(s, MPI_SHORT, &elements));
    SAME(count, N);
    SAME(elements, 2 * N);
    DATA(in, N * 4, (unsigned)(t_prev() + tag));
}

static void receive_blocking(int *in, int tag, MPI_Status *s)
{
    MPI_Message message;
    if (tag % 2) {
        OK(MPI_Recv_c(in, N, MPI_INT, t_prev(), tag, MPI_COMM_WORLD, s));
        return;
    }
    OK(MPI_Mprobe(t_prev(), tag, MPI_COMM_WORLD, &message, s));
    OK(MPI_Mrecv_c(in, N, MPI_INT, &message, s));
}

static void receive_by_request(int *in, int tag, MPI_Status *s)
{
    MPI_Message message;
    MPI_Request r;
    if (tag % 3 == 0) {
        OK(MPI_Irecv_c(in, N, MPI_INT, t_prev(), tag, MPI_COMM_WORLD, &r));
    } else if (tag % 3 == 1) {
        OK(MPI_Mprobe(t_prev(), tag, MPI_COMM_WORLD, &message, s));
        OK(MPI_Imrecv_c(in, N, MPI_INT, &message, &r));
    } else {
        OK(MPI_Recv_init_c(in, N, MPI_INT, t_prev(), tag, MPI_COMM_WORLD, &r));
        OK(MPI_Start(&r));
    }
    OK(MPI_Wait(&r, s));
    if (r != MPI_REQUEST_NULL)
        OK(MPI_Request_free(&r));
}

typedef int isend_fn(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int send_fn(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);

static void by_request(isend_fn *send, bool persistent, int tag)
{
    int out[N], in[N];
    MPI_Request r;
    MPI_Status s;
    t_fill(out, sizeof out, (unsigned)(t_rank + tag));
    OK(send(out, N, MPI_INT, t_next(), tag, MPI_COMM_WORLD, &r));
    if (persistent)
        OK(MPI_Start(&r));
    receive_by_request(in, tag, &s);
    sent(in, &s, tag);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    if (persistent)
        OK(MPI_Request_free(&r));
}

static void blocking(send_fn *send, int tag)
{
    int out[N], in[N];
    MPI_Status s;
    t_fill(out, sizeof out, (unsigned)(t_rank + tag));
    if (t_rank == 0)
        OK(send(out, N, MPI_INT, t_next(), tag, MPI_COMM_WORLD));
    receive_blocking(in, tag, &s);
    if (t_rank > 0)
        OK(send(out, N, MPI_INT, t_next(), tag, MPI_COMM_WORLD));
    sent(in, &s, tag);
}

static void sendrecv(int tag)
{
    int out[N], in[N];
    MPI_Status s;
    t_fill(out, sizeof out, (unsigned)(t_rank + tag));
    OK(MPI_Sendrecv_c(out, N, MPI_INT, t_next(), tag, in, N, MPI_INT, t_prev(), tag,
                      MPI_COMM_WORLD, &s));
    sent(in, &s, tag);
    OK(MPI_Sendrecv_replace_c(out, N, MPI_INT, t_next(), tag, t_prev(), tag, MPI_COMM_WORLD, &s));
    sent(out, &s, tag);
    MPI_Request r;
    t_fill(out, sizeof out, (unsigned)(t_rank + tag));
    t_fill(in, sizeof in, 77);
    OK(MPI_Isendrecv_c(out, N, MPI_INT, t_next(), tag, in, N, MPI_INT, t_prev(), tag,
                       MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, &s));
    sent(in, &s, tag);
}

static void all_calls(void)
{
    static isend_fn *const isends[] = { MPI_Isend_c, MPI_Issend_c, MPI_Irsend_c, MPI_Ibsend_c };
    static isend_fn *const inits[] = {
        MPI_Send_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c, MPI_Bsend_init_c,
    };
    static send_fn *const sends[] = { MPI_Send_c, MPI_Rsend_c, MPI_Bsend_c, MPI_Ssend_c };
    char buffer[1024 + 2 * MPI_BSEND_OVERHEAD], *p;
    int bytes, tag = 0;
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    for (int i = 0; i < 4; i++)
        for (int round = 0; round < 3; round++)
            by_request(isends[i], false, tag++);
    for (int i = 0; i < 4; i++)
        for (int round = 0; round < 3; round++)
            by_request(inits[i], true, tag++);
    for (int i = 0; i < (t_size > 1 ? 4 : 3); i++) {    /* to itself no synchronous send ends */
        blocking(sends[i], tag++);
        blocking(sends[i], tag++);
    }
    sendrecv(tag);
    OK(MPI_Buffer_detach(&p, &bytes));
    CHECK(p == buffer);
}

/* -- counts beyond an int that move little or nothing */

static void without_data(void)
{
    int none[1] = {0}, count;
    MPI_Count large;
    MPI_Datatype empty;
    MPI_Request r;
    MPI_Status s;
    OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    OK(MPI_Type_commit(&empty));
    OK(MPI_Irecv_c(none, BEYOND_INT, empty, t_prev(), 1, MPI_COMM_WORLD, &r));
    OK(MPI_Send_c(none, 3 * BEYOND_INT, empty, t_next(), 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&r, &s));
    OK(MPI_Get_count(&s, empty, &count));
    SAME(count, 0);
    OK(MPI_Get_count_c(&s, MPI_DOUBLE, &large));
    SAME(large, 0);
    /* data that a type without any cannot have counted */
    OK(MPI_Status_set_elements_c(&s, MPI_BYTE, 1));
    OK(MPI_Get_count_c(&s, empty, &large));
    SAME(large, MPI_UNDEFINED);
    OK(MPI_Get_elements_c(&s, empty, &large));
    SAME(large, MPI_UNDEFINED);
    OK(MPI_Type_free(&empty));
}

/* The whole of a large window lies in a little memory: every PERIOD bytes the same again. */
enum { PERIOD = 1 << 20 };
static const MPI_Count LONG_MESSAGE = ((MPI_Count)1 << 31) + 12345;

static char *window_new(size_t *bytes)
{
    int fd = memfd_create("window", 0);
    *bytes = ((size_t)LONG_MESSAGE / PERIOD + 1) * PERIOD;
    char *window = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                        0);
    CHECK(fd >= 0 && ftruncate(fd, PERIOD) == 0 && window != MAP_FAILED);
    for (size_t at = 0; at < *bytes; at += PERIOD)
        CHECK(mmap(window + at, PERIOD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)
              == window + at);
    close(fd);
    return window;
}

static void into_much_room(char *window)
{
    MPI_Count count;
    MPI_Request r;
    MPI_Status s;
    char out[100];
    t_fill(out, sizeof out, (unsigned)t_rank);
    OK(MPI_Irecv_c(window, LONG_MESSAGE, MPI_CHAR, t_prev(), 2, MPI_COMM_WORLD, &r));
    OK(MPI_Send_c(out, sizeof out, MPI_CHAR, t_next(), 2, MPI_COMM_WORLD));
    OK(MPI_Wait(&r, &s));
    OK(MPI_Get_count_c(&s, MPI_CHAR, &count));
    SAME(count, sizeof out);
    DATA(window, sizeof out, (unsigned)t_prev());
}

/* From rank 0 to rank 1: bytes enough that none of their counts fits into an int. */
static void long_message(char *window)
{
    MPI_Status s;
    MPI_Count large;
    int count;
    if (t_rank == 0) {
        t_fill(window, PERIOD, 9);
        OK(MPI_Send_c(window, LONG_MESSAGE, MPI_BYTE, 1, 3, MPI_COMM_WORLD));
    } else if (t_rank == 1) {
        memset(window, 0, PERIOD);
        OK(MPI_Recv_c(window, LONG_MESSAGE + 3, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &s));
        OK(MPI_Get_count(&s, MPI_BYTE, &count));
        SAME(count, MPI_UNDEFINED);
        OK(MPI_Get_elements(&s, MPI_BYTE, &count));
        SAME(count, MPI_UNDEFINED);
        OK(MPI_Get_count_c(&s, MPI_BYTE, &large));
        SAME(large, LONG_MESSAGE);
        OK(MPI_Get_elements_x(&s, MPI_BYTE, &large));
        SAME(large, LONG_MESSAGE);
        DATA(window, PERIOD, 9);
    }
}

static void in_much_memory(void)
{
    const char *scale = getenv("TEST_TIMEOUT_SCALE");
    bool slow = (scale && atoi(scale) > 1) || getenv("NICEMU_RDMA");
    size_t bytes;
    char *window = window_new(&bytes);
    into_much_room(window);
    if (t_size == 2 && !slow)
        long_message(window);
    munmap(window, bytes);
}

/* -- statuses */

static void statuses(void)
{
    const MPI_Count many = ((MPI_Count)1 << 40) + 1;
    MPI_Count count;
    MPI_Status s;
    int small;
    OK(MPI_Status_set_elements_x(&s, MPI_INT, many));
    OK(MPI_Get_elements_x(&s, MPI_INT, &count));
    SAME(count, many);
    OK(MPI_Status_set_elements_c(&s, MPI_DOUBLE_INT, many));    /* of each pair two, and a first */
    OK(MPI_Get_elements_c(&s, MPI_DOUBLE_INT, &count));
    SAME(count, many);
    OK(MPI_Get_count_c(&s, MPI_DOUBLE_INT, &count));
    SAME(count, MPI_UNDEFINED);
    OK(MPI_Get_elements(&s, MPI_DOUBLE_INT, &small));
    SAME(small, MPI_UNDEFINED);
    OK(MPI_Status_set_elements_c(&s, MPI_BYTE, INT64_MAX));     /* all that a status can hold */
    OK(MPI_Get_elements_x(&s, MPI_BYTE, &count));
    SAME(count, INT64_MAX);
    OK(MPI_Status_set_elements_x(&s, MPI_INT, INT64_MAX / 4));
    OK(MPI_Get_count_c(&s, MPI_INT, &count));
    SAME(count, INT64_MAX / 4);
    OK(MPI_Status_set_elements_c(&s, MPI_DOUBLE_INT, INT64_MAX / 12 * 2));
    OK(MPI_Get_count_c(&s, MPI_DOUBLE_INT, &count));
    SAME(count, INT64_MAX / 12);
    CLASS(MPI_Status_set_elements_x(&s, MPI_INT, INT64_MAX / 4 + 1), MPI_ERR_COUNT);
    CLASS(MPI_Status_set_elements_c(&s, MPI_DOUBLE_INT, INT64_MAX / 12 * 2 + 2), MPI_ERR_COUNT);
    CLASS(MPI_Status_set_elements_x(&s, MPI_INT, -1), MPI_ERR_COUNT);
    CLASS(MPI_Status_set_elements_c(&s, MPI_INT, INT64_MAX), MPI_ERR_COUNT);
    CLASS(MPI_Status_set_elements_c(&s, MPI_DATATYPE_NULL, 1), MPI_ERR_TYPE);
    CLASS(MPI_Get_count_c(&s, MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Get_elements_c(MPI_STATUS_IGNORE, MPI_INT, &count), MPI_ERR_ARG);
}

/* -- what does not fit */

static void errors(void)
{
    const MPI_Count wraps = (MPI_Count)1 << 61;     /* times 8 are 0 bytes in 64 bits */
    double x = 1;
    MPI_Request r;
    CLASS(MPI_Send_c(&x, wraps, MPI_DOUBLE, t_next(), 9, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Recv_c(&x, wraps, MPI_DOUBLE, t_prev(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_ERR_COUNT);
    CLASS(MPI_Isend_c(&x, wraps, MPI_DOUBLE, t_next(), 9, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CLASS(MPI_Irecv_c(&x, -1, MPI_DOUBLE, t_prev(), 9, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CLASS(MPI_Send_init_c(&x, -1, MPI_DOUBLE, t_next(), 9, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CLASS(MPI_Ibsend_c(&x, 1, MPI_DOUBLE, t_size, 9, MPI_COMM_WORLD, &r), MPI_ERR_RANK);
    CLASS(MPI_Bsend_c(&x, 1, MPI_DOUBLE, t_next(), -9, MPI_COMM_WORLD), MPI_ERR_TAG);
}

/* Of an exchange that fails neither half is left behind: it would take the message that comes for
 * another.  Data with gaps are not packed first, so that 16 PiB need no memory, and do not fit; but
 * on the model clock they are. */
static void nothing_left_behind(void)
{
    const MPI_Count too_many = (MPI_Count)1 << 50;
    int mine[2] = { -1, -1 }, got = -1, out = 7;
    double x[4] = {0};
    MPI_Datatype gaps;
    OK(MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &gaps));
    OK(MPI_Type_commit(&gaps));
    CLASS(MPI_Sendrecv_c(x, too_many, gaps, 0, 4, mine, 1, MPI_INT, 0, 4, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE),
          t_modelled() ? MPI_ERR_NO_MEM : MPI_ERR_TRUNCATE);
    OK(MPI_Send(&out, 1, MPI_INT, 0, 4, MPI_COMM_SELF));
    OK(MPI_Recv(&got, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    SAME(got, 7);
    SAME(mine[1], -1);
    OK(MPI_Type_free(&gaps));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    all_calls();
    without_data();
    in_much_memory();
    t_errors_return();
    statuses();
    errors();
    nothing_left_behind();
    return t_end();
}
