/* Step packets: those of schedules. */
#ifndef FW_STEP_PACKET_H
#define FW_STEP_PACKET_H

#include "fw/state.h"

/* A packet that waits: at its receiver for its schedule, or at its sender to be asked for. */
struct fw_kept {
    struct fw_kept *next;
    uint64_t match;
    struct fw_step_packet packet;
};

struct fw_kept *mpi_fw_step_kept(uint64_t match, const struct fw_step_packet *packet);
void mpi_fw_steps_free(struct fw_kept *list);

/* False: not what a peer of ours would send. */
bool mpi_fw_step_read(const struct fw *fw, const struct nic_packet *p,
                      struct fw_step_packet *packet);
/* type: STEP, or REFUSED. */
void mpi_fw_step_post(struct fw *fw, uint32_t peer, enum fw_packet type, uint64_t match,
                      const struct fw_step_packet *packet);

#endif
