/* The launcher's one loop. */
#ifndef LAUNCH_LOOP_H
#define LAUNCH_LOOP_H

struct job;

/* Serves the job until all ranks have ended, nothing of it is left and all output is out.
 * `signals` is a signalfd. */
void loop_run(struct job *job, int signals);

#endif
