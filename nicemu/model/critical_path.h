/* What the hardware itself says of ways (include/nicemu/explain.h). */
#ifndef NIC_MODEL_CRITICAL_PATH_H
#define NIC_MODEL_CRITICAL_PATH_H

#include <stdint.h>

struct nic;

/* Those of nic_model_ops by these names. */
uint32_t nic_critical_path_keep(struct nic *nic);
void nic_critical_path_take_up(struct nic *nic, uint32_t *way);
void nic_critical_path_answer(struct nic *nic, unsigned target, uint64_t bytes, const char *how);

#endif
