/* Copies between processes on the model clock where the kernel does not do them: the process that
 * has the memory does it, a box full at a time.  It takes real time only, so that nothing of the
 * machine shows in the virtual one. */
#ifndef NIC_MODEL_PROXY_COPY_H
#define NIC_MODEL_PROXY_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nic;

/* As a link's read and write.  Baton held, governor's lock not. */
int nic_proxy_read(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
int nic_proxy_write(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);

/* See nic_model_gather. */
int nic_proxy_gather(struct nic *nic, const void *own, size_t bytes, void *all);

/* Somebody has asked us. */
bool nic_proxy_copies_asked(const struct nic *nic);
/* Does what we have been asked.  As above. */
void nic_proxy_copies_do(struct nic *nic);

#endif
