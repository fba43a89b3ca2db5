/* The library's variables of this process, and the ways out of it that are none of MPI_Finalize. */
#include "core/world.h"

#include <pthread.h>
#include <stdio.h>
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
        fprintf(stderr, "Fatal error: %s was called in a child of rank %u\n", call, mpi_job_rank);
    else
        fprintf(stderr, "Fatal error: %s was called %s\n", call,
                mpi_state == MPI_STATE_NONE ? "before MPI_Init" : "after MPI_Finalize");
    mpi_die(1);
}
