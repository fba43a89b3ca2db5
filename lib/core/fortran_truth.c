/* The two values of LOGICAL. */
#include "core/fortran_truth.h"

#include <pthread.h>
#include <string.h>

struct mpi_fortran_truth mpi_fortran_truth[MPI_LOGICAL_SIZES] = {
    { 0, 1 }, { 0, 1 }, { 0, 1 }, { 0, 1 }, { 0, 1 },
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int known = -1;      /* the index that was set; under lock */

int mpi_logical_size_index(size_t bytes)
{
    for (int i = 0; i < MPI_LOGICAL_SIZES; i++)
        if (bytes == (size_t)1 << i)
            return i;
    return -1;
}

bool mpi_fortran_truth_set(int index, const void *yes, const void *no)
{
    struct mpi_fortran_truth *truth = &mpi_fortran_truth[index];
    pthread_mutex_lock(&lock);
    bool first = known < 0;
    if (first) {
        *truth = (struct mpi_fortran_truth){ 0, 0 };
        memcpy(&truth->yes, yes, (size_t)1 << index);
        memcpy(&truth->no, no, (size_t)1 << index);
        known = index;
    }
    pthread_mutex_unlock(&lock);
    return first;
}

bool mpi_fortran_truth_get(int index, void *yes, void *no)
{
    pthread_mutex_lock(&lock);
    bool set = known == index;
    if (set) {
        memcpy(yes, &mpi_fortran_truth[index].yes, (size_t)1 << index);
        memcpy(no, &mpi_fortran_truth[index].no, (size_t)1 << index);
    }
    pthread_mutex_unlock(&lock);
    return set;
}
