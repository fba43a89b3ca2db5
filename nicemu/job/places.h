/* Where ranks are, in a job of several machines. */
#ifndef NIC_JOB_PLACES_H
#define NIC_JOB_PLACES_H

struct nic_job;

/* Numbers the places of the ranks that are here.  -EPROTO: the table is none; -ENOMEM. */
int nic_job_find_places(struct nic_job *job);

#endif
