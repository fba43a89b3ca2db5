/* Counters of nicemu (Katsamani, section 3.1.2, "Counters/Notifications").
 *
 * A counter is an object of NIC_COUNTER_BYTES in the scratchpad of its owner, named by the owner's
 * rank and its offset there.  It is preset to minus the size of what is to come, and whoever
 * completes a part of that adds to it: bytes, or 1 for each thing done.  The addition that takes it
 * to zero fires it, exactly once, whoever made it:
 *
 *   1. up to four notifications are written: a value of 4 or 8 bytes each, to a place in any
 *      scratchpad;
 *   2. the owner's NIC executes the operations queued on it, if there are any (nicemu/trigger.h).
 *
 * Whoever sees a notification, or sees the count at zero by nic_counter_read, _done or _wait, sees
 * everything that was written before it was counted.
 *
 * Width.  A counter has 64 bits, or 24 as in the paper, and is signed.  Counting wraps around: a
 * 24-bit counter goes from 2^23 - 1 to -2^23. Overshoot.  Firing is the step from a negative count
 * to zero or above; a count that goes past zero in that step has fired and holds the excess.  Above
 * zero nothing fires: what comes then is counted, and is there for the next nic_counter_expect.  A
 * counter that has wrapped around to a negative count fires at its next zero.
 *
 * The value stands at the counter's own address (64 bits, of which a 24-bit counter uses the lower
 * ones), so that a remote store of 8 bytes presets a counter of another rank.  It must not be
 * counted meanwhile.
 *
 * All functions need the baton, as those in nicemu.h do.  Those without a rank work on the caller's
 * own counters. */
#ifndef NICEMU_COUNTER_H
#define NICEMU_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;

enum { NIC_COUNTER_NOTIFICATIONS = 4, NIC_COUNTER_BYTES = 128, NIC_COUNTER_ALIGN = 64 };

struct nic_notification {
    uint32_t rank;              /* whose scratchpad */
    uint32_t bytes;             /* 4 or 8; 0: none */
    uint64_t offset;            /* a multiple of bytes */
    uint64_t value;             /* what is written; the paper's NIC writes 1 */
};

struct nic_counter_config {
    unsigned bits;              /* 24 or 64 */
    /* preset to minus this; at most 2^(bits - 1).  0: not negative, so it is done and fires
     * nothing */
    uint64_t size;
    struct nic_notification notify[NIC_COUNTER_NOTIFICATIONS];
};

/* -EINVAL: width, size, or a notification with a wrong rank, place or alignment; -ENOMEM: the
 * scratchpad is exhausted. */
int nic_counter_create(struct nic *nic, const struct nic_counter_config *config, uint64_t *counter);

/* Nobody may count it any more.  Operations queued on it are dropped.  -EINVAL: no counter. */
int nic_counter_destroy(struct nic *nic, uint64_t counter);

/* Sets it to minus the size.  It must not be counted meanwhile.
 *  -EINVAL: no counter; -ERANGE: the size. */
int nic_counter_preset(struct nic *nic, uint64_t counter, uint64_t size);

/* Presets it to what it was preset to last. */
int nic_counter_reset(struct nic *nic, uint64_t counter);

/* Subtracts the size, also while it is counted, so that what came early is not lost: if all of it
 * is there already the counter fires now.  Each call is answered by one firing provided that the
 * one before has been. */
int nic_counter_expect(struct nic *nic, uint64_t counter, uint64_t size);

/* Counts.  `counter` is an offset in the scratchpad of `rank`; NIC_SPAD_NONE does nothing, and so
 * does an amount of 0. -EINVAL: no such rank, or no counter there (known only where the counter is
 * in reach: a request in a packet is dropped at the owner); -ERANGE: amount above 2^(bits - 1). */
int nic_counter_add(struct nic *nic, uint32_t rank, uint64_t counter, uint64_t amount);

/* The count, sign-extended. */
int nic_counter_read(struct nic *nic, uint64_t counter, int64_t *value);

/* True if the count is not negative.  False for what is no counter. */
bool nic_counter_done(struct nic *nic, uint64_t counter);

/* Waits until the count is not negative.  0 or -EINVAL. */
int nic_counter_wait(struct nic *nic, uint64_t counter);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
