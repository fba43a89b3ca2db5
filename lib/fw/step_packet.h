/* Step packets: those of schedules. */
#ifndef FW_STEP_PACKET_H
#define FW_STEP_PACKET_H

#include "fw/state.h"

void mpi_fw_send_step(struct fw *fw, uint32_t peer, uint64_t match,
                      const struct fw_step_packet *packet);
void mpi_fw_step_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p);

/* Gives the packets that came early to a schedule, as far as it takes them. */
typedef bool fw_take_step(struct fw_sched *sched, uint64_t match,
                          const struct fw_step_packet *packet);
void mpi_fw_claim_steps(struct fw *fw, struct fw_sched *sched, fw_take_step *take);
/* Asks that rank for what was refused. */
void mpi_fw_ask_again(struct fw *fw, uint32_t source);

/* See mpi_fw_arrived_unlike. */
bool mpi_fw_step_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found,
                        size_t *bytes);
void mpi_fw_steps_delete(struct fw *fw);

#endif
