/* Layout of the job segment, shared by all ranks of a job and by the launcher.
 * Offsets only: every process maps it where it likes. */
#ifndef NIC_JOB_SEGMENT_H
#define NIC_JOB_SEGMENT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nicemu/job.h"
#include "nicemu/machines.h"
#include "nicemu/model.h"
#include "nicemu/place.h"
#include "job/hosts.h"
#include "job/region_table.h"
#include "job/ring.h"

#define NIC_JOB_MAGIC UINT64_C(0x31424f4a4d45434e)  /* "NCEMJOB1" */
/* Inboxes of debug builds have another layout. */
enum { NIC_JOB_VERSION = 15 | NIC_DEBUG << 16 };

/* Page 0, and a copy of it in each process (struct nic_job), which is what everybody goes by.
 *
 * Written by nic_job_create before any other process sees it.  Ranks have everything up to `state`
 * mapped to be read only, but for their own part of `owned`: what they write to others comes behind
 * it.  Guard pages, which no rank can touch, lie before and behind each inbox, scratchpad and heap.
 */
struct nic_job_header {
    uint64_t magic;
    uint32_t version, ranks, cores, header_bytes;
    uint32_t here, machine;         /* ranks on this machine, which alone have memory; its number */
    uint64_t scratchpad, heap;      /* bytes per rank; heap may be 0 */
    uint64_t explain;               /* messages that a rank may leave in its `owned` */
    /* Offsets.  settings: the model clock's; ended, seats: see struct nic_job; machines: of each
     * rank, 0: there is but one; total: bytes of the file; the heaps come last. */
    uint64_t settings, ended, seats, machines, owned, state, publics, governor, rings, scratchpads,
        heaps, total;
    /* Bytes from a rank's part to the next one's. */
    uint64_t owned_stride, ring_stride, scratchpad_stride, heap_stride;
    _Atomic uint64_t cpus[16];      /* processors that the job may use, as a cpu_set_t */
    uint64_t token;                 /* of nic_job_set_token; 0: it has none */
};
static_assert(sizeof(struct nic_job_header) == 184 + 128 + 8, "shared layout");

/* What belongs to the whole job and moves. */
struct nic_job_state {
    _Alignas(64) _Atomic uint64_t abort;    /* 0, or who aborted the job: abort_word in segment.c */
    /* generation.c: 2 for each set of programs that has left, 1 while the segment is made anew */
    _Atomic uint32_t generation;
    uint32_t pad;
    struct nic_model_result past;           /* of those, on the model clock */
    uint64_t past_check;                    /* of that; 0: nothing has passed, or it is not known */
};

/* A rank's state, besides those in nicemu.h, which to anybody else means that it has left. */
enum { NIC_RANK_WAITING = NIC_RANK_CLOSED + 1 };

/* Bits of nic_public.attention: when a sender has to ring. */
enum {
    NIC_PARKED = 1,                 /* a host thread sleeps in a wait: ring for anything */
    /* the NIC thread sleeps, the host is away: ring for what needs service */
    NIC_ARMED = 2,
    /* its NIC keeps NIC_POSTS_MANY packets: nobody sends it more but answers */
    NIC_CLOGGED = 4,
    /* the host is away with requests that need service, rung for or not: who waits for its part of
     * one does better without */
    NIC_LEFT = 8,
    NIC_ROOM_WANTED = 16,           /* some rank naps until our inbox has room (core/room.h) */
};

/* A rank's public line.  Written by its owner (doorbell: by anybody), read by every sender after
 * each packet: so the owner writes it only when it goes to sleep or wakes up, and it stays shared
 * in all caches meanwhile. */
struct nic_public {
    _Alignas(64) _Atomic uint32_t attention;
    _Atomic uint32_t doorbell;      /* futex word: moves with every ring */
    _Atomic uint32_t state;         /* enum nic_rank_state */
    _Atomic int32_t pid;
    /* where in the owner's memory probe_token stands: peers test kernel copy with it */
    _Atomic uint64_t probe_address;
    _Atomic uint64_t probe_token;
    _Atomic uint32_t sleeps;        /* times the host went to sleep */
    _Atomic uint32_t lost;          /* it could not write what it was asked for */
    _Atomic uint64_t heap_address;  /* where the owner has mapped its own heap, 0: not at all */
    _Atomic uint32_t nudges;        /* times that all was to be looked at once more */
    _Atomic uint32_t mark;          /* the program's */
    _Atomic uint32_t wants_room;    /* the rank, + 1, in whose inbox there was none; 0: none */
};
static_assert(sizeof(struct nic_public) == 64, "one cache line");

struct nic_note {
    _Alignas(64) _Atomic uint8_t text[NIC_NOTE_BYTES];
    struct nic_hosts hosts;
    _Atomic uint8_t remark[NIC_REMARK_BYTES];
};
static_assert(sizeof(struct nic_note) == 512, "shared layout");

/* A rank's address on a wire, where that is to be had on one machine: bytes are set last. */
struct nic_posted_address {
    _Alignas(64) _Atomic uint32_t bytes;
    unsigned char data[NIC_ADDRESS_MAX];
};
static_assert(sizeof(struct nic_posted_address) == 320, "shared layout");

/* What only its rank writes: others read it, or do not look at all.  Behind it, where the job is
 * explained, comes what the rank leaves about its messages (explain_job.c). */
struct nic_owned {
    struct nic_note note;
    struct nic_posted_address address;
    struct nic_region_table regions;
};

/* Where a rank sits, as the launcher has told before any rank was there. */
struct nic_job_seat { struct nic_seat seat; uint16_t told; };
static_assert(sizeof(struct nic_job_seat) == 12, "shared layout");

struct nic_governor;

struct nic_job {
    unsigned char *base;
    struct nic_job_header layout;   /* this process' own copy, which no rank can write to */
    struct nic_job_state *state;
    struct nic_public *publics;
    _Atomic uint8_t *ended;         /* of each rank: 1 when its launcher has seen it end */
    struct nic_job_seat *seats;     /* of each rank */
    struct nic_governor *governor;  /* this process' own: settings, and pointers into the segment */
    unsigned ranks;
    unsigned machines;              /* how many there are */
    unsigned parts;                 /* those that nic_job_divide has made of one; 0: none */
    /* Of each rank: the place of its memory among those of this machine, NIC_ELSEWHERE: it is on
     * another one.  NULL: all are here, each in the place of its own number. */
    uint16_t *place;
    int fd;
    /* bytes of the file that this process has mapped: all, or all but the heaps */
    uint64_t mapped;
    uint64_t heap;                  /* bytes per rank as mapped here: the layout's, or 0 */
    bool opened;                    /* this process is, or was, a rank that has its own process */
    bool protected;                 /* nic_job_protect has been here */
    bool lock_lost;                 /* the launcher has waited for the governor's lock in vain */
};

enum { NIC_ELSEWHERE = UINT16_MAX };

static inline bool nic_job_here(const struct nic_job *j, unsigned rank)
{
    return !j->place || j->place[rank] != NIC_ELSEWHERE;
}

/* What follows is for ranks that are here. */
static inline uint64_t nic_job_place(const struct nic_job *j, unsigned rank)
{
    return j->place ? j->place[rank] : rank;
}

static inline struct nic_ring *nic_job_ring(const struct nic_job *j, unsigned rank)
{
    return (struct nic_ring *)(j->base + j->layout.rings
                               + nic_job_place(j, rank) * j->layout.ring_stride);
}

static inline struct nic_owned *nic_job_owned(const struct nic_job *j, unsigned rank)
{
    return (struct nic_owned *)(j->base + j->layout.owned
                                + nic_job_place(j, rank) * j->layout.owned_stride);
}

static inline struct nic_region_table *nic_job_regions(const struct nic_job *j, unsigned rank)
{
    return &nic_job_owned(j, rank)->regions;
}

static inline struct nic_governor *nic_job_governor(const struct nic_job *j) { return j->governor; }

static inline unsigned char *nic_job_scratchpad(const struct nic_job *j, unsigned rank)
{
    return j->base + j->layout.scratchpads + nic_job_place(j, rank) * j->layout.scratchpad_stride;
}

/* Only where j->heap is not 0. */
static inline unsigned char *nic_job_heap(const struct nic_job *j, unsigned rank)
{
    return j->base + j->layout.heaps + nic_job_place(j, rank) * j->layout.heap_stride;
}

enum { NIC_GUARD_BYTES = 4096 };

#endif
