/* A NIC's part of the model clock, from nic_open to nic_close. */
#ifndef NIC_MODEL_OPEN_H
#define NIC_MODEL_OPEN_H

#include "core/nic.h"

/* 0 on the live clock too, where nic->model stays NULL. */
int nic_model_open(struct nic *nic);
void nic_model_close(struct nic *nic);

#endif
