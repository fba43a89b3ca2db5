/* Which contexts are free with this rank. */
#include "core/context.h"

#include <string.h>

static uint64_t free_ones[MPI_CONTEXT_WINDOWS][MPI_CONTEXT_WORDS];      /* owner: baton */

static uint64_t *word_of(unsigned number)
{
    return &free_ones[number / MPI_CONTEXT_WINDOW][number % MPI_CONTEXT_WINDOW / 64];
}

void mpi_context_take(unsigned number) { *word_of(number) &= ~(UINT64_C(1) << number % 64); }
void mpi_context_free(unsigned number) { *word_of(number) |= UINT64_C(1) << number % 64; }

void mpi_contexts_init(void)
{
    memset(free_ones, 0xff, sizeof free_ones);
    mpi_context_take(MPI_CONTEXT_WORLD);
    mpi_context_take(MPI_CONTEXT_SELF);
}

const uint64_t *mpi_context_window(unsigned window) { return free_ones[window]; }

bool mpi_context_lowest(const uint64_t *set, unsigned window, unsigned *number)
{
    for (unsigned w = 0; w < MPI_CONTEXT_WORDS; w++)
        if (set[w]) {
            unsigned bit = (unsigned)__builtin_ctzll(set[w]);
            *number = window * MPI_CONTEXT_WINDOW + w * 64 + bit;
            return true;
        }
    return false;
}

uint64_t mpi_context_windows(void)
{
    uint64_t mask = 0;
    unsigned number;
    for (unsigned w = 0; w < MPI_CONTEXT_ALONE; w++)
        mask |= (uint64_t)mpi_context_lowest(free_ones[w], w, &number) << w;
    return mask;
}
