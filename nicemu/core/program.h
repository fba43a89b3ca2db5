/* The control program, as the NIC calls it. */
#ifndef NIC_CORE_PROGRAM_H
#define NIC_CORE_PROGRAM_H

#include "core/nic.h"

/* What nic_open says that failed (nic_open_error); at most 255 characters count. */
__attribute__((format(printf, 1, 2))) void nic_open_failed(const char *format, ...);

/* A program may do without handlers that it never needs: those are filled in, and end the process
 * with a word of which is missing.  -EINVAL: there is none for packets, which anybody may send. */
int nic_program_bind(struct nic *nic, const struct nic_program *program);

#endif
