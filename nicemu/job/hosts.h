/* Which threads of a rank's process call its NIC, and which of them sleep in a wait.  The launcher
 * has to know: a rank goes on by itself as long as a thread that may call is outside of all waits,
 * or something is under way that will wake one. */
#ifndef NIC_JOB_HOSTS_H
#define NIC_JOB_HOSTS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

/* Of each rank, in the job's segment.  Written by its owner, read by the launcher. */
struct nic_hosts {
    _Alignas(64) _Atomic int32_t one;   /* number of the only thread that calls; 0: any may */
    _Atomic int32_t nic;                /* the NIC's own thread, 0: none */
    _Atomic int32_t runtime;            /* the sanitizer's own thread, 0: none */
    _Atomic uint32_t waiting;           /* host threads asleep in a wait */
    _Atomic uint64_t word;              /* the futex that they sleep on, in the owner's memory */
    _Atomic uint32_t polls;             /* the NIC's own thread never sleeps */
    _Atomic uint32_t idle;              /* then: times that it found nothing to do for many turns */
    _Atomic uint64_t rested;            /* when a host last yielded in a wait (nic_now) */
    _Atomic uint32_t rests;             /* times that a host parked that had moved something */
    /* in a job of several machines */
    _Atomic int32_t watch;              /* number of the thread that sleeps on the wire, 0: none */
    _Atomic uint32_t under_way;         /* frames and reads that have begun and not ended */
    _Atomic uint32_t sent, came;        /* frames */
    uint32_t pad;
};
static_assert(sizeof(struct nic_hosts) == 64, "one cache line");

#endif
