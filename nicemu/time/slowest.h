/* The slowest of the ways that have ended, so many at most. */
#ifndef NIC_TIME_SLOWEST_H
#define NIC_TIME_SLOWEST_H

#include <stdbool.h>

#include "nicemu/explain.h"

struct nic_slowest {
    struct nic_explained *heap;         /* the first is the one to go next */
    unsigned most, count;
};

/* False: no memory.  The heap is the caller's to free. */
bool nic_slowest_init(struct nic_slowest *slowest, unsigned most);
/* If it is slow enough. */
void nic_slowest_add(struct nic_slowest *slowest, const struct nic_explained *e);

/* Slowest first; then by time, and by what no two have in common. */
int nic_explain_compare(const struct nic_explained *a, const struct nic_explained *b);

#endif
