/* Where ranks are, in a job of several machines. */
#ifndef NIC_JOB_PLACES_H
#define NIC_JOB_PLACES_H

struct nic_job;

/* Numbers the places of the ranks that are here.  -EPROTO: the table is none; -ENOMEM. */
int nic_job_find_places(struct nic_job *job);

/* From now on this machine counts as so many, each with as many neighbouring ranks, and those that
 * `rank` is not together with as elsewhere.  All are here in truth.  0 or -ENOMEM. */
int nic_job_divide(struct nic_job *job, unsigned parts, unsigned rank);

#endif
