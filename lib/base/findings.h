/* How a rank under mpirun --check tells what it has found: lines "RANK TEXT", each written at
 * once. */
#ifndef LIB_FINDINGS_H
#define LIB_FINDINGS_H

/* The number of the descriptor. */
#define FINDINGS_ENV_FD "MPILITE_CHECK_FD"

/* Of a line; less than a pipe takes at once. */
enum { FINDING_BYTES = 2048 };

#endif
