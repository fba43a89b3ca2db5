/* The directories of a job on one machine, some of whose ranks count as on others: who is where is
 * known to all, or stands in the memory of the job. */
#ifndef NIC_WIRE_DIRECTORY_H
#define NIC_WIRE_DIRECTORY_H

#include "core/nic.h"

/* A number that no other job of this machine has.  0 or a negative errno. */
int nic_directory_job(const struct nic *n, uint64_t *job);
/* Of the kernel's datagrams (wire/local.h) behind the reliable wire: nobody needs to be asked. */
extern const struct nic_directory nic_directory_of_ranks;
/* What each rank has put; `fence` waits until all have.  The context is to be the NIC. */
extern const struct nic_directory nic_directory_in_job;

#endif
