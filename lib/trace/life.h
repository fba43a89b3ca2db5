/* From where MPI or SHMEM begins to where both have ended. */
#ifndef TRACE_LIFE_H
#define TRACE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

/* It is there, behind this call; the rank's time begins with the first. */
void trace_life_began(unsigned call, uint64_t since);
/* The call that ends it begins; the rank's time ends with the last. */
void trace_life_ends(uint64_t now);

/* Between shmem_init and shmem_finalize. */
extern bool trace_shmem_up;

#endif
