/* The last word on a job. */
#ifndef LAUNCH_LAST_WORD_H
#define LAUNCH_LAST_WORD_H

struct job;

/* Says why the job failed, if it did; for when all output is out. */
void report_print(const struct job *job);

#endif
