/* The predefined attributes: numbers of the job and of the library. */
#ifndef MPI_JOB_NUMBERS_H
#define MPI_JOB_NUMBERS_H

/* Once the NIC is open. */
void mpi_job_numbers_init(void);

/* Where the value of a predefined key stands; NULL: it is none of them. */
const int *mpi_job_number(int key);

#endif
