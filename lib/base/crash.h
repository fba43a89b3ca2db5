/* What a rank says when it crashes: the signal and who called whom. */
#ifndef LIB_CRASH_H
#define LIB_CRASH_H

/* The launcher's pipe for such reports; without it they go to standard error. */
#define CRASH_ENV_FD "MPILITE_CRASH_FD"
/* "off": no reports. */
#define CRASH_ENV "MPILITE_CRASH"

/* Bytes of a report at most: it is written in one piece. */
enum { CRASH_BYTES = 4096, CRASH_FRAMES = 32 };

/* From now on, for each deadly signal for which the process has no handler.  Lines of a report:
 *   rank 3 (pid 4711): SIGSEGV (address not mapped) at address 0x10
 *     #0 name+0x12 (/path/of/program+0x1234)
 * To the launcher the first line goes alone, and once more with the others behind it.  Then the
 * signal does what it does without a handler.  Once per process. */
void mpi_crash_watch(unsigned rank);

#endif
