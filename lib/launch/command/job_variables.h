/* Variables that concern the job, and not a rank, from the command line. */
#ifndef LAUNCH_JOB_VARIABLES_H
#define LAUNCH_JOB_VARIABLES_H

#include "launch/command/asked.h"

/* Those of -x, -env and -genv that mpirun itself reads are in its environment from now on; where
 * programs differ the first one counts. */
void job_variables_take(const struct options *options);

#endif
