/* Buffers of buffered sends: of the process, of communicators, automatic ones; flushing; which one
 * a send takes. */
#include <stdbool.h>
#include "t.h"

enum { ROOM = 8192, TAG = 4, SHORT = 300, LONG = 200000 };

static void *block(void) { return t_alloc(ROOM); }

/* A message of SHORT bytes that the receiver checks. */
static void send(MPI_Comm c, int tag)
{
    unsigned char data[SHORT];
    t_fill(data, SHORT, (unsigned)(t_rank + tag));
    OK(MPI_Bsend(data, SHORT, MPI_BYTE, t_next(), tag, c));
    memset(data, 0, SHORT);
}

static void receive(MPI_Comm c, int tag)
{
    unsigned char data[SHORT];
    OK(MPI_Recv(data, SHORT, MPI_BYTE, t_prev(), tag, c, MPI_STATUS_IGNORE));
    DATA(data, SHORT, (unsigned)(t_prev() + tag));
}

/* The communicator's goes before the process's, which serves all others, even where only that has
 * the room. */
static void which(MPI_Comm dup)
{
    enum { MUCH = LONG + ROOM };
    void *own = block(), *process = t_alloc(MUCH), *p;
    unsigned char *large = t_alloc(LONG);
    MPI_Count bytes;
    int size;
    memset(large, 0, LONG);
    CLASS(MPI_Bsend(large, 1, MPI_BYTE, t_next(), TAG, dup), MPI_ERR_BUFFER);
    OK(MPI_Comm_attach_buffer(dup, own, ROOM));
    CLASS(MPI_Comm_attach_buffer_c(dup, process, ROOM), MPI_ERR_BUFFER);
    send(dup, TAG);
    CLASS(MPI_Bsend(large, 1, MPI_BYTE, t_next(), TAG, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    OK(MPI_Buffer_attach_c(process, MUCH));
    send(MPI_COMM_WORLD, TAG);
    CLASS(MPI_Bsend(large, LONG, MPI_BYTE, t_next(), TAG, dup), MPI_ERR_BUFFER);
    receive(dup, TAG);
    receive(MPI_COMM_WORLD, TAG);
    OK(MPI_Comm_detach_buffer(dup, &p, &size));
    CHECK(p == own);
    SAME(size, ROOM);
    send(dup, TAG + 1);     /* now by the process's */
    receive(dup, TAG + 1);
    OK(MPI_Buffer_detach_c(&p, &bytes));
    CHECK(p == process);
    SAME(bytes, MUCH);
    OK(MPI_Comm_detach_buffer_c(dup, &p, &bytes));
    CHECK(p == NULL);
    SAME(bytes, 0);
    free(own);
    free(process);
    free(large);
}

/* As much as is asked for; what is long waits for its receive. */
static void automatic(MPI_Comm c, bool of_comm)
{
    unsigned char *data[5], *in = t_alloc(LONG);
    void *p = NULL;
    int size, flag;
    MPI_Request r;
    if (of_comm)
        OK(MPI_Comm_attach_buffer(c, MPI_BUFFER_AUTOMATIC, 0));
    else
        OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    for (int i = 0; i < 5; i++) {
        data[i] = t_alloc(LONG);
        t_fill(data[i], LONG, (unsigned)(t_rank + i));
        OK(MPI_Bsend(data[i], LONG, MPI_BYTE, t_next(), TAG + i, c));
        memset(data[i], 0, LONG);
        free(data[i]);
    }
    OK(of_comm ? MPI_Comm_iflush_buffer(c, &r) : MPI_Buffer_iflush(&r));
    OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
    SAME(flag, 0);
    OK(MPI_Bsend(&size, 0, MPI_BYTE, t_next(), TAG + 9, c));    /* the flush is not for this one */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 4; i >= 0; i--) {
        OK(MPI_Recv(in, LONG, MPI_BYTE, t_prev(), TAG + i, c, MPI_STATUS_IGNORE));
        DATA(in, LONG, (unsigned)(t_prev() + i));
    }
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in, 0, MPI_BYTE, t_prev(), TAG + 9, c, MPI_STATUS_IGNORE));
    OK(of_comm ? MPI_Comm_flush_buffer(c) : MPI_Buffer_flush());
    OK(of_comm ? MPI_Comm_iflush_buffer(c, &r) : MPI_Buffer_iflush(&r));
    OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));     /* nothing is left */
    SAME(flag, 1);
    OK(of_comm ? MPI_Comm_detach_buffer(c, &p, &size) : MPI_Buffer_detach(&p, &size));
    CHECK(p == MPI_BUFFER_AUTOMATIC);
    free(in);
}

/* A flush waits for a long message until it is received, and detaching does. */
static void waits(MPI_Comm dup)
{
    unsigned char *out = t_alloc(LONG), *in = t_alloc(LONG);
    size_t room = LONG + MPI_BSEND_OVERHEAD;
    void *buffer = t_alloc(room), *p;
    int size;
    MPI_Request r;
    t_fill(out, LONG, (unsigned)t_rank);
    OK(MPI_Comm_attach_buffer(dup, buffer, (int)room));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Irecv(in, LONG, MPI_BYTE, t_prev(), TAG, dup, &r));
        OK(MPI_Bsend(out, LONG, MPI_BYTE, t_next(), TAG, dup));
        if (i == 0)
            OK(MPI_Comm_flush_buffer(dup));
        else
            OK(MPI_Comm_detach_buffer(dup, &p, &size));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        DATA(in, LONG, (unsigned)t_prev());
    }
    CHECK(p == buffer);
    SAME(size, (int)room);
    free(buffer);
    free(out);
    free(in);
}

/* A communicator freed with a message in its buffer. */
static void freed(void)
{
    static unsigned char buffer[ROOM];
    unsigned char in[SHORT];
    MPI_Request r;
    MPI_Comm c;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    OK(MPI_Comm_attach_buffer(c, buffer, ROOM));
    OK(MPI_Irecv(in, SHORT, MPI_BYTE, t_prev(), TAG, c, &r));
    send(c, TAG);
    OK(MPI_Comm_free(&c));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    DATA(in, SHORT, (unsigned)(t_prev() + TAG));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A session's serves its communicators that have none of their own. */
static void of_session(void)
{
    void *session_buffer = block(), *own = block(), *p;
    int size;
    MPI_Count bytes;
    MPI_Session s, older;
    MPI_Group g;
    MPI_Comm c;
    MPI_Request r;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &older));    /* it has none */
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
    OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
    OK(MPI_Comm_create_from_group(g, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    OK(MPI_Group_free(&g));
    CLASS(MPI_Bsend(&size, 1, MPI_BYTE, t_next(), TAG, c), MPI_ERR_BUFFER);
    OK(MPI_Session_attach_buffer(s, session_buffer, ROOM));
    CLASS(MPI_Session_attach_buffer_c(s, own, ROOM), MPI_ERR_BUFFER);
    CLASS(MPI_Bsend(&size, 1, MPI_BYTE, t_next(), TAG, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    send(c, TAG);
    OK(MPI_Session_iflush_buffer(s, &r));
    OK(MPI_Comm_attach_buffer(c, own, ROOM));
    send(c, TAG + 1);
    receive(c, TAG);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Session_flush_buffer(s));
    OK(MPI_Session_detach_buffer(s, &p, &size));
    CHECK(p == session_buffer);
    SAME(size, ROOM);
    send(c, TAG + 2);       /* by its own */
    receive(c, TAG + 1);
    receive(c, TAG + 2);
    OK(MPI_Comm_detach_buffer(c, &p, &size));
    CHECK(p == own);
    OK(MPI_Session_detach_buffer_c(s, &p, &bytes));
    SAME(bytes, 0);
    OK(MPI_Comm_free(&c));
    OK(MPI_Session_finalize(&s));
    OK(MPI_Session_finalize(&older));
    CLASS(MPI_Session_flush_buffer(MPI_SESSION_NULL), MPI_ERR_SESSION);
    free(session_buffer);
    free(own);
}

/* A session ends when what is in its buffer has been received: then the program has it back. */
static void left_in_it(void)
{
    size_t room = LONG + MPI_BSEND_OVERHEAD;
    unsigned char *buffer = t_alloc(room), *out = t_alloc(LONG), *in = t_alloc(LONG);
    MPI_Session s;
    MPI_Group g;
    MPI_Comm c;
    MPI_Request r;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
    OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
    OK(MPI_Comm_create_from_group(g, "left", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    OK(MPI_Group_free(&g));
    OK(MPI_Session_attach_buffer(s, buffer, (int)room));
    OK(MPI_Irecv(in, LONG, MPI_BYTE, t_prev(), TAG, c, &r));
    t_fill(out, LONG, (unsigned)t_rank);
    OK(MPI_Bsend(out, LONG, MPI_BYTE, t_next(), TAG, c));
    OK(MPI_Comm_free(&c));
    OK(MPI_Session_finalize(&s));
    memset(buffer, 0, room);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    DATA(in, LONG, (unsigned)t_prev());
    free(buffer);
    free(out);
    free(in);
}

static void errors(MPI_Comm dup)
{
    char buffer[10];
    void *p;
    int size;
    CLASS(MPI_Comm_attach_buffer(MPI_COMM_NULL, buffer, 10), MPI_ERR_COMM);
    CLASS(MPI_Comm_attach_buffer(dup, buffer, -1), MPI_ERR_BUFFER);
    CLASS(MPI_Buffer_attach_c(NULL, 10), MPI_ERR_BUFFER);
    CLASS(MPI_Comm_detach_buffer(dup, NULL, &size), MPI_ERR_ARG);
    CLASS(MPI_Buffer_detach(&p, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_flush_buffer(MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Buffer_iflush(NULL), MPI_ERR_REQUEST);
    CLASS(MPI_Comm_iflush_buffer(dup, NULL), MPI_ERR_REQUEST);
    OK(MPI_Comm_flush_buffer(dup));     /* none is attached */
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    t_start(&argc, &argv);
    t_errors_return();
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    which(dup);
    automatic(dup, true);
    automatic(MPI_COMM_WORLD, false);
    waits(dup);
    freed();
    of_session();
    left_in_it();
    errors(dup);
    OK(MPI_Comm_free(&dup));
    return t_end();
}
