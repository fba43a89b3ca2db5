/* The posted and the unexpected queue as stores of entries: match bits, mask and an index.  The
 * first match in order of posting, or of arrival, wins.  Where a caller knows the clock `modelled`
 * is a constant, and the live clock does not ask.  On the model clock an empty queue is searched
 * too: that takes time. */
#ifndef FW_QUEUE_H
#define FW_QUEUE_H

#include "fw/state.h"

/* Takes out the first entry that matches. */
static inline bool fw_queue_match(const struct fw_queue *q, bool modelled, uint64_t bits,
                                  uint64_t mask, uint32_t *index)
{
    return modelled ? nic_timed_list_match(q->list, bits, mask, index)
                    : nic_match_list_match(q->store, bits, mask, index, NULL);
}

/* Finds the first entry that matches, and leaves it. */
static inline bool fw_queue_find(const struct fw_queue *q, bool modelled, uint64_t bits,
                                 uint64_t mask, uint32_t *index)
{
    return modelled ? nic_timed_list_find(q->list, bits, mask, index)
                    : nic_match_list_find(q->store, bits, mask, index, NULL);
}

/* 0 or a negative errno. */
static inline int fw_queue_append(const struct fw_queue *q, bool modelled, uint64_t bits,
                                  uint64_t mask, uint32_t index)
{
    return modelled ? nic_timed_list_append(q->list, bits, mask, index)
                    : nic_match_list_append(q->store, bits, mask, index);
}

/* False: there is no entry of that index. */
static inline bool fw_queue_remove(const struct fw_queue *q, bool modelled, uint32_t index)
{
    return modelled ? nic_timed_list_remove(q->list, index)
           : nic_match_list_remove(q->store, index);
}

/* Receives that wait for a message, and messages that wait for a receive. */
static inline size_t fw_posted_count(const struct fw *fw) { return fw->fast_path.posted; }
static inline size_t fw_unexpected_count(const struct fw *fw) { return fw->fast_path.unexpected; }

#endif
