/* What failed last while talking to a launcher, in words. */
#ifndef MPI_PMI_WHY_H
#define MPI_PMI_WHY_H

/* "": nothing has. */
const char *mpi_pmi_why(void);

/* Keeps the text and returns `error`, for the caller to return. */
int mpi_pmi_failed(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
