/* Buffered sends: they end without a receiver, use exactly the room that the standard grants, give
 * it back, and detaching waits for them. */
#include "t.h"

enum { MESSAGES = 40 };

static int size_of(int i) { return i % 4 == 3 ? 100000 : 8 + i * 50; }

static int needed(void)
{
    int bytes = 0;

    for (int i = 0; i < MESSAGES; i++)
        bytes += (size_of(i) + 15) / 16 * 16 + MPI_BSEND_OVERHEAD;
    return bytes;
}

/* All ranks send everything before anyone receives. */
static void fill_and_drain(void)
{
    int bytes = needed(), detached_bytes;
    unsigned char *buffer = t_alloc((size_t)bytes), *data = t_alloc(100000);
    void *detached;

    OK(MPI_Buffer_attach(buffer, bytes));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MESSAGES; i++) {
            t_fill(data, (size_t)size_of(i), (unsigned)(t_rank + i));
            OK(MPI_Bsend(data, size_of(i), MPI_BYTE, t_next(), i, MPI_COMM_WORLD));
            memset(data, 0, (size_t)size_of(i));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = MESSAGES - 1; i >= 0; i--) {
            OK(MPI_Recv(data, size_of(i), MPI_BYTE, t_prev(), i, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
            DATA(data, (size_t)size_of(i), (unsigned)(t_prev() + i));
        }
        OK(MPI_Buffer_detach(&detached, &detached_bytes));
        CHECK(detached == buffer);
        SAME(detached_bytes, bytes);
        OK(MPI_Buffer_attach(buffer, bytes));
    }
    OK(MPI_Buffer_detach(&detached, &detached_bytes));
    free(buffer);
    free(data);
}

/* An attached buffer of any size at any address: a message fits or is refused, at the latest where
 * the overhead is granted it fits, and what lies in front of the buffer and behind it stays as it
 * was. */
static void exact(int n)
{
    enum { AROUND = 64 };
    int most = n + MPI_BSEND_OVERHEAD, bytes;
    unsigned char *area = t_alloc((size_t)(most + 2 * AROUND)), *out = t_alloc((size_t)n),
        *in = t_alloc((size_t)n);
    void *detached;

    t_fill(out, (size_t)n, 6);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int room = 0; room <= most; room++) {
        unsigned char *buffer = area + AROUND + room % 16;
        memset(area, T_GUARD_BYTE, (size_t)(most + 2 * AROUND));
        OK(MPI_Buffer_attach(buffer, room));
        int code = MPI_Bsend(out, n, MPI_BYTE, t_next(), 5, MPI_COMM_WORLD);
        CHECK(code == MPI_SUCCESS || room < most);
        CHECK(code != MPI_SUCCESS || room >= n);
        if (code == MPI_SUCCESS) {
            OK(MPI_Recv(in, n, MPI_BYTE, t_prev(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            DATA(in, (size_t)n, 6);
        }
        OK(MPI_Buffer_detach(&detached, &bytes));
        for (unsigned char *p = area; p < area + most + 2 * AROUND; p++)
            if (p < buffer || p >= buffer + room)
                SAME(*p, T_GUARD_BYTE);
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    free(area);
    free(out);
    free(in);
}

/* Room for one message at a time, used a thousand times: it
 * must come back once the message is received. */
static void reuse(int n)
{
    int bytes = n + MPI_BSEND_OVERHEAD, ignored;
    unsigned char *buffer = t_alloc((size_t)bytes), *out = t_alloc((size_t)n),
        *in = t_alloc((size_t)n);
    void *detached;

    OK(MPI_Buffer_attach(buffer, bytes));
    for (int i = 0; i < 1000; i++) {
        MPI_Request receive;

        t_fill(out, (size_t)n, (unsigned)i);
        OK(MPI_Irecv(in, n, MPI_BYTE, t_prev(), 3, MPI_COMM_WORLD, &receive));
        OK(MPI_Bsend(out, n, MPI_BYTE, t_next(), 3, MPI_COMM_WORLD));
        OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        DATA(in, (size_t)n, (unsigned)i);
        OK(MPI_Buffer_detach(&detached, &ignored));
        OK(MPI_Buffer_attach(buffer, bytes));
    }
    OK(MPI_Buffer_detach(&detached, &ignored));
    free(buffer);
    free(out);
    free(in);
}

/* After the detach the buffer is ours again: overwriting it must not harm what was sent. */
static void detach_waits(int n)
{
    int bytes = 2 * n + 2 * MPI_BSEND_OVERHEAD, ignored;
    unsigned char *buffer = t_alloc((size_t)bytes), *out = t_alloc((size_t)n),
        *in = t_alloc((size_t)n);
    void *detached;
    MPI_Request receive;

    OK(MPI_Irecv(in, n, MPI_BYTE, t_prev(), 4, MPI_COMM_WORLD, &receive));
    OK(MPI_Buffer_attach(buffer, bytes));
    t_fill(out, (size_t)n, 8);
    OK(MPI_Bsend(out, n, MPI_BYTE, t_next(), 4, MPI_COMM_WORLD));
    memset(out, 0xff, (size_t)n);
    OK(MPI_Buffer_detach(&detached, &ignored));
    memset(buffer, 0xff, (size_t)bytes);
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    DATA(in, (size_t)n, 8);
    free(buffer);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    fill_and_drain();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    reuse(1);
    reuse(30000);
    exact(1);
    exact(100);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    detach_waits(100);
    detach_waits(3 << 20);
    return t_end();
}
