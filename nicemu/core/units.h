/* The hardware's own units (remote/, offload/), as the engine
 * sees them: units.c fills the table. Baton held. */
#ifndef NIC_CORE_UNITS_H
#define NIC_CORE_UNITS_H

#include <stdbool.h>

struct nic;
struct nic_packet;

struct nic_units {
    /* A packet of the hardware's has come, which is none of the program's. */
    void (*packet)(struct nic *nic, const struct nic_packet *packet);
    /* A turn for what the hardware has under way, if it has something
     * (hw_busy, pgas); true: something moved. */
    bool (*advance)(struct nic *nic);
    /* Something is written in a command queue that the NIC has not consumed. */
    bool (*pending)(const struct nic *nic);
    /* Ranks have been lost (nic_lost): what waits for them ends, with -EHOSTDOWN.  True: something
     * did. */
    bool (*lose)(struct nic *nic);
};

#endif
