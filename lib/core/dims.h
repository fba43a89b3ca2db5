/* A number as a product of factors that are as close to each other as can be. */
#ifndef MPI_DIMS_H
#define MPI_DIMS_H

/* n >= 1 into `count` factors (0: n is 1), in non-increasing order: the greatest and the least are
 * as close as can be; of several such the grid with the least surface, where its parts meet. */
void mpi_dims_balance(int n, int count, int *factor);

#endif
