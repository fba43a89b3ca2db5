/* Threads that attach, use, flush and detach one buffer of buffered sends at once: one of them gets
 * it back, and nobody touches it from then on. */
#include "t.h"
#include <pthread.h>

enum {
    DETACHERS = 2, FLUSHERS = 2, THREADS = DETACHERS + FLUSHERS, ROUNDS = 20, TAG = 3,
    LONG = 200000, ROOM = LONG + MPI_BSEND_OVERHEAD,
};

struct detached { void *buffer; int size; };

static unsigned char *out, *in;

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
    CHECK(pthread_create(thread, NULL, function, argument) == 0);
}

static void join(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static void *detach(void *argument)
{
    struct detached *d = argument;
    OK(MPI_Buffer_detach(&d->buffer, &d->size));
    return NULL;
}

static void *flush(void *argument)
{
    OK(MPI_Buffer_flush());
    return argument;
}

static void send(void)
{
    OK(MPI_Bsend(out, LONG, MPI_BYTE, t_next(), TAG, MPI_COMM_WORLD));
}

static void receive(void)
{
    OK(MPI_Recv(in, LONG, MPI_BYTE, t_prev(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    DATA(in, LONG, (unsigned)t_prev());
}

/* They all wait for one message. */
static void one_gets_it(void)
{
    struct detached d[DETACHERS];
    void *buffer = t_alloc(ROOM);
    pthread_t thread[THREADS];
    int got = 0;
    OK(MPI_Buffer_attach(buffer, ROOM));
    send();
    for (int i = 0; i < THREADS; i++)
        start(&thread[i], i < DETACHERS ? detach : flush, i < DETACHERS ? &d[i] : NULL);
    usleep(1000);
    receive();
    for (int i = 0; i < THREADS; i++)
        join(thread[i]);
    for (int i = 0; i < DETACHERS; i++) {
        CHECK(d[i].buffer == buffer || !d[i].buffer);
        SAME(d[i].size, d[i].buffer ? ROOM : 0);
        got += d[i].buffer != NULL;
    }
    SAME(got, 1);
    free(buffer);
}

static void *send_another(void *argument)
{
    int *class = argument, code = MPI_Bsend(out, LONG, MPI_BYTE, t_next(), TAG, MPI_COMM_WORLD);
    *class = MPI_SUCCESS;
    if (code)
        MPI_Error_class(code, class);
    return NULL;
}

/* A message for which there is no room yet, and perhaps no buffer when there is. */
static void one_more(void)
{
    struct detached d;
    void *buffer = t_alloc(ROOM);
    pthread_t sender, detacher;
    int class, their;
    OK(MPI_Buffer_attach(buffer, ROOM));
    send();
    start(&sender, send_another, &class);
    start(&detacher, detach, &d);
    receive();
    join(sender);
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_BUFFER);
    OK(MPI_Sendrecv(&class, 1, MPI_INT, t_next(), TAG + 1, &their, 1, MPI_INT, t_prev(), TAG + 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (!their)
        receive();
    join(detacher);
    CHECK(d.buffer == buffer);
    SAME(d.size, ROOM);
    free(buffer);
}

/* -- attaching */

struct attaching { pthread_barrier_t *both; char buffer[100]; int code; };

static void *attach(void *argument)
{
    struct attaching *a = argument;
    pthread_barrier_wait(a->both);
    a->code = MPI_Buffer_attach(a->buffer, sizeof a->buffer);
    return NULL;
}

static void one_is_attached(void)
{
    static struct attaching a[2];
    pthread_barrier_t both;
    pthread_t thread[2];
    void *p;
    int size, first;
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) {
        a[i].both = &both;
        start(&thread[i], attach, &a[i]);
    }
    for (int i = 0; i < 2; i++)
        join(thread[i]);
    first = a[0].code ? 1 : 0;
    OK(a[first].code);
    CLASS(a[!first].code, MPI_ERR_BUFFER);
    OK(MPI_Buffer_detach(&p, &size));
    CHECK(p == a[first].buffer);
    pthread_barrier_destroy(&both);
}

int main(int argc, char **argv)
{
    t_start_threads(&argc, &argv);
    t_errors_return();
    out = t_alloc(LONG);
    in = t_alloc(LONG);
    t_fill(out, LONG, (unsigned)t_rank);
    for (int i = 0; i < ROUNDS; i++) {
        one_gets_it();
        one_more();
        one_is_attached();
    }
    free(out);
    free(in);
    return t_end();
}
