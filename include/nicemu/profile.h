/* nicemu/profile.h: what the modelled hardware is and what each thing costs on the model clock.
 * Part of nicemu.h.
 *
 * A profile is plain data without pointers, so that it can be copied into a job's segment. It is
 * read from a text file (`mpirun --model NAME`, `nicinfo NAME`) in which each number has a unit
 * and, in a comment, its source. One table below has all keys: from it come the struct, the parser,
 * its messages and the manual.
 *
 * Stored units, whatever the file says:
 *
 *   TIME    picoseconds
 *   RATE    picoseconds per 1024 bytes, so that fast links keep their precision; nic_profile_bytes
 *   applies it
 *   CLOCK   hertz
 *   BYTES   bytes
 *   COUNT   a number of what the table names
 *   CHOICE  the index of a name in the table's list, which is the enum's value
 *   SWITCH  0 or 1
 *
 * Sources, in brackets: A is Brightwell et al., "A Hardware Acceleration Unit for MPI Queue
 * Processing"; B is Katsamani, MPI over scratchpads, counters and RDMA. */
#ifndef NICEMU_PROFILE_H
#define NICEMU_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---------------------------------------------------------------- choices -- */

/* How an eager message travels: as a packet that the receiver's NIC matches, or by RDMA into the
 * next slot of a ring of slots that belongs to the pair of ranks [B 4.2.1]. */
#define NIC_EAGER_KINDS(X) X(packet, PACKET) X(ring, RING)
/* Rendezvous: the sender writes [B figure 3.7], or the receiver reads [B figure 3.8]. */
#define NIC_RENDEZVOUS_KINDS(X) X(put, PUT) X(get, GET)
/* When a blocking eager send returns: its data have been
 * copied, or lie at the receiver [B 4.3.2]. */
#define NIC_SEND_RETURNS(X) X(copied, COPIED) X(landed, LANDED)
/* How the host learns of a completion, and in host-based mode of a packet: it polls; each packet
 * interrupts it; only those that ask it to serve a peer do (an atomic operation, a put, a broadcast
 * to be passed on), of which blocking has it wait for them asleep, or signal has it poll while it
 * is in a call, so that they interrupt nothing but a computation. */
#define NIC_COMPLETION_KINDS(X) \
    X(polling, POLLING) X(interrupt, INTERRUPT) X(blocking, BLOCKING) X(signal, SIGNAL)
/* What the NIC's processor does, unless `mpirun --offload` says otherwise.  none: nothing, the host
 * works in its place; forward: it moves packets between wire and host, which does the rest. */
#define NIC_OFFLOAD_KINDS(X) X(none, NONE) X(match, MATCH) X(all, ALL) X(forward, FORWARD)

/* Where nodes are: each is next to all, or has a router in a mesh, a torus, or a mesh in x and y
 * whose z is closed to rings (Red Storm). */
#define NIC_TOPOLOGY_KINDS(X) \
    X(crossbar, CROSSBAR) X(mesh, MESH) X(torus, TORUS) X(mixed, MIXED)

/* Whether packets that take the same links of the network wait for each other. */
#define NIC_CONTENTION_KINDS(X) X(none, NONE) X(shared, SHARED)

#define NIC_CHOICE_ENUM_EAGER(name, NAME) NIC_EAGER_##NAME,
#define NIC_CHOICE_ENUM_RENDEZVOUS(name, NAME) NIC_RENDEZVOUS_##NAME,
#define NIC_CHOICE_ENUM_SEND(name, NAME) NIC_SEND_##NAME,
#define NIC_CHOICE_ENUM_COMPLETION(name, NAME) NIC_COMPLETION_##NAME,
#define NIC_CHOICE_ENUM_OFFLOAD(name, NAME) NIC_OFFLOAD_##NAME,
#define NIC_CHOICE_ENUM_CONTENTION(name, NAME) NIC_CONTENTION_##NAME,
#define NIC_CHOICE_ENUM_TOPOLOGY(name, NAME) NIC_TOPOLOGY_##NAME,
enum nic_eager_kind { NIC_EAGER_KINDS(NIC_CHOICE_ENUM_EAGER) };
enum nic_rendezvous_kind { NIC_RENDEZVOUS_KINDS(NIC_CHOICE_ENUM_RENDEZVOUS) };
enum nic_send_returns { NIC_SEND_RETURNS(NIC_CHOICE_ENUM_SEND) };
enum nic_completion_kind { NIC_COMPLETION_KINDS(NIC_CHOICE_ENUM_COMPLETION) };
enum nic_offload_kind { NIC_OFFLOAD_KINDS(NIC_CHOICE_ENUM_OFFLOAD) };
enum nic_contention_kind { NIC_CONTENTION_KINDS(NIC_CHOICE_ENUM_CONTENTION) };
enum nic_topology_kind { NIC_TOPOLOGY_KINDS(NIC_CHOICE_ENUM_TOPOLOGY) };

/* "|packet|ring" */
#define NIC_CHOICE_NAME(name, NAME) "|" #name

/* ------------------------------------------------------------------- keys --
 * X(section, key, kind, least, most, default, unit, explanation).  Defaults are those of hardware
 * that costs nothing, as far as that can be: a wire without latency would leave no time in which
 * ranks can run beside each other, and polling without cost would never end. */

#define NIC_TIME_MOST UINT64_C(1000000000000)           /* a second */
#define NIC_RATE_MOST UINT64_C(1024000000000)           /* a millisecond per byte */
#define NIC_BYTES_MOST (UINT64_C(1) << 40)

/* Both processors, host and nic: the same code runs on either, as the offload mode says. */
#define NIC_PROFILE_PROCESSOR(X, section) \
    X(section, clock, CLOCK, 1000000, UINT64_C(100000000000), 1000000000, "", \
      "clock of the processor") \
    X(section, loop, TIME, 0, NIC_TIME_MOST, 0, "", \
      "a turn of the loop that looks for work: what comes while nothing is under way waits for " \
      "half of it") \
    X(section, packet, TIME, 0, NIC_TIME_MOST, 0, "", \
      "takes in a packet: first action of the loop, with reading the header") \
    X(section, command, TIME, 0, NIC_TIME_MOST, 0, "", \
      "takes in a command of the host: second action of the loop") \
    X(section, advance, TIME, 0, NIC_TIME_MOST, 0, "", \
      "takes an active request one step further: third action of the loop") \
    X(section, update, TIME, 0, NIC_TIME_MOST, 0, "", \
      "looks whether an ALPU wants entries: fourth action of the loop") \
    X(section, control, TIME, 0, NIC_TIME_MOST, 0, "", \
      "builds or reads a control message of a rendezvous") \
    X(section, step, TIME, 0, NIC_TIME_MOST, 0, "", "takes a step of a collective schedule") \
    X(section, schedule, TIME, 0, NIC_TIME_MOST, 0, "", \
      "takes such a schedule in, besides its command") \
    X(section, append, TIME, 0, NIC_TIME_MOST, 0, "", "appends an entry to a list") \
    X(section, unlink, TIME, 0, NIC_TIME_MOST, 0, "", "takes an entry out of a list") \
    X(section, entry_hit, TIME, 0, NIC_TIME_MOST, 0, "", \
      "compares an entry of a list that lies in the cache, and goes to the next") \
    X(section, entry_miss, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the same, all of it, for an entry that does not lie in the cache") \
    X(section, entry_bytes, BYTES, 8, 65536, 64, "", \
      "memory of an entry of a list, all written when it is appended") \
    X(section, entry_read, BYTES, 8, 65536, 32, "", "its first bytes, read when it is compared") \
    X(section, entry_free, COUNT, 0, 65536, 0, "entries", \
      "compared at no cost in each search, if they lie in the cache: what the call itself looks " \
      "at") \
    X(section, cache, BYTES, 0, NIC_BYTES_MOST, 0, "", "data cache; 0: all fits") \
    X(section, cache_line, BYTES, 8, 4096, 64, "", "line of the data cache") \
    X(section, cache_ways, COUNT, 0, 65536, 0, "ways", \
      "ways of the data cache, least recently used first out; 0: fully associative") \
    X(section, copy, TIME, 0, NIC_TIME_MOST, 0, "", "starts a copy of more than 0 bytes") \
    X(section, copy_byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte copied") \
    X(section, copy_odd, TIME, 0, NIC_TIME_MOST, 0, "", \
      "added if the length of a copy is no multiple of protocol.word") \
    X(section, add, TIME, 0, NIC_TIME_MOST, 0, "", \
      "a reduction combines two elements: integers, and what is no number") \
    X(section, add_real, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the same of floating-point numbers, a pair of them for a complex one") \
    X(section, complete, TIME, 0, NIC_TIME_MOST, 0, "", "writes a completion")

/* MPI functions, on the host's processor. */
#define NIC_PROFILE_CALL(X, section) \
    X(section, enter, TIME, 0, NIC_TIME_MOST, 0, "", \
      "call of any MPI function and return from it") \
    X(section, send_before, TIME, 0, NIC_TIME_MOST, 0, "", \
      "send: work before data or command leave") \
    X(section, send_after, TIME, 0, NIC_TIME_MOST, 0, "", \
      "blocking send: work from the completion to the return") \
    X(section, recv_before, TIME, 0, NIC_TIME_MOST, 0, "", \
      "receive: work before it looks for the message, or the command leaves") \
    X(section, recv_after, TIME, 0, NIC_TIME_MOST, 0, "", \
      "blocking receive: work from the completion to the return") \
    X(section, wait, TIME, 0, NIC_TIME_MOST, 0, "", "wait functions, per request") \
    X(section, test, TIME, 1, NIC_TIME_MOST, 1000, "", \
      "test functions, per call; not 0, so that loops of them end") \
    X(section, probe, TIME, 1, NIC_TIME_MOST, 1000, "", \
      "probe functions, per look; not 0, so that loops of them end") \
    X(section, collective, TIME, 0, NIC_TIME_MOST, 0, "", "collective functions, per call") \
    X(section, wtime, TIME, 1, NIC_TIME_MOST, 1000, "", \
      "MPI_Wtime; not 0, so that loops that wait for a time end") \
    X(section, command, TIME, 0, NIC_TIME_MOST, 0, "", \
      "writes a command for the NIC, up to the bus") \
    X(section, completion, TIME, 0, NIC_TIME_MOST, 0, "", "takes note of a completion") \
    X(section, pack_block, TIME, 0, NIC_TIME_MOST, 0, "", \
      "data with gaps: packs or unpacks a run of bytes, besides its bytes") \
    X(section, pack_byte, RATE, 0, NIC_RATE_MOST, 0, "", "the same, per byte") \
    X(section, post_trips, COUNT, 0, 1000, 0, "trips", \
      "round trips over the bus that a receive's call waits for, where the NIC matches") \
    X(section, send_trips, COUNT, 0, 1000, 0, "trips", \
      "the same of a send, before its command is written") \
    X(section, system, TIME, 0, NIC_TIME_MOST, 0, "", \
      "system call, in each send and receive, where the host matches") \
    X(section, element, TIME, 0, NIC_TIME_MOST, 0, "", \
      "a step of a program's loop besides its calls: an address computed, a word read; where it " \
      "says so with MPIX_Compute_key") \
    X(section, update, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the same of a random update: its number made and, later, its word changed")

#define NIC_PROFILE_BUS(X, section) \
    X(section, latency, TIME, 0, NIC_TIME_MOST, 0, "", "one crossing between host and NIC") \
    X(section, byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte that crosses") \
    X(section, command_bytes, BYTES, 0, 65536, 64, "", "a command") \
    X(section, completion_bytes, BYTES, 0, 65536, 16, "", "a completion") \
    X(section, pio_byte, RATE, 0, NIC_RATE_MOST, 0, "", \
      "the host writes a byte of a command, or of data that go with it, into the NIC") \
    X(section, pio_bytes, BYTES, 0, 65536, 0, "", "most data that go with a command") \
    X(section, read, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the NIC reads host memory for a packet: start") \
    X(section, read_byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte that crosses then") \
    X(section, write, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the NIC writes what a packet brought to host memory: start") \
    X(section, write_byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte that crosses then") \
    X(section, line_bytes, BYTES, 1, 65536, 64, "", "data of a line of the bus") \
    X(section, line_overhead, BYTES, 0, 65536, 0, "", "what crosses with each line besides")

#define NIC_PROFILE_ALPU(X, section) \
    X(section, posted, COUNT, 0, 1024, 0, "cells", \
      "cells of the unit for posted receives; 0: none") \
    X(section, unexpected, COUNT, 0, 1024, 0, "cells", \
      "cells of the unit for unexpected headers; 0: none") \
    X(section, block, COUNT, 1, 32, 16, "cells", "cells in a block: 1, 2, 4, 8, 16 or 32") \
    X(section, clock, CLOCK, 1000000, UINT64_C(100000000000), 1000000000, "", \
      "clock of the units") \
    X(section, match, COUNT, 0, 1000, 7, "cycles", \
      "a match; 0: 7, and 6 in a unit of at most 8 blocks [A table IV]") \
    X(section, insert, COUNT, 1, 1000, 2, "cycles", "an insert") \
    X(section, other, COUNT, 1, 1000, 1, "cycles", "any other command") \
    X(section, overlap, SWITCH, 0, 1, 0, "", \
      "a match begins during the last stage of the one before") \
    X(section, retry_inserts, SWITCH, 0, 1, 0, "", \
      "held matches are tried again after inserts too, not only after STOP INSERT") \
    X(section, match_bits, COUNT, 64, 64, 64, "bits", \
      "bits compared: all of an envelope, as with fewer messages are taken for each other") \
    X(section, tag_bits, COUNT, 1, 32, 32, "bits", "bits of a tag") \
    X(section, header_fifo, COUNT, 1, 65536, 64, "entries", "depth of the FIFO of headers") \
    X(section, command_fifo, COUNT, 1, 65536, 64, "entries", "depth of the FIFO of commands") \
    X(section, result_fifo, COUNT, 1, 65536, 64, "entries", "depth of the FIFO of results") \
    X(section, threshold, COUNT, 0, 1000000, 0, "entries", \
      "a unit is used when its list is longer than that") \
    X(section, batch, COUNT, 0, 1000000, 0, "entries", \
      "entries waiting before a call inserts of its own accord; 0: only the loop does") \
    X(section, room, COUNT, 0, 1024, 1, "cells", \
      "free cells worth an insert mode, unless fewer entries wait") \
    X(section, write, TIME, 0, NIC_TIME_MOST, 0, "", "the processor writes a command to a unit") \
    X(section, read, TIME, 0, NIC_TIME_MOST, 0, "", "the processor reads a result of a unit") \
    X(section, result, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the processor works on a result, apart from reading it")

/* The engines between memory and wire, tx and rx. */
#define NIC_PROFILE_DMA(X, section) \
    X(section, start, TIME, 0, NIC_TIME_MOST, 0, "", "an operation") \
    X(section, byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte") \
    X(section, line, TIME, 0, NIC_TIME_MOST, 0, "", "per line begun") \
    X(section, line_bytes, BYTES, 1, 65536, 64, "", "a line")

#define NIC_PROFILE_LINK(X, section) \
    X(section, latency, TIME, 1, NIC_TIME_MOST, 1000, "", \
      "from the sender's engine to the receiver's; not 0: ranks run ahead of each other by it") \
    X(section, byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte, header and payload") \
    X(section, cut_through, SWITCH, 0, 1, 0, "", \
      "the receiver begins with a packet when its header is there, not its last byte") \
    X(section, topology, CHOICE, 0, 3, NIC_TOPOLOGY_CROSSBAR, \
      NIC_TOPOLOGY_KINDS(NIC_CHOICE_NAME), \
      "where nodes are, in rows of x, planes of x * y: next to each other, or with a router each " \
      "in a mesh, a torus, or a mesh in x and y that is a torus in z") \
    X(section, x, COUNT, 0, 65536, 0, "nodes", \
      "length of a row; 0: chosen, so that x + y + z is the least") \
    X(section, y, COUNT, 0, 65536, 0, "nodes", "rows of a plane; 0: chosen") \
    X(section, z, COUNT, 0, 65536, 0, "nodes", "planes; 0: chosen") \
    X(section, router, TIME, 0, NIC_TIME_MOST, 0, "", \
      "added for each hop from a node to the next, by the shortest way") \
    X(section, contention, CHOICE, 0, 1, NIC_CONTENTION_NONE, \
      NIC_CONTENTION_KINDS(NIC_CHOICE_NAME), \
      "shared: what goes through the same link between two routers, or from the network into the " \
      "same node, goes one behind the other at link.byte; but for what a NIC reads")

#define NIC_PROFILE_RDMA(X, section) \
    X(section, setup, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the processor hands an operation to the engine") \
    X(section, start, TIME, 0, NIC_TIME_MOST, 0, "", \
      "an operation, up to its first byte on the wire; link.latency comes on top") \
    X(section, short_byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte up to short_bytes") \
    X(section, short_bytes, BYTES, 0, NIC_BYTES_MOST, 64, "", \
      "length up to which short_byte counts") \
    X(section, byte, RATE, 0, NIC_RATE_MOST, 0, "", "per byte past short_bytes") \
    X(section, odd, TIME, 0, NIC_TIME_MOST, 0, "", \
      "added if the length is no multiple of protocol.word") \
    X(section, read, TIME, 0, NIC_TIME_MOST, 0, "", \
      "added to a read, apart from the crossing of its request")

#define NIC_PROFILE_COUNTER(X, section) \
    X(section, preset, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the processor presets a counter and its addresses") \
    X(section, local, TIME, 0, NIC_TIME_MOST, 0, "", \
      "from the last byte to the notification seen by the side that owns the counter") \
    X(section, remote, TIME, 0, NIC_TIME_MOST, 0, "", \
      "from the last byte to the notification seen by the other side") \
    X(section, addresses, COUNT, 1, 4, 4, "addresses", "notification addresses of a counter")

#define NIC_PROFILE_STORE(X, section) \
    X(section, issue, TIME, 0, NIC_TIME_MOST, 0, "", "the processor issues a remote store") \
    X(section, latency, TIME, 0, NIC_TIME_MOST, 0, "", \
      "from there to the word on the wire; link.latency comes on top")

/* One-sided commands, which the host writes into a queue of the NIC's (nicemu/pgas.h). */
#define NIC_PROFILE_PGAS(X, section) \
    X(section, issue, TIME, 0, NIC_TIME_MOST, 0, "", "the host composes a command") \
    X(section, line, TIME, 0, NIC_TIME_MOST, 0, "", \
      "a line of 64 bytes of commands written into the queue") \
    X(section, space, TIME, 0, NIC_TIME_MOST, 0, "", "the host reads how much room there is") \
    X(section, update, TIME, 0, NIC_TIME_MOST, 0, "", "the NIC tells it") \
    X(section, command, TIME, 0, NIC_TIME_MOST, 0, "", "the NIC takes a command apart") \
    X(section, unit, SWITCH, 0, 1, 0, "", \
      "a unit beside the NIC's processor executes the commands, each while the next comes in; " \
      "line is then what a core takes to copy 64 bytes of data, beside issue and word") \
    X(section, ranks, COUNT, 1, 4096, 1, "ranks", \
      "ranks of a node, one behind the other, which share such a unit, its bus and its link") \
    X(section, word, TIME, 0, NIC_TIME_MOST, 0, "", \
      "with a unit: the host stores 4 bytes of data behind a command") \
    X(section, header, BYTES, 0, 65536, 0, "", \
      "with a unit: what a message has on the wire besides its data")

#define NIC_PROFILE_SCRATCHPAD(X, section) \
    X(section, bytes, BYTES, 0, NIC_BYTES_MOST, 0, "", \
      "scratchpad of a rank; 0: as much as is asked for") \
    X(section, slots, COUNT, 1, 65536, 8, "slots", \
      "slots of an eager ring, per pair and direction") \
    X(section, slot_bytes, BYTES, 16, 65536, 64, "", "a slot, header included")

#define NIC_PROFILE_PROTOCOL(X, section) \
    X(section, offload, CHOICE, 0, 3, NIC_OFFLOAD_ALL, NIC_OFFLOAD_KINDS(NIC_CHOICE_NAME), \
      "what the NIC does: nothing, matching, collectives too; or it forwards packets") \
    X(section, eager, CHOICE, 0, 1, NIC_EAGER_PACKET, NIC_EAGER_KINDS(NIC_CHOICE_NAME), \
      "how an eager message travels") \
    X(section, eager_limit, BYTES, 0, UINT64_C(1) << 30, 4096, "", "longest eager message") \
    X(section, eager_ahead, COUNT, 0, 1000000000, 131072, "messages", \
      "eager messages to a peer that are not known to be matched; a send beyond that is done " \
      "when enough others are; 0: any number") \
    X(section, copies, SWITCH, 0, 1, 0, "", \
      "where the host runs the protocols: it copies the data of an eager message into a buffer " \
      "from which they are sent, and out of the one into which they came") \
    X(section, send_returns, CHOICE, 0, 1, NIC_SEND_COPIED, NIC_SEND_RETURNS(NIC_CHOICE_NAME), \
      "when a blocking eager send returns") \
    X(section, rendezvous, CHOICE, 0, 1, NIC_RENDEZVOUS_PUT, \
      NIC_RENDEZVOUS_KINDS(NIC_CHOICE_NAME), "the sender writes, or the receiver reads") \
    X(section, header, BYTES, 0, 65536, 16, "", "header of a message on the wire or in a slot") \
    X(section, control, BYTES, 0, 65536, 4, "", \
      "payload of a control message that carries an address") \
    X(section, word, BYTES, 1, 64, 4, "", "word of memory and network: see the keys named odd")

#define NIC_PROFILE_COMPLETION(X, section) \
    X(section, kind, CHOICE, 0, 3, NIC_COMPLETION_POLLING, NIC_COMPLETION_KINDS(NIC_CHOICE_NAME), \
      "how the host learns of a completion") \
    X(section, poll, TIME, 0, NIC_TIME_MOST, 0, "", \
      "polling: from the completion in memory to the host that sees it") \
    X(section, interrupt, TIME, 0, NIC_TIME_MOST, 0, "", "interrupt: the same") \
    X(section, handler, TIME, 0, NIC_TIME_MOST, 0, "", "host processor's time per interrupt") \
    X(section, announce, BYTES, 0, NIC_BYTES_MOST, 0, "", \
      "a NIC that forwards: of longer messages the host hears first, and once more when the data " \
      "are where it has said; 0: of none")

/* Flow control between two NICs (model/flow.h). */
#define NIC_PROFILE_FLOW(X, section) \
    X(section, streams, COUNT, 0, 65536, 0, "streams", \
      "long packets that a NIC can take in at the same time; 0: no protocol, and no limit") \
    X(section, short_bytes, BYTES, 0, 65536, 0, "", "longest packet that needs no stream") \
    X(section, implicit, SWITCH, 0, 1, 0, "", \
      "a packet that needs no stream is acknowledged by its arrival in order, without a message") \
    X(section, check, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the processor numbers a packet, or looks at a packet's number") \
    X(section, answer, TIME, 0, NIC_TIME_MOST, 0, "", \
      "the processor builds an acknowledgment, or a refusal") \
    X(section, answered, TIME, 0, NIC_TIME_MOST, 0, "", "the processor takes one in") \
    X(section, backoff, SWITCH, 0, 1, 0, "", \
      "a refusal tells the sender's place in line, and for each place it waits as long as its " \
      "packet takes") \
    X(section, patience, TIME, 1, NIC_TIME_MOST, 1000000000, "", \
      "on a wire that loses packets: silence after which a sender tries again")

/* Several ranks on a node, which share its NIC with bus and link, and its processors. */
#define NIC_PROFILE_NODE(X, section) \
    X(section, ranks, COUNT, 1, 64, 1, "ranks", \
      "ranks of a node, one behind the other, which share its NIC, its bus and its link") \
    X(section, loop, TIME, 0, NIC_TIME_MOST, 0, "", \
      "from the engine that sends to the one that receives, between ranks of a node; 0: packets " \
      "go out by the link and come back, as from any other node") \
    X(section, cpus, COUNT, 0, 64, 0, "processors", \
      "processors that the hosts of a node's ranks share; 0: each has one of its own") \
    X(section, change, TIME, 0, NIC_TIME_MOST, 0, "", \
      "such a processor goes from one rank to another") \
    X(section, slice, TIME, 1, NIC_TIME_MOST, UINT64_C(10000000000), "", \
      "a rank that computes lets others have its processor after so long")

/* S(section, keys, section whose clock counts its cycles, explanation) */
#define NIC_PROFILE_SECTIONS(S) \
    S(host, NIC_PROFILE_PROCESSOR, host, "the host's processor") \
    S(call, NIC_PROFILE_CALL, host, "MPI functions, on the host's processor") \
    S(bus, NIC_PROFILE_BUS, nic, "the bus between host and NIC") \
    S(nic, NIC_PROFILE_PROCESSOR, nic, "the NIC's processor") \
    S(alpu, NIC_PROFILE_ALPU, alpu, "associative list processing units") \
    S(tx, NIC_PROFILE_DMA, nic, "the engine from memory to wire") \
    S(rx, NIC_PROFILE_DMA, nic, "the engine from wire to memory") \
    S(link, NIC_PROFILE_LINK, nic, "the wire") \
    S(rdma, NIC_PROFILE_RDMA, nic, "remote memory access") \
    S(counter, NIC_PROFILE_COUNTER, nic, "counters and their notifications") \
    S(store, NIC_PROFILE_STORE, nic, "remote stores of a word") \
    S(pgas, NIC_PROFILE_PGAS, nic, "one-sided commands by a queue") \
    S(scratchpad, NIC_PROFILE_SCRATCHPAD, nic, "scratchpad memory") \
    S(protocol, NIC_PROFILE_PROTOCOL, nic, "messages") \
    S(completion, NIC_PROFILE_COMPLETION, nic, "how the host learns of things") \
    S(flow, NIC_PROFILE_FLOW, nic, "flow control between NICs") \
    S(node, NIC_PROFILE_NODE, host, "nodes of several ranks")

/* ----------------------------------------------------------------- struct -- */

#define NIC_PROFILE_FIELD(section, key, kind, least, most, fallback, unit, text) uint64_t key;
#define NIC_PROFILE_MEMBER(section, keys, clock, text) struct nic_profile_##section section;

/* host and nic have the same type, and so have tx and rx:
 * what runs on either, takes a pointer to it. */
struct nic_profile_processor { NIC_PROFILE_PROCESSOR(NIC_PROFILE_FIELD, ) };
struct nic_profile_dma { NIC_PROFILE_DMA(NIC_PROFILE_FIELD, ) };
struct nic_profile_call { NIC_PROFILE_CALL(NIC_PROFILE_FIELD, ) };
struct nic_profile_bus { NIC_PROFILE_BUS(NIC_PROFILE_FIELD, ) };
struct nic_profile_alpu { NIC_PROFILE_ALPU(NIC_PROFILE_FIELD, ) };
struct nic_profile_link { NIC_PROFILE_LINK(NIC_PROFILE_FIELD, ) };
struct nic_profile_rdma { NIC_PROFILE_RDMA(NIC_PROFILE_FIELD, ) };
struct nic_profile_counter { NIC_PROFILE_COUNTER(NIC_PROFILE_FIELD, ) };
struct nic_profile_store { NIC_PROFILE_STORE(NIC_PROFILE_FIELD, ) };
struct nic_profile_pgas { NIC_PROFILE_PGAS(NIC_PROFILE_FIELD, ) };
struct nic_profile_scratchpad { NIC_PROFILE_SCRATCHPAD(NIC_PROFILE_FIELD, ) };
struct nic_profile_protocol { NIC_PROFILE_PROTOCOL(NIC_PROFILE_FIELD, ) };
struct nic_profile_completion { NIC_PROFILE_COMPLETION(NIC_PROFILE_FIELD, ) };
struct nic_profile_flow { NIC_PROFILE_FLOW(NIC_PROFILE_FIELD, ) };
struct nic_profile_node { NIC_PROFILE_NODE(NIC_PROFILE_FIELD, ) };
#define nic_profile_host nic_profile_processor
#define nic_profile_nic nic_profile_processor
#define nic_profile_tx nic_profile_dma
#define nic_profile_rx nic_profile_dma

enum { NIC_PROFILE_NAME_MAX = 64 };

#define NIC_PROFILE_ONE(section, key, kind, least, most, fallback, unit, text) + 1
#define NIC_PROFILE_COUNT(section, keys, clock, text) keys(NIC_PROFILE_ONE, section)
#define NIC_PROFILE_SECTION_ONE(section, keys, clock, text) + 1
enum {
    NIC_PROFILE_KEYS = 0 NIC_PROFILE_SECTIONS(NIC_PROFILE_COUNT),
    NIC_PROFILE_SECTION_COUNT = 0 NIC_PROFILE_SECTIONS(NIC_PROFILE_SECTION_ONE)
};

/* Ranks whose hardware is another, sections [ranks 16-31 bus]: all keys as they are for them. */
enum { NIC_PROFILE_PARTS_MOST = 4 };
struct nic_profile_part {
    uint64_t first, count;      /* ranks; behind the last: no count */
    uint64_t value[NIC_PROFILE_KEYS];   /* in the order of the struct */
};

/* Keys of a control program's own, section [own]: what they are only the program knows (struct
 * nic_program_key in nicemu.h), so their values stay as they are written.  nic_open refuses a
 * program with more keys, or a longer name: all that it has can be set, and explained. */
enum { NIC_PROFILE_OWN_MOST = 16, NIC_PROFILE_OWN_TEXT = 32 };
struct nic_profile_own { char name[NIC_PROFILE_OWN_TEXT], value[NIC_PROFILE_OWN_TEXT]; };

/* Owner: whoever made it; in a job's segment the launcher writes it before the first rank starts,
 * and nobody after. */
struct nic_profile {
    char name[NIC_PROFILE_NAME_MAX];
    NIC_PROFILE_SECTIONS(NIC_PROFILE_MEMBER)
    struct nic_profile_own own[NIC_PROFILE_OWN_MOST];   /* behind the last: no name */
    struct nic_profile_part part[NIC_PROFILE_PARTS_MOST];
};

#undef nic_profile_host
#undef nic_profile_nic
#undef nic_profile_tx
#undef nic_profile_rx

/* Time of so many bytes at this rate, rounded to the nearest picosecond. */
static inline uint64_t nic_profile_bytes(uint64_t rate, uint64_t bytes)
{
    return (uint64_t)(((unsigned __int128)rate * bytes + 512) >> 10);
}

/* ------------------------------------------------------------------ table -- */

enum nic_profile_kind { NIC_KEY_TIME, NIC_KEY_RATE, NIC_KEY_CLOCK, NIC_KEY_BYTES, NIC_KEY_COUNT,
                        NIC_KEY_CHOICE, NIC_KEY_SWITCH };

struct nic_profile_key {
    const char *section, *name;     /* "nic", "entry_hit" */
    enum nic_profile_kind kind;
    unsigned section_index;
    uint64_t least, most, fallback; /* in the stored unit */
    const char *unit;               /* COUNT: of what; CHOICE: "|packet|ring" */
    const char *text;
    size_t offset;                  /* in struct nic_profile */
};

struct nic_profile_section {
    const char *name, *text;
    const char *clock;              /* section whose clock counts the cycles here */
};

/* In the order of the struct. */
extern const struct nic_profile_key nic_profile_keys[NIC_PROFILE_KEYS];
extern const struct nic_profile_section nic_profile_sections[NIC_PROFILE_SECTION_COUNT];

/* NULL: no such key.  `name` is "section.key". */
const struct nic_profile_key *nic_profile_find(const char *name);

static inline uint64_t nic_profile_value(const struct nic_profile *profile,
                                         const struct nic_profile_key *key)
{
    return *(const uint64_t *)((const char *)profile + key->offset);
}

/* ------------------------------------------------------------------- read -- */

/* What a rank has: `profile`, or that with the part for it. */
void nic_profile_of_rank(const struct nic_profile *profile, unsigned rank,
                         struct nic_profile *own);

/* Every key at its default. */
void nic_profile_default(struct nic_profile *profile);

/* A profile by name ("redstorm-alpu": from the folder in NICEMU_PROFILES if set, else those of the
 * installation or build that the running program belongs to) or, with a slash in it, by path;
 * `sets` are "section.key=value", applied in order on top. Values in cycles are converted last, so
 * that a clock set here counts for them. 0, or -errno with one line of what is wrong in *error
 * (file, line, key, allowed range); *profile is undefined then. Thread-safe. */
int nic_profile_load(const char *name, const char *const *sets, size_t count,
                     struct nic_profile *profile, char *error, size_t room);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
