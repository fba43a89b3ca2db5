/* The model clock of a job, when it is created. */
#ifndef NIC_JOB_MODELLED_H
#define NIC_JOB_MODELLED_H

#include "nicemu/model.h"

/* 0, -EINVAL: no profile, or one without latency; -ENAMETOOLONG. */
int nic_job_model_init(struct nic_job *job, const struct nic_model_config *config);

/* Adds what this generation did to state->past. */
void nic_job_model_fold(struct nic_job *job);
/* The launcher's: the rank's process has ended. */
void nic_job_model_ended(struct nic_job *job, unsigned rank);

#endif
