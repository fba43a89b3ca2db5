/* Step packets that their receiver has refused (steps_early.h): the sender keeps them, and what
 * comes behind them, until it is asked. */
#ifndef FW_STEPS_BACK_H
#define FW_STEPS_BACK_H

#include "fw/step_packet.h"

/* Something waits here for that rank: a packet of a step goes by mpi_fw_send_step only. */
bool mpi_fw_step_waits(const struct fw *fw, uint32_t peer);
/* Sent and forgotten, or kept behind others for the same rank. */
void mpi_fw_send_step(struct fw *fw, uint32_t peer, uint64_t match,
                      const struct fw_step_packet *packet);
void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p);
/* Forgets what ranks that are lost will not ask for; true: some. */
bool mpi_fw_steps_back_lose(struct fw *fw);
void mpi_fw_steps_back_delete(struct fw *fw);

#endif
