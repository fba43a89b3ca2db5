/* What --explain and --explain-file ask for. */
#ifndef LAUNCH_EXPLANATION_H
#define LAUNCH_EXPLANATION_H

#include <stdbool.h>

enum { EXPLAIN_MOST = 10 };     /* where no number is given */

struct explain {
    unsigned most;              /* messages to explain; 0: the option was not given */
    bool table;                 /* on standard error */
    const char *file;           /* for all of it in tab-separated values, or NULL */
};

/* Each returns 0 or an exit code.  text: NULL is no number. */
int explain_set_most(struct explain *explain, const char *text);
int explain_set_file(struct explain *explain, const char *text);

/* Before anything is started: whether the file can be written at all.  0, or an exit code. */
int explain_try_file(const struct explain *explain);

#endif
