/* Lines: the packets of schedules. */
#ifndef FW_LINE_H
#define FW_LINE_H

#include "fw/state.h"

void mpi_fw_send_line(struct fw *fw, uint32_t peer, uint64_t match, const struct fw_line *line);
void mpi_fw_line_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p);

/* Gives the lines that came early to a schedule, as far as it takes them. */
typedef bool fw_take_line(struct fw_sched *sched, uint64_t match, const struct fw_line *line);
void mpi_fw_claim_lines(struct fw *fw, struct fw_sched *sched, fw_take_line *take);
/* Asks that rank for what was refused. */
void mpi_fw_ask_again(struct fw *fw, uint32_t source);

/* See mpi_fw_arrived_unlike. */
bool mpi_fw_line_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found,
                        size_t *bytes);
void mpi_fw_lines_delete(struct fw *fw);

#endif
