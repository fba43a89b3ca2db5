/* The hardware's figures: one line each, with all that is known of it. */
#ifndef NIC_CORE_FIGURES_H
#define NIC_CORE_FIGURES_H

#include "nicemu/stats.h"

/* X(name, unit, kind, text).  Those marked * are not counted, or not all of them: nic_stat_read
 * derives them from what is there anyway. */
#define NIC_STATS(X) \
    /* * */ X(packets_sent, "packets", COUNTER, "packets put into the inboxes of peers") \
    X(sends_short, "packets", COUNTER, "of those, sent by the short way (nic_send_now)") \
    /* * */ X(lines_sent, "lines", COUNTER, "64-byte lines that the packets took") \
    X(bytes_sent, "bytes", COUNTER, \
      "payload of the packets: bytes that travelled through an inbox") \
    /* * */ X(packets_received, "packets", COUNTER, "packets taken from the own inbox") \
    X(receives_short, "packets", COUNTER, "of those, received by the short way (nic_try_receive)") \
    /* * */ X(lines_received, "lines", COUNTER, "64-byte lines that the packets took") \
    X(bytes_received, "bytes", COUNTER, "payload of the packets") \
    X(inbox_full, "refusals", COUNTER, "sends refused because the peer's inbox had no room") \
    X(packets_malformed, "packets", COUNTER, \
      "packets dropped: impossible length, or no event key where one must be") \
    X(bytes_cut, "bytes", COUNTER, \
      "bytes dropped because the receiver's buffer was shorter than the packet") \
    X(bells_host, "rings", COUNTER, "sleeping hosts of peers woken for a packet") \
    X(bells_thread, "rings", COUNTER, "sleeping NIC threads of peers woken for a packet") \
    X(bells_room, "rings", COUNTER, "sleeping hosts of peers woken for room in the own inbox") \
    X(wire_reads, "operations", COUNTER, "reads of memory on other machines by the wire itself") \
    X(wire_bytes_read, "bytes", COUNTER, "bytes that these were to read") \
    X(wire_faults, "frames", COUNTER, \
      "frames that NICEMU_FAULT has lost, doubled, moved or spoilt") \
    X(wire_repeats, "frames", COUNTER, "frames that were sent more than once") \
    X(wire_pieces, "pieces", COUNTER, "pieces of frames, on a wire of datagrams") \
    X(streams, "streams", HIGH_WATER, \
      "most streams of long packets in use at a time (model clock, flow.streams)") \
    X(streams_refused, "packets", COUNTER, "packets refused since no stream was free") \
    X(messages_failed, "packets", COUNTER, "packets that failed as a NIC booted (NICEMU_BOOT)") \
    X(turns, "turns", COUNTER, "turns of the NIC's loop, by whoever held the baton") \
    X(turns_thread, "turns", COUNTER, "of those turns, taken by the NIC's own thread") \
    X(host_yields, "yields", COUNTER, "times a waiting host gave its core to others") \
    X(host_sleeps, "sleeps", COUNTER, "times a waiting host went to sleep on the doorbell") \
    X(thread_sleeps, "sleeps", COUNTER, \
      "times the NIC's own thread went to sleep on the doorbell") \
    X(handovers, "events", COUNTER, \
      "times a host went away and left requests to the NIC's own thread") \
    X(commands, "commands", COUNTER, "commands of the host executed") \
    /* * */ X(commands_queued, "commands", COUNTER, \
      "of those commands, left in the ring by a host that found the baton taken") \
    X(rdma_reads, "operations", COUNTER, "copies from a peer's memory by address (nic_rdma_read)") \
    X(rdma_writes, "operations", COUNTER, "copies to a peer's memory by address (nic_rdma_write)") \
    X(rdma_failures, "operations", COUNTER, "of those, failed") \
    /* * */ X(transfers, "operations", COUNTER, "puts and gets started") \
    /* * */ X(transfer_failures, "operations", COUNTER, "of those, ended in an error") \
    /* * */ X(bytes_direct, "bytes", COUNTER, \
      "RDMA bytes copied by the processor: both ends are mapped here") \
    X(bytes_kernel_read, "bytes", COUNTER, "RDMA bytes read by the kernel") \
    X(bytes_kernel_written, "bytes", COUNTER, "RDMA bytes written by the kernel") \
    X(bytes_by_peer, "bytes", COUNTER, \
      "RDMA bytes that the peer's process copied, where the kernel does not (model clock)") \
    /* * */ X(bytes_in_packets, "bytes", COUNTER, "RDMA bytes that travelled in packets") \
    X(atomics, "operations", COUNTER, "atomic operations executed here, whoever asked for them") \
    /* * */ X(atomic_repeats, "requests", COUNTER, \
      "requests for atomic operations that came again and were answered from the table of " \
      "results") \
    X(counters_fired, "events", COUNTER, "counters taken to zero by this rank") \
    /* * */ X(trigger_failures, "operations", COUNTER, \
      "triggered operations that could not be started, or failed") \
    /* * */ X(hardware_sent, "packets", COUNTER, \
      "packets of the hardware itself: requests, data and replies of RDMA, counters, atomics " \
      "and queues") \
    /* * */ X(hardware_received, "packets", COUNTER, "such packets received") \
    /* * */ X(hardware_delayed, "packets", COUNTER, \
      "such packets that had to wait for room in a peer's inbox") \
    /* * */ X(hardware_dropped, "packets", COUNTER, \
      "such packets dropped: senseless, late, or not allowed") \
    /* * */ X(scratchpad_buffers, "bytes", HIGH_WATER, \
      "most of the scratchpad that eager and staging buffers had at a time") \
    /* * */ X(scratchpad_claims, "bytes", HIGH_WATER, \
      "most of the scratchpad that claim words of transfers that both ends copy had at a time") \
    /* * */ X(scratchpad_counters, "bytes", HIGH_WATER, \
      "most of the scratchpad that counters had at a time") \
    /* * */ X(scratchpad_queues, "bytes", HIGH_WATER, \
      "most of the scratchpad that hardware queues and command queues had at a time") \
    /* * */ X(scratchpad_slots, "bytes", HIGH_WATER, \
      "most of the scratchpad that slots of collectives had at a time") \
    /* * */ X(scratchpad_atomics, "bytes", HIGH_WATER, \
      "most of the scratchpad that words and results of atomics had at a time") \
    /* * */ X(scratchpad_registrations, "bytes", HIGH_WATER, \
      "most of the scratchpad that registered memory had at a time") \
    /* * */ X(scratchpad_user, "bytes", HIGH_WATER, \
      "most of the scratchpad that the program had at a time") \
    /* * */ X(scratchpad_refusals, "requests", COUNTER, \
      "requests for which the scratchpad had no room") \
    /* * */ X(heap, "bytes", HIGH_WATER, "most of the heap in use at a time") \
    /* * */ X(heap_refusals, "requests", COUNTER, "requests for which the heap had no room")

#define NIC_STAT_ENUM(name, unit, kind, text) NIC_STAT_##name,
enum nic_stat { NIC_STATS(NIC_STAT_ENUM) NIC_STAT_END };

/* Owner: baton, but for what NIC_COUNT_SHARED counts. */
struct nic_stats {
    uint64_t value[NIC_STAT_END];
    const struct nic_stat_table *table[NIC_STAT_TABLES_MAX];
    unsigned tables;
};

#define NIC_COUNT(nic, what, n) ((nic)->stats.value[NIC_STAT_##what] += (n))
/* The same for what also happens without the baton. */
#define NIC_COUNT_SHARED(nic, what, n) \
    ((void)__atomic_fetch_add(&(nic)->stats.value[NIC_STAT_##what], (n), __ATOMIC_RELAXED))

#endif
