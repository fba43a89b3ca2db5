/* NICs that boot while others send to them (NICEMU_BOOT), and what fails then. */
#ifndef NIC_MODEL_FLOW_BOOT_H
#define NIC_MODEL_FLOW_BOOT_H

#include "model/flow_state.h"

/* Whether it is a plan of boots of that many ranks.  What is said of one that is none. */
bool nic_flow_boots_fit(const char *text, unsigned ranks);
#define NIC_FLOW_BOOTS_WRONG \
    "'%s' is not RANK@FROM-UNTIL,... in microseconds, of ranks that there are, in order"
/* Reads NICEMU_BOOT: flow->boots stays NULL if nobody boots.  0 or -errno. */
int nic_flow_read_boots(struct nic *nic, struct nic_flow *flow);
/* Flow control is there: the events of this rank's boots, and its host's time. */
void nic_flow_plan_boots(struct nic *nic);

/* The event of a boot: its begin or its end. */
void nic_flow_boot(struct nic *nic);

/* What has left for the peer fails, in front of that number: the program is told
 * (nic_on_failed), or the job ends. */
void nic_flow_fail(struct nic *nic, unsigned rank, uint32_t number);

#endif
