/* What this machine and its control group let a job have. */
#ifndef LAUNCH_LIMITS_H
#define LAUNCH_LIMITS_H

#include <stdio.h>

/* Memory, processes, files, /dev/shm and what the kernel copies, a line for each. */
void limits_print(FILE *out);

#endif
