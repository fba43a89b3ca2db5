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

#endif
