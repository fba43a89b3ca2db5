/* Serializing a host's own loads and stores with its NIC's atomic operations (Buntinas, chapter 5):
 * Peterson's algorithm for two parties.  Part of nicemu.h.
 *
 * The NIC's word stands in host memory, where the host polls it cheaply; the host's word and the
 * turn stand in the NIC, and reading them takes a way across the bus.  So the host looks at the
 * turn with a back-off that doubles: the turn breaks ties alone and changes only while both come at
 * once.  Only plain stores and loads, and full fences: neither side has an atomic instruction for
 * the other's memory.
 *
 * On the model clock each party waits until the other would have left, and a host is charged its
 * stores and looks across the bus. */
#ifndef NICEMU_MUTEX_H
#define NICEMU_MUTEX_H

#include <stdint.h>

#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* All 0 at first.  It must stay while it guards something. */
struct nic_mutex {
    __attribute__((aligned(64))) uint32_t nic_interested;      /* in host memory */
    __attribute__((aligned(64))) uint32_t host_interested, turn;       /* in the NIC's */
    uint64_t host_until, nic_until;     /* model clock: when each left it last, in ps */
};

/* Atomic operations of peers, and one's own, on registered memory are done within the mutex; NULL:
 * no more.  Baton held.  0; -ENOKEY: no such registration of this rank. */
int nic_guard(struct nic *nic, uint32_t key, struct nic_mutex *mutex);

/* The host, one thread at a time, without the baton: what it does in between is not interrupted by
 * such an operation.  In between it calls nothing of the NIC and does not take long: the NIC
 * waits. */
void nic_mutex_enter(struct nic *nic, struct nic_mutex *mutex);
void nic_mutex_leave(struct nic *nic, struct nic_mutex *mutex);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
