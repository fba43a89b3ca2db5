/* The processes that come from the job: ranks, and whatever ranks start. */
#ifndef LAUNCH_FAMILY_H
#define LAUNCH_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A variable in the environment of every rank, inherited by what it starts: it tells whose job a
 * process is of. */
#define FAMILY_VAR "MPILITE_JOB"

struct family {
    char mark[64];              /* value of FAMILY_VAR */
    /* a process that kills the family if the launcher dies without doing so */
    pid_t guard;
    /* the guard sees the end of this pipe when the launcher dies; -1: no guard */
    int lifeline;
    bool adopts;                /* orphans of the job return to this process */
    /* children that this process had before: exec keeps them, and they are not ours */
    pid_t *stranger;
    size_t strangers;
};

/* Makes this process the one to which orphans of the job return,
 * and starts the guard.  Released by family_end. */
void family_begin(struct family *family);

/* Kills all descendants that are left, the guard included, and waits for them.  To be called when
 * no rank is running any more. */
void family_end(struct family *family);

#endif
