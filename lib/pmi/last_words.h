/* What a rank has written before it ends the job. */
#ifndef MPI_PMI_LAST_WORDS_H
#define MPI_PMI_LAST_WORDS_H

/* Waits until the launcher has read what was written to standard output and standard error, but not
 * for long: some launchers drop what they have not read when a rank aborts the job. */
void mpi_pmi_last_words(void);

#endif
