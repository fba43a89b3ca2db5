/* The levels of MPI_Init_thread. */
#include "mpi/thread.h"

#include <pthread.h>
#include <stdio.h>

#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/twin.h"
#include "mpi/world.h"

static int level;
static const char *init_call;
static pthread_t main_thread;

static const char *level_name(void)
{
    return level == MPI_THREAD_SINGLE       ? "MPI_THREAD_SINGLE"
           : level == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
           : level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                            : "MPI_THREAD_MULTIPLE";
}

/* Anything between two levels, and beyond the last, counts as the one above or the last. */
static int level_from(int required)
{
    return required <= MPI_THREAD_SINGLE       ? MPI_THREAD_SINGLE
           : required <= MPI_THREAD_FUNNELED   ? MPI_THREAD_FUNNELED
           : required <= MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED
                                               : MPI_THREAD_MULTIPLE;
}

/* On the model clock calls at once would have no order that is the same in each run. */
int mpi_thread_begin(const char *call, int required)
{
    level = level_from(required);
    if (mpi_modelled && level == MPI_THREAD_MULTIPLE)
        level = MPI_THREAD_SERIALIZED;
    if (level == MPI_THREAD_MULTIPLE) {
        mpi_threaded = true;
        nic_share(mpi_nic);
    }
    if (level < MPI_THREAD_SERIALIZED)
        nic_one_host(mpi_nic);
    init_call = call;
    main_thread = pthread_self();
    return level;
}

/* What the program asked for or should ask for stands in the message: it is the line to change. */
static void say(const char *kind, const char *what)
{
    const char *advice = mpi_modelled
        ? "on the model clock MPI_THREAD_SERIALIZED is the most that MPI_Init_thread provides"
        : "ask MPI_Init_thread for the level that is needed, and look at what it provides";
    fprintf(stderr, "%s: rank %u: %s, but %s has provided %s; %s\n", kind, nic_rank(mpi_nic), what,
            init_call, level_name(), advice);
}

void mpi_thread_misuse(enum nic_misuse kind)
{
    if (kind == NIC_MISUSE_OTHER) {
        say("Warning", "a thread other than the main one calls MPI");
        return;
    }
    say("Fatal error", "several threads call MPI at once");
    mpi_die(1);
}

int PMPI_Query_thread(int *provided)
{
    MPI_ENTER("MPI_Query_thread");
    *provided = level;
    return MPI_SUCCESS;
}
TWIN(Query_thread);

int PMPI_Is_thread_main(int *flag)
{
    MPI_ENTER("MPI_Is_thread_main");
    *flag = pthread_equal(pthread_self(), main_thread) != 0;
    return MPI_SUCCESS;
}
TWIN(Is_thread_main);
