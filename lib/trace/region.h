/* What a rank leaves of what it did, in memory that mpirun has made and reads when all is over:
 * sums of everything, and records of as much as there is room for. */
#ifndef TRACE_REGION_H
#define TRACE_REGION_H

#include <assert.h>
#include <stdint.h>

/* The descriptor of that memory; a rank's part lies at its rank times trace_region.bytes. */
#define TRACE_ENV_FD "MPILITE_TRACE_FD"

enum { TRACE_MAGIC = 0x7472c303, TRACE_CALLS_MAX = 512, TRACE_SIZES = 48 };

enum trace_clock { TRACE_TSC, TRACE_NS, TRACE_PS };     /* ticks: of the processor, or time */

enum trace_kind {
    TRACE_CALL,                 /* a call that moved nothing by itself */
    TRACE_SEND,                 /* one that sent a message */
    TRACE_RECV,                 /* one that received a message, from its begin to its end */
    TRACE_COLL,                 /* one in which all ranks of a communicator take part */
    TRACE_CAME,                 /* a receive, from where it was posted to where its end was seen */
    TRACE_WENT,                 /* a send whose end was waited for, in the same way */
    TRACE_WORK, TRACE_PACKET, TRACE_MOVE, TRACE_EVENT,  /* as in nicemu/trace.h */
    TRACE_KINDS
};

struct trace_record {
    uint64_t begin, end;        /* ticks */
    uint64_t bytes;
    uint32_t comm;              /* which communicator, the same in all ranks; packets: source */
    uint32_t number;            /* of a message among those of its pair, communicator and tag, or of
                                 * a collective, from 1; 0: not known; packets: their sequence */
    int32_t peer, tag;          /* rank in the job, -1: none; collectives: the root */
    uint16_t what;              /* enum trace_call, or as in nicemu/trace.h */
    uint8_t kind, lane;         /* lane: thread of the host, or unit of the NIC */
    uint32_t times;             /* calls in a row that this stands for */
};
static_assert(sizeof(struct trace_record) == 48, "no gaps");

struct trace_total { uint64_t calls, ticks, longest; };
struct trace_peer { uint64_t messages, bytes; };

/* Written by mpirun before the ranks start, as far as `clock`; then by the rank alone. */
struct trace_region {
    uint32_t magic, ranks;
    uint64_t bytes;             /* of a rank's part */
    uint32_t capacity, clock;   /* records; enum trace_clock */
    uint32_t programs;          /* that have begun: only the first is followed */
    uint32_t count;             /* records that are there */
    uint32_t hidden;            /* enum trace_call + 1 of one that goes past the records; 0: none */
    uint32_t unused;
    /* Ticks fall into slices of 2^slice_bits; of 2^shift of them one is kept, so that records of a
     * time are there in all ranks, or in none. */
    uint32_t slice_bits, shift;
    uint64_t lost;              /* records for which there was no room nevertheless */
    uint64_t unnumbered;        /* ends of messages of more kinds than are told apart */
    uint64_t begin, end;        /* ticks: of MPI_Init, and when MPI_Finalize was done */
    uint64_t sizes[TRACE_SIZES];        /* messages sent of 0 bytes, of 1, of 2 to 3, ... */
    struct trace_total call[TRACE_CALLS_MAX];
    struct trace_peer peer[];   /* ranks of them: what was sent; the records follow */
};

static inline struct trace_record *trace_records(struct trace_region *r)
{
    return (struct trace_record *)&r->peer[r->ranks];
}

#endif
