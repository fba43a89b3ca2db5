/* How a rank under mpirun --check tells what it has found: lines "RANK MARK TEXT", each written at
 * once.  MARK: the job fails of it, it does not, or nothing was found yet, but somebody looks. */
#ifndef LIB_FINDINGS_H
#define LIB_FINDINGS_H

/* The number of the descriptor. */
#define FINDINGS_ENV_FD "MPILITE_CHECK_FD"

enum { FINDING_WRONG = '!', FINDING_REMARK = '-', FINDING_NONE = '+' };

/* Of a line; less than a pipe takes at once. */
enum { FINDING_BYTES = 2048 };

#endif
