/* Who has the library open: the program by MPI_Init, and each session.  The first of them opens the
 * NIC. */
#ifndef MPI_INIT_H
#define MPI_INIT_H

#include <stdbool.h>

/* A session begins; required: the level of threads that it would like, if it is the first.  False:
 * MPI_Finalize has closed the NIC.  `call` for messages.  Any thread. */
bool mpi_library_enter(const char *call, int required);

/* It has ended.  The NIC stays open until the process exits, as another one may begin. */
void mpi_library_leave(void);

/* For a tool in MPI_Finalize, before PMPI_Finalize: attributes are deleted, and all ranks have come
 * to their end.  False: some are in PMPI_Finalize already, and wait for nobody any more. */
bool mpi_library_meet(void);

/* Waits until all that this rank has sent is away.  Baton held. */
void mpi_library_drain(void);

/* What the tool interface wants to be told, while nobody else opens or closes the NIC. */
struct mpi_tool_hooks {
    void (*opened)(void);       /* MPI is there: without the baton */
    void (*closing)(void);      /* the NIC is about to be closed: without the baton */
};

/* From now on; at once, if MPI is there already.  Only the first call counts.  Any thread that has
 * no baton. */
void mpi_library_tell(const struct mpi_tool_hooks *hooks);

#endif
