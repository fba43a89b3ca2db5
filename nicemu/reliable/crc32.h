/* The checksum of frames: CRC-32 as Ethernet has it (polynomial 0x04c11db7, reflected). */
#ifndef NIC_RELIABLE_CRC32_H
#define NIC_RELIABLE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of `bytes` more, behind those whose checksum is `crc`; 0 where there are none in front. */
uint32_t nic_crc32(uint32_t crc, const void *data, size_t bytes);

#endif
