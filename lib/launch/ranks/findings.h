/* What ranks under --check have found: lines that come by a pipe, and those that several ranks say
 * alike within a moment are printed once. */
#ifndef LAUNCH_FINDINGS_H
#define LAUNCH_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/findings.h"

struct findings {
    /* -1: there is none; theirs: the end that ranks may inherit, or find here */
    int pipe, theirs;
    unsigned ranks;
    bool *here;                 /* by rank: something came of its checks */
    bool wrong;                 /* the job fails of what was said */
    struct finding *first, *last;
    char line[FINDING_BYTES];   /* that has not come as a whole */
    unsigned used;
};

/* 0 or -errno. */
int findings_open(struct findings *findings, unsigned ranks);
/* Takes what has come, at a time. */
void findings_read(struct findings *findings, int64_t now);
/* When the oldest is to be printed; -1: there is none. */
int64_t findings_due(const struct findings *findings);
/* Prints what is due. */
void findings_print(struct findings *findings, int64_t now);
/* Prints all. */
void findings_close(struct findings *findings);

#endif
