/* Ending a job. */
#ifndef LAUNCH_END_H
#define LAUNCH_END_H

#include <stdbool.h>

#include "launch/ranks/job.h"

/* Sends a signal to all running ranks with what they have started.  False: the system does not let
 * us. */
bool job_signal(const struct job *job, int signal);

/* The launcher cannot go on, because a call fails that it needs, with this errno. */
void job_give_up(struct job *job, int error);

/* Begins to end the job for this cause, with this signal; stronger ones follow.  Later causes are
 * dropped.  Takes cause.text. */
void job_fail(struct job *job, struct cause cause, int signal);

/* The last signal has not ended it: a stronger one. */
void job_escalate(struct job *job);

/* Ends a job of which output was lost; not if the reader has gone, for then the ranks find out. */
void job_look_at_output(struct job *job);

#endif
