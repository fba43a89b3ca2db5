/* What each key of the profile and of the program has charged, told when a rank closes. */
#ifndef NIC_MODEL_CHARGES_H
#define NIC_MODEL_CHARGES_H

struct nic;

/* It is explained. */
void nic_charges_explain(struct nic *nic);

#endif
