#ifndef MPI_INFO_ENV_H
#define MPI_INFO_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* The keys of MPI_INFO_ENV, from 0; NULL: no more. */
const char *mpi_info_env_key(unsigned i);

/* The value of key `i`, cut at `room` bytes; false: it is not known.  `argv` is the program's if
 * argc is above 0, else the system is asked.  of_job: also what is known since MPI_Init. */
bool mpi_info_env_value(unsigned i, int argc, char *const *argv, bool of_job, char *value,
                        size_t room);

#endif
