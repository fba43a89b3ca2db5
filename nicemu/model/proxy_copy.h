/* Copies between processes on the model clock where the kernel does not do them: the process that has the memory does it, a box
 * full at a time.  It takes real time only, so that nothing of the machine shows in the virtual one. */
#ifndef NIC_MODEL_PROXY_COPY_H
#define NIC_MODEL_PROXY_COPY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nic;

enum { NIC_ERRAND_BYTES = 16 * 1024 - 64 };

/* One per rank, in the job's segment: what it has asked another rank for.  Owner: the rank, and while `asked` is set the one that
 * was asked, but for `next`, which the governor's lock protects. */
struct nic_errand {
    _Alignas(64) _Atomic uint32_t asked;
    uint32_t next;              /* rank + 1 of the next one that asked the same; 0: none */
    uint64_t address;           /* in the memory of the one that was asked */
    uint32_t bytes;
    uint32_t write;             /* into its memory */
    int32_t result;             /* 0 or a negative errno */
    _Atomic uint32_t left;      /* the box has what its owner leaves behind */
    _Alignas(64) unsigned char data[NIC_ERRAND_BYTES];
};

/* As a link's read and write.  Baton held, governor's lock not. */
int nic_errand_read(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
int nic_errand_write(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);

/* See nic_model_gather. */
int nic_errand_gather(struct nic *nic, const void *own, size_t bytes, void *all);

/* Somebody has asked us. */
bool nic_errands_asked(const struct nic *nic);
/* Does what we have been asked.  As above. */
void nic_errands_do(struct nic *nic);

#endif
