/* What mpirun ends with. */
#ifndef LAUNCH_EXIT_CODE_H
#define LAUNCH_EXIT_CODE_H

struct job;

/* What it ends with if nothing went wrong but that this errno kept output from being written;
 * 0: none. */
int exit_code_of_loss(int error);

/* Exit code of the job, when it has ended. */
int job_exit_code(const struct job *job);

#endif
