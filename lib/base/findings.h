/* How a rank under mpirun --check tells what it has found: lines "RANK MARK TEXT", each written at
 * once; MARK says whether the job fails of it. */
#ifndef LIB_FINDINGS_H
#define LIB_FINDINGS_H

/* The number of the descriptor. */
#define FINDINGS_ENV_FD "MPILITE_CHECK_FD"

enum { FINDING_WRONG = '!', FINDING_REMARK = '-' };

/* Of a line; less than a pipe takes at once. */
enum { FINDING_BYTES = 2048 };

#endif
