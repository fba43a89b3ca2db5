/* Levels of thread support: what the program was given, and what it is seen to do. */
#ifndef MPI_THREAD_LEVEL_H
#define MPI_THREAD_LEVEL_H

#include <stdbool.h>

#include "nicemu/threads.h"

/* The last part of MPI_Init, called with the baton by the thread that is the main one from here on.
 * `call`: its name.  Returns the level provided, which is `required` or less. */
int mpi_thread_begin(const char *call, int required);

/* The level provided, and its name. */
int mpi_thread_level(void);
const char *mpi_thread_level_name(void);
/* Of any level. */
const char *mpi_thread_name_of(int level);
bool mpi_thread_is_main(void);

/* For nic_on_misuse: says what is wrong with the level, or with what waits inside an operation;
 * ends the job but for NIC_MISUSE_OTHER. */
void mpi_thread_misuse(enum nic_misuse kind, const char *what);

#endif
