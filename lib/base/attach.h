/* Waiting for a debugger. */
#ifndef LIB_ATTACH_H
#define LIB_ATTACH_H

/* The ranks that wait. */
#define ATTACH_ENV "MPILITE_ATTACH"

/* If this rank is one of them: says how to attach, and returns when a debugger has and lets the
 * process go on. */
void mpi_attach_wait(unsigned rank);

#endif
