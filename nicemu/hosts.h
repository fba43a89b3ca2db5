/* Which threads of a process call its NIC, which of them sleep in a wait, and which are seen to
 * call where they must not. The launcher has to know the first two: a rank goes on by itself as
 * long as a thread that may call is outside of all waits. */
#ifndef NIC_HOSTS_H
#define NIC_HOSTS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "nicemu.h"

/* Of each rank, in the job's segment.  Written by its owner, read by the launcher. */
struct nic_hosts {
    _Alignas(64) _Atomic int32_t one;   /* number of the only thread that calls; 0: any may */
    _Atomic int32_t nic;                /* the NIC's own thread, 0: none */
    _Atomic int32_t runtime;            /* the sanitizer's own thread, 0: none */
    _Atomic uint32_t waiting;           /* host threads asleep in a wait */
    _Atomic uint64_t word;              /* the futex that they sleep on, in the owner's memory */
    _Atomic uint32_t polls;             /* the NIC's own thread never sleeps */
    _Atomic uint32_t idle;              /* then: times that it found nothing to do for many turns */
    uint32_t pad[8];
};
static_assert(sizeof(struct nic_hosts) == 64, "one cache line");

/* In the process.  Owner: baton. */
struct nic_callers {
    pthread_t one;                      /* as in nic_one_host */
    bool is_one;
    const struct nic_wait *wait;        /* the newest wait that has begun, and whose it is */
    pthread_t waiter;
    void (*misuse)(enum nic_misuse kind);
};

/* nic_open: nothing has been said yet; hosts sleep on `word`. */
void nic_hosts_open(struct nic *nic, const void *word);
/* The NIC's own thread has begun; it has ended; it never sleeps and has found nothing to do. */
void nic_hosts_thread(struct nic *nic, bool runs);
void nic_hosts_idle(struct nic *nic);
/* A host thread falls asleep in a wait, and wakes up. */
void nic_hosts_sleep(struct nic *nic);
void nic_hosts_wake(struct nic *nic);

/* Two host threads are inside at once, and nobody has announced that. */
void nic_hosts_at_once(struct nic *nic);
/* The first idle turn of a wait, or the first one after another wait has begun. */
void nic_hosts_wait(struct nic *nic, struct nic_wait *wait);

#endif
