/* What travels by RDMA with counters, or by remote stores. */
#ifndef NIC_MODEL_NOTIFIED_RDMA_H
#define NIC_MODEL_NOTIFIED_RDMA_H

#include "model/state.h"

/* A read of the handler is part of what it moves. */
void nic_model_read(struct nic *nic, unsigned peer, uint64_t bytes);

#endif
