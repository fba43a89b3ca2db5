/* Layout of the job segment, shared by all ranks of a job and by the launcher.
 * Offsets only: every process maps it where it likes. */
#ifndef NIC_JOB_SEGMENT_H
#define NIC_JOB_SEGMENT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "nicemu.h"
#include "job/region_table.h"
#include "job/ring.h"

#define NIC_JOB_MAGIC UINT64_C(0x31424f4a4d45434e)  /* "NCEMJOB1" */
enum { NIC_JOB_VERSION = 4 };

/* Written by nic_job_create before any other process sees it, then read only, but for `abort`. */
struct nic_job_header {
    uint64_t magic;
    uint32_t version, ranks, cores, header_bytes;
    uint64_t scratchpad, heap;      /* bytes per rank; heap may be 0 */
    uint64_t explain;               /* messages that a rank may leave in `explained`; 0: there is none */
    uint64_t publics, notes, rings, regions, governor, explained, scratchpads, heaps, total;      /* offsets; total: bytes of the file; the heaps come last */
    _Atomic uint64_t abort;         /* 0, or 1 << 63 | rank << 32 | code */
    uint64_t cpus[16];              /* processors that the job may use, as a cpu_set_t */
};
static_assert(sizeof(struct nic_job_header) == 128 + 128, "shared layout");

/* Bits of nic_public.attention: when a sender has to ring. */
enum {
    NIC_PARKED = 1,                 /* a host thread sleeps in a wait: ring for anything */
    NIC_ARMED = 2,                  /* the NIC thread sleeps, the host is away: ring for what needs service */
};

/* A rank's public line.  Written by its owner (doorbell: by anybody), read by every sender after each packet: so the owner writes it
 * only when it goes to sleep or wakes up, and it stays shared in all caches meanwhile. */
struct nic_public {
    _Alignas(64) _Atomic uint32_t attention;
    _Atomic uint32_t doorbell;      /* futex word: moves with every ring */
    _Atomic uint32_t state;         /* enum nic_rank_state */
    _Atomic int32_t pid;
    _Atomic uint64_t probe_address; /* where in the owner's memory probe_token stands: peers test kernel copy with it */
    _Atomic uint64_t probe_token;
    _Atomic uint32_t sleeps;        /* times the host went to sleep */
    uint32_t pad0;
    _Atomic uint64_t heap_address;  /* where the owner has mapped its own heap, 0: not at all */
    uint32_t pad[2];
};
static_assert(sizeof(struct nic_public) == 64, "one cache line");

struct nic_note { _Alignas(64) _Atomic uint8_t text[NIC_NOTE_BYTES]; };
static_assert(sizeof(struct nic_note) == 256, "shared layout");

struct nic_governor;

struct nic_job {
    unsigned char *base;
    struct nic_job_header *header;
    struct nic_public *publics;
    struct nic_note *notes;
    unsigned ranks;
    int fd;
    uint64_t ring_stride, region_stride;
    uint64_t mapped;                /* bytes of the file that this process has mapped: all, or all but the heaps */
    uint64_t heap;                  /* bytes per rank as mapped here: the header's, or 0 */
};

static inline struct nic_ring *nic_job_ring(const struct nic_job *j, unsigned rank)
{
    return (struct nic_ring *)(j->base + j->header->rings + rank * j->ring_stride);
}

static inline struct nic_region_table *nic_job_regions(const struct nic_job *j, unsigned rank)
{
    return (struct nic_region_table *)(j->base + j->header->regions + rank * j->region_stride);
}

static inline struct nic_governor *nic_job_governor(const struct nic_job *j) { return (struct nic_governor *)(j->base + j->header->governor); }

static inline unsigned char *nic_job_scratchpad(const struct nic_job *j, unsigned rank)
{
    return j->base + j->header->scratchpads + rank * j->header->scratchpad;
}

/* Only where j->heap is not 0. */
static inline unsigned char *nic_job_heap(const struct nic_job *j, unsigned rank)
{
    return j->base + j->header->heaps + rank * j->heap;
}

#endif
