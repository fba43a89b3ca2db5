/* What each key of the profile has charged, told when a rank closes. */
#ifndef NIC_MODEL_CHARGES_H
#define NIC_MODEL_CHARGES_H

struct nic_model;

/* It is explained. */
void nic_charges_explain(struct nic_model *model);

#endif
