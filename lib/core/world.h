/* What this process is in its job, and how far the library's life in it has come: not begun,
 * between MPI_Init and MPI_Finalize, over.  MPI_Init and MPI_Finalize write these variables, and
 * the program orders those two with its other calls: a plain read is enough. */
#ifndef MPI_WORLD_H
#define MPI_WORLD_H

#include "fw/fw.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The last one: a process that a rank has forked meanwhile. */
enum { MPI_STATE_NONE, MPI_STATE_INIT, MPI_STATE_FINALIZED, MPI_STATE_CHILD };

extern int mpi_state;
extern struct nic *mpi_nic;
extern struct fw *mpi_fw;
extern struct nic_job *mpi_job;
extern unsigned mpi_job_rank;   /* this process's rank in the job, known before its NIC is open */
extern size_t mpi_eager_max;    /* longest message that travels with its envelope */
extern bool mpi_modelled;       /* the model clock; stays as it is after MPI_Finalize */
extern bool mpi_threaded;       /* MPI_THREAD_MULTIPLE */

/* For a tool's threads, which MPI_Init and MPI_Finalize do not wait for: what was set up before the
 * state changed is seen (edge: the store below). */
static inline int mpi_state_now(void) { return __atomic_load_n(&mpi_state, __ATOMIC_ACQUIRE); }
static inline void mpi_state_set(int state)
{
    __atomic_store_n(&mpi_state, state, __ATOMIC_RELEASE);
}

/* From now on children of this process are in that state. */
void mpi_world_mind_children(void);
/* Before anything is written there: makes memory that a child would share with its rank, this
 * library's own perhaps, the child's.  Of one process one. */
void mpi_world_in_child(void (*own_memory)(void));

/* Says that `call` came before MPI_Init, after MPI_Finalize or in a child, and ends the process. */
void mpi_state_error(const char *call) __attribute__((noreturn, cold));

/* First statement of every MPI function that needs a running library. */
#define MPI_ENTER(call) \
    do { \
        if (unlikely(mpi_state != MPI_STATE_INIT)) \
            mpi_state_error(call); \
    } while (0)

/* Ends the whole job with this exit code. */
void mpi_die(int code) __attribute__((noreturn, cold));
/* The same with 1, having said "Fatal error", these words, and which rank reports it. */
void mpi_refuse(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
/* "rank 3 of MPI_COMM_WORLD", or "process 4711" where no rank is known: mpirun looks for this at
 * the end of what is said of fatal errors (lib/launch/io/reports.h).  Returns `text`. */
const char *mpi_reporter(char *text, size_t size);

#endif
