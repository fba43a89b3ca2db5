/* Which threads of this process call its NIC, which of them sleep in a wait, and which are seen to
 * call where they must not.  What the launcher has to know of that stands in job/hosts.h. */
#ifndef NIC_CORE_CALLERS_H
#define NIC_CORE_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

struct nic;
struct nic_wait;

/* nic_open: nothing has been said yet; hosts sleep on `word`. */
void nic_hosts_open(struct nic *nic, const void *word);
/* The NIC's own thread has begun; it has ended; it never sleeps and has found nothing to do. */
void nic_hosts_thread(struct nic *nic, bool runs);
void nic_hosts_idle(struct nic *nic);
/* As nic_hosts_thread, of the thread that sleeps on the wire. */
void nic_hosts_watch(struct nic *nic, bool runs);
/* It has been started, and its number is known soon: nic_alone needs that. */
void nic_hosts_await_watch(const struct nic *nic);
/* A host thread falls asleep in a wait, and wakes up. */
void nic_hosts_sleep(struct nic *nic);
void nic_hosts_wake(struct nic *nic);

/* A host is about to sleep or to nap, baton held: who naps leaves no other trace of what it has
 * moved since the last time. */
void nic_hosts_park(struct nic *nic);
/* A host thread yields in a wait. */
void nic_hosts_rest(struct nic *nic, uint64_t now);
/* Whether this NIC's thread would take a processor away from a host: as many compute, of the ranks
 * of this machine, as there are processors, as far as can be seen.  Any thread. */
bool nic_hosts_need_all(const struct nic *nic);

/* A host finds the baton taken, perhaps by itself; others wait for it too. */
void nic_hosts_meet(struct nic *nic, bool others);
/* Two host threads are inside at once, and nobody has announced that. */
void nic_hosts_at_once(struct nic *nic);
/* The first idle turn of a wait, or the first one after another wait has begun. */
void nic_hosts_wait(struct nic *nic, struct nic_wait *wait);

#endif
