/* A number as a product of factors that are as close to each other as can be. */
#ifndef MPI_DIMS_H
#define MPI_DIMS_H

/* n >= 1 into `count` factors, in non-increasing order: the greatest one is as small as possible,
 * then the second, and so on. */
void mpi_dims_balance(int n, int count, int *factor);

#endif
