/* What the checks have found, in words. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { CHECK_PLACE_BYTES = 320 };

/* "solver.c:42 (heat+0x1234)": where a call is that returns to that address. */
const char *check_place(const void *caller, char *text, size_t size);

/* The rank has come to its checks: mpirun says of one that does not that it is not checked. */
void check_report_here(void);

/* One line on standard error, with the rank, of which mpirun fails the job when all have ended; the
 * process ends with an exit code that is not 0 where mpirun cannot be told.  Of very many only the
 * first are said. */
void check_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of what is legal, but fragile: it changes no exit code.  Not with --check=errors. */
void check_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
