/* The call that a wrapper stands for. */
#ifndef CHECK_CALLER_H
#define CHECK_CALLER_H

#include <mpi.h>
#include <stdint.h>

/* Where the program has called. */
#define CHECK_CALLER __builtin_return_address(0)

#endif
