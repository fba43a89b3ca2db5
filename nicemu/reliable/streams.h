/* The long packets that a NIC can take in at the same time, each in a stream of its own; and the
 * line of senders that it had to refuse.  Nothing but numbers: time is one that does not go
 * back. */
#ifndef NIC_RELIABLE_STREAMS_H
#define NIC_RELIABLE_STREAMS_H

#include <stdint.h>

#define NIC_STREAMS_NEVER UINT64_MAX
enum { NIC_STREAMS_LINE = 1000 };       /* longest line that is counted */

struct nic_streams {
    uint32_t count, used;       /* streams that there are; those ever used at the same time */
    uint64_t *until;            /* by stream: when it becomes free */
    uint32_t line;
};

/* `until` has room for `count`. */
void nic_streams_init(struct nic_streams *streams, uint32_t count, uint64_t *until);
/* A stream that is free now, taken until it is released; -1: there is none. */
int nic_streams_take(struct nic_streams *streams, uint64_t now);
void nic_streams_release(struct nic_streams *streams, int stream, uint64_t time);
/* One more sender is refused: its place in line, from 1 on.  One has been taken in. */
uint32_t nic_streams_refuse(struct nic_streams *streams);
void nic_streams_accept(struct nic_streams *streams);

#endif
