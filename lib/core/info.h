/* Info objects.  Thread rules: one lock for all of them, taken inside. */
#ifndef MPI_INFO_H
#define MPI_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"

/* New ones: empty, with what a program's start says, with the pairs of another.  MPI_INFO_NULL: no
 * memory. */
MPI_Info mpi_info_new(void);
MPI_Info mpi_info_new_env(int argc, char *const *argv);
MPI_Info mpi_info_copy(MPI_Info info);
void mpi_info_free(MPI_Info info);

/* Whether it is an object, MPI_INFO_ENV or the program's; and whether it may be read, which
 * MPI_INFO_NULL may too: it has no keys. */
bool mpi_info_is_object(MPI_Info info);
bool mpi_info_valid(MPI_Info info);

/* The value of a key, cut at `room` bytes; false: there is none. */
bool mpi_info_find(MPI_Info info, const char *key, char *value, size_t room);

bool mpi_info_set(MPI_Info info, const char *key, const char *value);   /* false: no memory */
bool mpi_info_unset(MPI_Info info, const char *key);                    /* false: no such key */
int mpi_info_keys(MPI_Info info);                                       /* how many it has */
bool mpi_info_nth_key(MPI_Info info, int n, char key[MPI_MAX_INFO_KEY]);

#endif
