/* Ranks that have ended. */
#ifndef LAUNCH_REAP_H
#define LAUNCH_REAP_H

struct job;

/* Waits for nothing: notes which ranks have ended. */
void job_reap(struct job *job);

#endif
