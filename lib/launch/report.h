/* The last word on a job. */
#ifndef LAUNCH_REPORT_H
#define LAUNCH_REPORT_H

struct job;

/* Says why the job failed, if it did; for when all output is out. */
void report_print(const struct job *job);

#endif
