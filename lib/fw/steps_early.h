/* Step packets that come before their schedule.  So many are kept; one more is refused, and goes
 * back to its sender, which sends no further one until it is asked (steps_back.h): for what a
 * schedule waits for by name, and for so many as there is room for, in the order in which they were
 * sent first, which is that in which they are called for. */
#ifndef FW_STEPS_EARLY_H
#define FW_STEPS_EARLY_H

#include "fw/step_packet.h"

void mpi_fw_step_arrived(struct fw *fw, const struct nic_packet *p);

/* Gives the packets that came early to a schedule, as far as it takes them. */
typedef bool fw_take_step(struct fw_sched *sched, uint64_t match,
                          const struct fw_step_packet *packet);
void mpi_fw_claim_steps(struct fw *fw, struct fw_sched *sched, fw_take_step *take);
/* A schedule waits for a packet of that rank, which may have been refused, or be held there. */
void mpi_fw_ask_again(struct fw *fw, uint32_t source);

/* See mpi_fw_arrived_unlike. */
bool mpi_fw_step_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found,
                        size_t *bytes);
void mpi_fw_steps_early_delete(struct fw *fw);

#endif
