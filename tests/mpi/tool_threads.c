/* A tool's thread that reads variables all the time, while MPI comes and goes. */
#include "t.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { MESSAGES = 100, AFTER_MS = 20 };

static MPI_T_pvar_session session;
static _Atomic int quit, reads;

#define RC(call, want) SAME(call, want)

static void *read_all(void *nothing)
{
    MPI_T_pvar_handle h;
    int index, count, provided;
    double elapsed;
    RC(MPI_T_pvar_get_index("elapsed", MPI_T_PVAR_CLASS_TIMER, &index), MPI_SUCCESS);
    while (!quit) {
        RC(MPI_T_pvar_handle_alloc(session, index, NULL, &h, &count), MPI_SUCCESS);
        RC(MPI_T_pvar_start(session, h), MPI_SUCCESS);
        RC(MPI_T_pvar_read(session, h, &elapsed), MPI_SUCCESS);
        RC(MPI_T_pvar_handle_free(session, &h), MPI_SUCCESS);
        RC(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
        RC(MPI_T_finalize(), MPI_SUCCESS);
        reads++;
    }
    return nothing;
}

static void pass(int milliseconds)
{
    const struct timespec t = { .tv_nsec = milliseconds * 1000000L };
    int before = reads;
    nanosleep(&t, NULL);
    while (reads < before + 2)          /* the thread is alive */
        nanosleep(&t, NULL);
}

static void messages(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        int in = -1;
        OK(MPI_Sendrecv(&i, 1, MPI_INT, t_next(), 1, &in, 1, MPI_INT, t_prev(), 1,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        SAME(in, i);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;
    RC(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    RC(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    SAME(pthread_create(&thread, NULL, read_all, NULL), 0);
    pass(1);
    t_start_threads(&argc, &argv);
    pass(1);
    messages();
    t_end();
    pass(AFTER_MS);
    quit = 1;
    SAME(pthread_join(thread, NULL), 0);
    RC(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    RC(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
