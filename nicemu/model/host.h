/* The host on the model clock; see struct nic_model_ops. */
#ifndef NIC_MODEL_HOST_H
#define NIC_MODEL_HOST_H

#include "model/state.h"

void nic_model_enter(struct nic *nic);
void nic_model_leave(struct nic *nic);
void nic_model_share(struct nic *nic);
bool nic_model_step(struct nic *nic);
void nic_model_wait(struct nic *nic, const struct nic_wait *wait);
void nic_model_submit(struct nic *nic, const struct nic_command *command);
void nic_model_act(struct nic *nic);
void nic_model_await(struct nic *nic);
void nic_model_go_on_from(struct nic *nic, uint64_t time);

/* Charges this visit of the host, once. */
void nic_model_charge_call(struct nic_model *model);
/* What the host takes from here on is measured, where that is wanted. */
void nic_model_measure_again(struct nic_model *model);

#endif
