/* The level of threads that MPI_Init_thread has provided. */
#include "core/thread_level.h"

#include <pthread.h>
#include <stdio.h>

#include "base/note_mark.h"
#include "core/world.h"
#include "mpi.h"

static int level;
static const char *init_call;
static pthread_t main_thread;

const char *mpi_thread_name_of(int which)
{
    return which == MPI_THREAD_SINGLE       ? "MPI_THREAD_SINGLE"
           : which == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
           : which == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                            : "MPI_THREAD_MULTIPLE";
}

const char *mpi_thread_level_name(void) { return mpi_thread_name_of(level); }

int mpi_thread_level(void) { return level; }

bool mpi_thread_is_main(void) { return pthread_equal(pthread_self(), main_thread); }

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
            init_call, mpi_thread_level_name(), advice);
}

static void say_inside(const char *what)
{
    char call[NIC_NOTE_BYTES];
    struct note_mark mark;
    snprintf(call, sizeof call, "%s", what ? what : "a call of MPI that communicates");
    note_mark_take(call, &mark);
    fprintf(stderr, "Fatal error: rank %u: %s, inside the function of a reduction's operation"
            " (MPI_Op_create), which may not communicate\n", nic_rank(mpi_nic), call);
}

void mpi_thread_misuse(enum nic_misuse kind, const char *what)
{
    if (kind == NIC_MISUSE_INSIDE) {
        say_inside(what);
        mpi_die(1);
    }
    if (kind == NIC_MISUSE_OTHER) {
        say("Warning", "a thread other than the main one calls MPI");
        return;
    }
    say("Fatal error", "several threads call MPI at once");
    mpi_die(1);
}
