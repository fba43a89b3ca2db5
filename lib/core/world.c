/* The library's variables of this process, and the ways out of it that are none of MPI_Finalize. */
#include "core/world.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmi/join.h"

int mpi_state;
struct nic *mpi_nic;
struct fw *mpi_fw;
struct nic_job *mpi_job;
unsigned mpi_job_rank;
bool mpi_modelled;
bool mpi_threaded;
size_t mpi_eager_max;

void mpi_die(int code)
{
    if (mpi_job)
        nic_job_set_abort(mpi_job, mpi_job_rank, code);
    fflush(stdout);
    mpi_join_abort(code);
    _exit(code && !(code & 255) ? 1 : code);     /* a failure must not become 0 for want of bits */
}

static void (*own_memory)(void);

void mpi_world_in_child(void (*make)(void)) { own_memory = make; }

/* It has the memory of its rank, and what it sent or received would be the rank's. */
static void in_child(void)
{
    if (own_memory)
        own_memory();
    if (mpi_state == MPI_STATE_INIT)
        mpi_state_set(MPI_STATE_CHILD);
}

void mpi_world_mind_children(void)
{
    static bool minded;

    minded = minded || !pthread_atfork(NULL, NULL, in_child);
}

void mpi_state_error(const char *call)
{
    if (mpi_state == MPI_STATE_CHILD)
        mpi_refuse(": %s was called in a child of rank %u", call, mpi_job_rank);
    mpi_refuse(": %s was called %s", call,
               mpi_state == MPI_STATE_NONE ? "before MPI_Init" : "after MPI_Finalize");
}

/* -- who says it */

/* Before the job is open the launcher's word is taken for it; -1: it is not known. */
static long rank_of_process(void)
{
    const char *rank = getenv("MPILITE_LAUNCHED") ? getenv(NIC_ENV_RANK) : NULL;

    if (mpi_state == MPI_STATE_CHILD)
        return -1;
    if (mpi_job || mpi_state != MPI_STATE_NONE)
        return mpi_job_rank;
    return rank ? strtol(rank, NULL, 10) : -1;
}

const char *mpi_reporter(char *text, size_t size)
{
    long rank = rank_of_process();

    if (rank < 0)
        snprintf(text, size, "process %ld", (long)getpid());
    else
        snprintf(text, size, "rank %ld of MPI_COMM_WORLD", rank);
    return text;
}

void mpi_refuse(const char *format, ...)
{
    char why[1024], who[64];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    bool known = rank_of_process() >= 0;
    fprintf(stderr, "Fatal error%s%s%s\n", why, known ? "\n  reported by " : "",
            known ? mpi_reporter(who, sizeof who) : "");
    mpi_die(1);
}
