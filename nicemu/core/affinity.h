/* Where the NIC's thread and a rank's memory are: choose before the thread starts; the thread
 * places itself; memory while the inbox may still be untouched. */
#ifndef NIC_CORE_AFFINITY_H
#define NIC_CORE_AFFINITY_H

#include "core/nic.h"

int nic_place_choose_cpus(struct nic *nic, const char *list);
void nic_place_thread(const struct nic *nic);
/* The calling thread keeps to the core with this number of the job's, if it may run on all of them
 * and there are `of`; true if it does. */
bool nic_place_host(const struct nic *nic, unsigned number, unsigned of);
void nic_place_host_anywhere(const struct nic *nic);
void nic_place_memory(struct nic *nic);

#endif
