/* nicemu/trace.h: what each unit of a NIC did and when, on the model clock, for who draws it.
 *
 * A tool is told of each piece of work as it is charged, of each packet and move of data on the
 * wire, and of each event that a NIC has handled.  It is told in the order in which they come to
 * pass in the process, which is not that of time: a unit that is busy does later what it was asked
 * first.  Nothing of it decides anything: the log's hash is the same with a tool and without.
 *
 * Times in picoseconds. */
#ifndef NICEMU_TRACE_H
#define NICEMU_TRACE_H

#include "explain.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum nic_trace_kind {
    NIC_TRACE_WORK,             /* a unit's work: what it was is `what` */
    NIC_TRACE_PACKET,           /* a packet on the wire: source and sequence name it */
    NIC_TRACE_MOVE,             /* what RDMA moves, on the wire */
    NIC_TRACE_EVENT,            /* an event handled: its kind is `what`; of a packet, which one */
};

/* Behind the units: the host's processor with the handlers, where it runs these; and what comes
 * beside any processor, several things at a time: ends of copies, packets that a shared NIC sends
 * for its host, words that a peer has stored, what such a host asks of the engines. */
enum { NIC_TRACE_HANDLERS = NIC_UNIT_COUNT, NIC_TRACE_BESIDE };

struct nic_trace_event {
    enum nic_trace_kind kind;
    unsigned what;
    unsigned unit;              /* enum nic_unit_kind, NIC_TRACE_HANDLERS or NIC_TRACE_BESIDE */
    uint64_t begin, end;
    uint64_t bytes;             /* of packets and moves */
    uint32_t source, sequence;  /* of packets: no two have both in common */
};

/* From here on `told` hears of all that this NIC does; it may call nothing of the NIC.  NULL: of
 * nothing.  -ENOSYS on the live clock.  Baton held, or no other thread has begun. */
int nic_trace(struct nic *nic, void (*told)(void *context, const struct nic_trace_event *event),
              void *context);

/* "copy byte", "packet"; "?" for what is out of range. */
const char *nic_trace_name(enum nic_trace_kind kind, unsigned what, char *text, size_t room);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
