/* Starting all ranks of a job. */
#ifndef LAUNCH_START_H
#define LAUNCH_START_H

#include <signal.h>

struct job;
struct layout;

/* Resources that the launcher changes for itself and ranks get back; see struct spawn. */
struct before {
    sigset_t signal_mask;
    struct sigaction pipe_action;
};

/* Looks all programs up, sets up what the ranks share and starts them, each where `layout` says.
 * Returns 0, or says what is wrong and returns an exit code; ranks may be running then. */
int start_job(struct job *job, const struct before *before, const struct layout *layout);

#endif
