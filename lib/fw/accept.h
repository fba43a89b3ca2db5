/* A receive takes a message. */
#ifndef FW_ACCEPT_H
#define FW_ACCEPT_H

#include "fw/watch.h"

/* The message is longer than the receive. */
static __attribute__((cold, noinline, unused))
void fw_truncated(struct fw *fw, struct fw_req *recv, uint64_t match)
{
    recv->error = FW_TRUNCATED;
    FW_COUNT(fw, truncations, 1);
    fw_notice(fw, FW_NOTICE_TRUNCATED,
              &(struct fw_notice){ .match = match, .bytes = recv->bytes, .peer = -1,
                                   .protocol = -1 });
}

/* Notes the envelope and the truncation of a message of `bytes`; returns what the receive gets. */
static inline size_t fw_accept(struct fw *fw, struct fw_req *recv, uint64_t match, size_t bytes)
{
    recv->full = bytes;
    if (__builtin_expect(bytes > recv->bytes, 0)) {
        fw_truncated(fw, recv, match);
        bytes = recv->bytes;
    }
    recv->match = match;
    recv->count = bytes;
    return bytes;
}

#endif
