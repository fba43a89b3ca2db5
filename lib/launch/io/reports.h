/* Fatal errors of which several ranks report the same within a moment, to be said once. */
#ifndef LAUNCH_REPORTS_H
#define LAUNCH_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Those that wait for others like them, oldest first. */
struct reports { struct report *first, *last; unsigned count; };

/* Finds the first report of a rank in whole lines: its bytes, which begin at *start; 0: there is
 * none.  A report is what the library writes when it ends a job: "Fatal error ..." with lines that
 * are indented, the last of them "  reported by rank 3 of MPI_COMM_WORLD", or "MPI_Abort(...) was
 * called by rank 3 of MPI_COMM_WORLD". */
size_t report_find(const char *lines, size_t size, unsigned rank, const char **start);

/* Keeps one that report_find has found, of one of `ranks` ranks. */
void reports_take(struct reports *reports, const char *text, size_t size, unsigned rank,
                  unsigned ranks, int64_t now);
/* When the oldest is to be said; -1: there is none. */
int64_t reports_due(const struct reports *reports);
/* The oldest, if it is due, as one text for all who reported it, to be freed; NULL: none is. */
char *reports_next(struct reports *reports, int64_t now, size_t *size);
void reports_free(struct reports *reports);

#endif
