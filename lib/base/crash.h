/* What a rank says when it crashes, or ends of a wrong call: why, and who called whom. */
#ifndef LIB_CRASH_H
#define LIB_CRASH_H

#include "base/stack.h"

/* The launcher's pipe for such reports; without it they go to standard error. */
#define CRASH_ENV_FD "MPILITE_CRASH_FD"
/* "off": no reports. */
#define CRASH_ENV "MPILITE_CRASH"

/* From now on, for each deadly signal for which the process has no handler.  Lines of a report:
 *   rank 3 (pid 4711): SIGSEGV (address not mapped) at address 0x10
 *     #0 name+0x12 (/path/of/program+0x1234)
 * and, where the stack could not be read any further, STACK_DAMAGED of stack.h.
 * To the launcher the first line goes alone, and once more with the others behind it.  Then the
 * signal does what it does without a handler.  Once per process. */
void mpi_crash_watch(unsigned rank);

/* The calling thread gets a stack for the report, as the first one has: its own may be what is
 * damaged, or full.  Until it ends.  Again and again at no cost. */
void mpi_crash_watch_thread(void);

/* A call was wrong, of which the process is about to end: in the same way, for the launcher alone,
 * with the call's name in place of the signal, and from where the program has called. */
void mpi_crash_tell_call(const char *call);
/* The same of an object, made by the call that returns to `maker` (NULL: nobody knows). */
void mpi_crash_tell_call_on(const char *call, const char *what, const void *maker);

#endif
