/* Generalized requests: which of the program's functions is called when and how often, by every
 * call that completes or looks; completed by the rank itself, from a function, and from another
 * thread while the rank sleeps. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "t.h"

struct state {
    int queries, frees, cancels, last_complete, answer;
    int tag;
    MPI_Request handle;
};

static int query(void *extra, MPI_Status *status)
{
    struct state *g = extra;
    g->queries++;
    OK(MPI_Status_set_elements_x(status, MPI_INT, g->tag + 1));
    OK(MPI_Status_set_cancelled(status, g->cancels > 0));
    status->MPI_SOURCE = 5;
    status->MPI_TAG = g->tag;
    return g->answer;
}

static int release(void *extra)
{
    struct state *g = extra;
    g->frees++;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    struct state *g = extra;
    g->cancels++;
    g->last_complete = complete;
    if (!complete)
        OK(MPI_Grequest_complete(g->handle));
    return MPI_SUCCESS;
}

static void begin(struct state *g, int tag)
{
    *g = (struct state){ .tag = tag };
    OK(MPI_Grequest_start(query, release, cancel, g, &g->handle));
    CHECK(g->handle != MPI_REQUEST_NULL);
}

#define CALLED(g, q, f, c) \
    do { \
        SAME((g).queries, q); \
        SAME((g).frees, f); \
        SAME((g).cancels, c); \
    } while (0)

static void says(const MPI_Status *s, int tag)
{
    int n;
    SAME(s->MPI_SOURCE, 5);
    SAME(s->MPI_TAG, tag);
    OK(MPI_Get_count(s, MPI_INT, &n));
    SAME(n, tag + 1);
}

/* -- one at a time */

static void wait_and_test(void)
{
    struct state g;
    MPI_Status s = { .MPI_ERROR = 66 };
    int flag;
    begin(&g, 1);
    MPI_Request r = g.handle;
    OK(MPI_Test(&r, &flag, &s));
    SAME(flag, 0);
    OK(MPI_Request_get_status(r, &flag, &s));
    SAME(flag, 0);
    CALLED(g, 0, 0, 0);
    OK(MPI_Grequest_complete(r));
    CALLED(g, 0, 0, 0);
    for (int i = 1; i <= 3; i++) {
        OK(MPI_Request_get_status(r, &flag, &s));
        SAME(flag, 1);
        says(&s, 1);
        CALLED(g, i, 0, 0);
    }
    s.MPI_ERROR = 66;
    OK(MPI_Wait(&r, &s));
    SAME(s.MPI_ERROR, 66);
    says(&s, 1);
    CALLED(g, 4, 1, 0);
    CHECK(r == MPI_REQUEST_NULL);
    begin(&g, 2);
    OK(MPI_Grequest_complete(g.handle));
    OK(MPI_Test(&g.handle, &flag, MPI_STATUS_IGNORE));     /* the function is called all the same */
    SAME(flag, 1);
    CALLED(g, 1, 1, 0);
}

/* Freed before and after it is complete: no status is asked for. */
static void freed(void)
{
    struct state g;
    MPI_Request r;
    begin(&g, 1);
    r = g.handle;
    OK(MPI_Request_free(&r));
    CALLED(g, 0, 0, 0);
    OK(MPI_Grequest_complete(g.handle));
    CALLED(g, 0, 1, 0);
    begin(&g, 1);
    OK(MPI_Grequest_complete(g.handle));
    OK(MPI_Request_free(&g.handle));
    CHECK(g.handle == MPI_REQUEST_NULL);
    CALLED(g, 0, 1, 0);
}

static void cancelled(void)
{
    struct state g;
    MPI_Status s;
    int flag;
    begin(&g, 3);
    OK(MPI_Cancel(&g.handle));
    CALLED(g, 0, 0, 1);
    SAME(g.last_complete, 0);
    OK(MPI_Cancel(&g.handle));
    CALLED(g, 0, 0, 2);
    CHECK(g.last_complete != 0);
    OK(MPI_Wait(&g.handle, &s));
    CALLED(g, 1, 1, 2);
    OK(MPI_Test_cancelled(&s, &flag));
    CHECK(flag);
}

/* -- among others */

enum { MANY = 6 };

static void among_others(void)
{
    struct state g[MANY];
    MPI_Request r[2 * MANY];
    MPI_Status s[2 * MANY];
    int in[MANY], n, index, flag, indices[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        begin(&g[i], i);
        r[2 * i] = g[i].handle;
        in[i] = -1;
        OK(MPI_Irecv(&in[i], 1, MPI_INT, t_prev(), i, MPI_COMM_WORLD, &r[2 * i + 1]));
    }
    OK(MPI_Testany(2 * MANY, r, &index, &flag, s));
    SAME(flag, 0);
    OK(MPI_Grequest_complete(g[2].handle));
    OK(MPI_Waitany(2 * MANY, r, &index, s));
    SAME(index, 4);
    says(s, 2);
    CALLED(g[2], 1, 1, 0);
    OK(MPI_Grequest_complete(g[5].handle));
    OK(MPI_Grequest_complete(g[3].handle));
    OK(MPI_Waitsome(2 * MANY, r, &n, indices, s));
    SAME(n, 2);
    SAME(indices[0], 6);
    SAME(indices[1], 10);
    says(&s[0], 3);
    says(&s[1], 5);
    OK(MPI_Testall(2 * MANY, r, &flag, s));
    SAME(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Send(&i, 1, MPI_INT, t_next(), i, MPI_COMM_WORLD));
    OK(MPI_Grequest_complete(g[0].handle));
    OK(MPI_Grequest_complete(g[1].handle));
    OK(MPI_Grequest_complete(g[4].handle));
    OK(MPI_Waitall(2 * MANY, r, s));
    for (int i = 0; i < MANY; i++) {
        SAME(in[i], i);
        SAME(s[2 * i + 1].MPI_TAG, i);
        CALLED(g[i], 1, 1, 0);
    }
    says(&s[0], 0);
    says(&s[8], 4);
    SAME(s[4].MPI_SOURCE, MPI_ANY_SOURCE);      /* null already */
}

/* -- from another thread */

static void *complete_later(void *argument)
{
    struct timespec pause = { .tv_nsec = 2000000 };
    struct state *g = argument;
    if (g->tag == 9)        /* asleep, and looked at for standing still */
        pause.tv_nsec = 0, pause.tv_sec = 2;
    while (nanosleep(&pause, &pause) && errno == EINTR)
        ;
    OK(MPI_Grequest_complete(g->handle));
    return NULL;
}

static void from_a_thread(int tag, int by)
{
    struct state g;
    MPI_Status s;
    MPI_Request r[2];
    pthread_t thread;
    int index;
    begin(&g, tag);
    r[0] = MPI_REQUEST_NULL;
    r[1] = g.handle;
    CHECK(pthread_create(&thread, NULL, complete_later, &g) == 0);
    if (by == 0)
        OK(MPI_Wait(&r[1], &s));
    else if (by == 1)
        OK(MPI_Waitany(2, r, &index, &s));
    else
        OK(MPI_Waitall(1, &r[1], &s));
    says(&s, tag);
    CALLED(g, 1, 1, 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* -- errors */

static void errors(void)
{
    struct state g;
    MPI_Status s;
    int in, flag;
    MPI_Request r;
    CLASS(MPI_Grequest_start(NULL, release, cancel, &g, &r), MPI_ERR_ARG);
    CLASS(MPI_Grequest_start(query, release, cancel, &g, NULL), MPI_ERR_REQUEST);
    CLASS(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    OK(MPI_Irecv(&in, 1, MPI_INT, t_rank, 1, MPI_COMM_WORLD, &r));
    CLASS(MPI_Grequest_complete(r), MPI_ERR_REQUEST);
    OK(MPI_Cancel(&r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    begin(&g, 1);
    r = g.handle;
    OK(MPI_Grequest_complete(r));
    CLASS(MPI_Grequest_complete(r), MPI_ERR_REQUEST);
    g.answer = MPI_ERR_OTHER;
    CLASS(MPI_Request_get_status(r, &flag, &s), MPI_ERR_OTHER);
    CLASS(MPI_Waitall(1, &r, &s), MPI_ERR_IN_STATUS);
    SAME(s.MPI_ERROR, MPI_ERR_OTHER);
    CALLED(g, 2, 1, 0);
    CLASS(MPI_Grequest_complete(g.handle), MPI_ERR_REQUEST);
    begin(&g, 1);
    g.answer = MPI_ERR_ARG;
    OK(MPI_Grequest_complete(g.handle));
    CLASS(MPI_Wait(&g.handle, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CALLED(g, 1, 1, 0);
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    wait_and_test();
    freed();
    cancelled();
    among_others();
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int i = 0; i < 6; i++)
            from_a_thread(i, i % 3);
        if (t_size == 2)        /* all ranks wait, one after the other is woken */
            from_a_thread(9, t_rank);
    }
    t_errors_return();
    errors();
    return t_end();
}
