/* Frames between processes of one machine as datagrams of the kernel (AF_UNIX): a wire to put
 * faults on where there is no other.  It may lose frames: those to a rank that has not opened it
 * yet, or has closed it. */
#ifndef NIC_WIRE_LOCAL_H
#define NIC_WIRE_LOCAL_H

#include "wire/module.h"

/* Whoever knows a job's number knows its ranks' addresses. */
enum { NIC_LOCAL_ADDRESS = 4 };

/* 0 or a negative errno; -EADDRINUSE: that rank has one. */
int nic_local_open(uint64_t job, uint32_t rank, uint32_t frame_bytes, struct nic_wire **wire);

extern const struct nic_wire_ops nic_wire_local;

#endif
