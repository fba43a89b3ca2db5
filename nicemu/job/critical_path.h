/* What a rank leaves about its messages: an area in the job's segment. */
#ifndef NIC_JOB_CRITICAL_PATH_H
#define NIC_JOB_CRITICAL_PATH_H

#include <stdint.h>

#include "nicemu.h"
#include "nicemu/explain.h"

uint64_t nic_explain_bytes(unsigned keep);
/* What remains when the rank closes; slowest in any order. */
void nic_explain_store(const struct nic_job *job, const struct nic_explained_rank *rank,
                       const struct nic_explained *slowest, unsigned count, unsigned number);

#endif
