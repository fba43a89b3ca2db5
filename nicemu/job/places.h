/* Where ranks are, in a job of several machines. */
#ifndef NIC_JOB_PLACES_H
#define NIC_JOB_PLACES_H

struct nic_job;

/* Numbers the places of the ranks that are here.  -EPROTO: the table is none; -ENOMEM. */
int nic_job_find_places(struct nic_job *job);

/* From now on only `rank` counts as here: its peers are reached as if each were on a machine of its
 * own.  All are here in truth.  0 or -ENOMEM. */
int nic_job_isolate(struct nic_job *job, unsigned rank);

#endif
