/* The receiving half of the inbox. */
#ifndef NIC_LINK_RECEIVE_H
#define NIC_LINK_RECEIVE_H

#include "core/nic.h"

/* A microsecond or two: then a receive is posted in the usual way. */
enum { NIC_TAKE_LOOKS = 500 };

/* 4 KiB.  Half round trips where it is never restarted, and at 8, 24, 64, 256 lines, near cores
 * (AMD EPYC 9004, virtual), ns: 8 bytes 71, 76, 73, 70, 82; 256 bytes 140, 98, 107, 99, 139; 1 KiB
 * 240, 155, 154, 157, 205; 4 KiB 578, 381, 378, 369, 391.  A restart takes the line of tail away
 * from the next sender. */
enum { NIC_RESTART_LINES = 64 };

/* A receiver that keeps up with a stream takes each line away from the sender while that is at the
 * next ones, which its processor has fetched along.  So who has had so many packets in a row from
 * one rank, and sent none, and finds nothing, leaves the inbox alone for a while, and takes the
 * next ones from lines that the sender is through with; and again after so many more, or all over
 * again if nothing has come.  One way, us per message, never and so, two cores with an L3 cache in
 * common: MPI_Send of 256 bytes 0.06, 0.03; 1 KiB 0.14, 0.05; MPI_Bcast of 256 bytes 0.25, 0.09;
 * 1 KiB 0.62, 0.10 (after 0.5, 0.9, 3.7 us 0.46, 0.30, 0.10); 4 KiB 0.85, 0.41.  Where the cores
 * share all caches MPI_Send of 256 bytes 0.050, 0.015. */
enum { NIC_STREAM_PACKETS = 16, NIC_STREAM_AGAIN = 8, NIC_STREAM_PAUSE_NS = 1800 };

/* For links whose peers share the memory of the job's ranks. */
bool nic_inbox_poll(struct nic *nic);
bool nic_inbox_ready(const struct nic *nic);
bool nic_inbox_coming(const struct nic *nic);
/* Debug builds check header lines, but for whoever fuzzes them. */
extern bool nic_inbox_unchecked;
/* Some rank has overwritten the line at the head: there is no telling where the next one is. */
_Noreturn void nic_inbox_end(struct nic *nic);

static inline uint64_t nic_inbox_head(const struct nic *n)
{
    return atomic_load_explicit(&n->head, memory_order_relaxed);
}

/* Baton held.  Returns the new head. */
static inline uint64_t nic_inbox_move_head(struct nic *n, uint64_t lines)
{
    uint64_t head = nic_inbox_head(n) + lines;
    atomic_store_explicit(&n->head, head, memory_order_relaxed);
    return head;
}

/* Of the line at the head, behind the last look at it. */
static inline uint64_t nic_inbox_pass_line(struct nic *n)
{
    struct nic_line *l = nic_ring_at(n->inbox, nic_inbox_head(n));
    atomic_store_explicit(&l->word0, 0, memory_order_relaxed);
    return nic_inbox_move_head(n, 1);
}

/* word0: of the line at the head.  Does not return from
 * one that no sender wrote, in debug builds. */
static inline void nic_inbox_check_header(struct nic *n, uint64_t word0)
{
    if (NIC_DEBUG && !nic_inbox_unchecked
        && !nic_ring_header_sound(n->inbox, nic_inbox_head(n), word0))
        nic_inbox_end(n);
}

/* A packet that is all there: head_bytes of it at its head, the others behind them. */
void nic_packet_deliver(struct nic *nic, unsigned source, const struct nic_packet *packet);

/* -- for the engine of the model clock, which takes whole packets into its events */

/* The rest of a packet that is all there, or not a packet: nobody is in the middle of one while we
 * have the lock. */
bool nic_inbox_take_rest(struct nic *nic, uint32_t bytes, void *to);
/* The bytes of a packet behind its head go to where its
 * handler wants them, and their end is told. */
void nic_inbox_land_rest(struct nic *nic, const void *from, uint32_t bytes);

#endif
