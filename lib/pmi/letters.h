/* Bytes as letters, digits, '-' and '_': what every launcher passes on as it is. */
#ifndef MPI_PMI_LETTERS_H
#define MPI_PMI_LETTERS_H

#include <stddef.h>
#include <sys/types.h>

/* Characters for so many bytes. */
static inline size_t mpi_pmi_letters_of(size_t bytes) { return (bytes * 4 + 2) / 3; }

/* Writes mpi_pmi_letters_of(bytes) characters and a 0. */
void mpi_pmi_letters_write(char *text, const void *data, size_t bytes);

/* Returns the bytes that a text stands for, -1: for none, or for more than room. */
ssize_t mpi_pmi_letters_read(const char *text, void *data, size_t room);

#endif
