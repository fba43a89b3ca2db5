/* Programs of a rank, one after the other. */
#ifndef NIC_JOB_GENERATION_H
#define NIC_JOB_GENERATION_H

struct nic_job;

/* The rank is about to open.  If a program of it has left before, waits until all ranks are here
 * for another one.  0; -ESRCH: one of them has ended; -ECANCELED: the job was aborted. */
int nic_job_join(struct nic_job *job, unsigned rank);

#endif
