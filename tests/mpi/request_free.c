/* Requests freed while active: the transfers still complete. */
#include "t.h"

enum { MESSAGES = 15 };

static size_t size_of(int i) { return i % 3 == 0 ? 300000 : i % 3 == 1 ? 5000 : 20; }

static unsigned char *out[MESSAGES], *in[MESSAGES];

/* Sends nobody waits for; the buffers stay as they are until the receiver has everything. */
static void freed_sends(void)
{
    MPI_Request request;

    for (int i = 0; i < MESSAGES; i++) {
        if (i % 2)
            OK(MPI_Issend(out[i], (int)size_of(i), MPI_BYTE, t_next(), i, MPI_COMM_WORLD,
                          &request));
        else
            OK(MPI_Isend(out[i], (int)size_of(i), MPI_BYTE, t_next(), i, MPI_COMM_WORLD, &request));
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
    }
    for (int i = MESSAGES - 1; i >= 0; i--) {
        OK(MPI_Recv(in[i], (int)size_of(i), MPI_BYTE, t_prev(), i, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
        DATA(in[i], size_of(i), (unsigned)(t_prev() + i));
    }
}

/* While the NIC's thread may still write: a race, on purpose.  The thread sanitizer would take note
 * of each byte, and look through all its notes for the next, which can take minutes. */
__attribute__((noinline, no_sanitize("thread")))
static int there(const unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const volatile unsigned char *)data)[i] != t_byte(seed, i))
            return 0;
    return 1;
}

/* Receives nobody waits for: the data come in while the library makes progress. */
static void freed_receives(void)
{
    MPI_Request receive, sends[MESSAGES];
    int flag;

    for (int i = 0; i < MESSAGES; i++) {
        memset(in[i], 0, size_of(i));
        OK(MPI_Irecv(in[i], (int)size_of(i), MPI_BYTE, t_prev(), i, MPI_COMM_WORLD, &receive));
        OK(MPI_Request_free(&receive));
    }
    for (int i = 0; i < MESSAGES; i++)
        OK(MPI_Isend(out[i], (int)size_of(i), MPI_BYTE, t_next(), i, MPI_COMM_WORLD, &sends[i]));
    for (int i = 0; i < MESSAGES; i++)
        while (!there(in[i], size_of(i), (unsigned)(t_prev() + i)))
            OK(MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < MESSAGES; i++) {
        out[i] = t_alloc(size_of(i));
        in[i] = t_alloc(size_of(i));
        t_fill(out[i], size_of(i), (unsigned)(t_rank + i));
    }
    freed_sends();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    freed_receives();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < MESSAGES; i++) {
        free(out[i]);
        free(in[i]);
    }
    return t_end();
}
