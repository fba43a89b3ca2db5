/* The error classes in words. */
#ifndef MPI_ERR_TEXT_H
#define MPI_ERR_TEXT_H

/* Of a class: its name ("MPI_ERR_RANK"), and what it means in one line; NULL if it is no class. */
const char *mpi_err_name(int class);
const char *mpi_err_text(int class);

#endif
