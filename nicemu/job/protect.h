/* What processes may do to a job's memory, and what of it their core files have. */
#ifndef NIC_JOB_PROTECT_H
#define NIC_JOB_PROTECT_H

struct nic_job;

/* What core files of this process leave out: inboxes, scratchpads and heaps. */
void nic_job_keep_small(const struct nic_job *job);

/* This process is `rank`: it has no need to write to what others own, nor to the guard pages around
 * its own memory.  Core files have its inbox.  A process may be several ranks. */
void nic_job_protect(struct nic_job *job, unsigned rank);

#endif
