/* The firmware's figures: one line each. */
#ifndef FW_FIGURES_H
#define FW_FIGURES_H

#include "nicemu/stats.h"

struct fw;

/* Lengths of a queue when it is searched, in classes of powers of two: X(first, in words, a). */
#define FW_DEPTHS(X, a) \
    X(0, "0", a) X(1, "1", a) X(2, "2 or 3", a) X(4, "4 to 7", a) \
    X(8, "8 to 15", a) X(16, "16 to 31", a) X(32, "32 to 63", a) X(64, "64 to 127", a) \
    X(128, "128 to 255", a) X(256, "256 to 511", a) X(512, "512 to 1023", a) \
    X(1024, "1024 to 2047", a) X(2048, "2048 to 4095", a) X(4096, "4096 to 8191", a) \
    X(8192, "8192 to 16383", a) X(16384, "16384 or more", a)
#define FW_DEPTH_ONE(first, words, a) +1
enum { FW_DEPTH_CLASSES = 0 FW_DEPTHS(FW_DEPTH_ONE, ) };

#define FW_POSTED_DEPTH(first, words, X) \
    X(posted_depth_##first, "searches", COUNTER, \
      "arrivals that met a posted queue of length " words)
#define FW_UNEXPECTED_DEPTH(first, words, X) \
    X(unexpected_depth_##first, "searches", COUNTER, \
      "receives that met an unexpected queue of length " words)

/* X(name, unit, kind, text).  Those marked * are not counted, or not all of them: stats.c derives
 * them from what is there anyway. */
#define FW_STATS(X) \
    /* * */ X(eager_sent, "messages", COUNTER, \
      "messages sent along with their envelope") \
    X(sync_sent, "messages", COUNTER, \
      "of those, synchronous ones, which the receiver acknowledges") \
    X(eager_asked, "messages", COUNTER, \
      "of those, ones whose acknowledgment tells how far the receiver has come") \
    X(eager_held, "messages", COUNTER, \
      "of those, ones done only when matched, as the receiver was too far behind") \
    X(eager_announced, "messages", COUNTER, \
      "such messages announced by their envelope, as those of others filled the peer's inbox") \
    X(rendezvous_sent, "messages", COUNTER, \
      "messages announced by their envelope (RTS)") \
    X(rendezvous_get, "messages", COUNTER, \
      "of those received, fetched by the receiver") \
    X(rendezvous_put, "messages", COUNTER, \
      "of those received, written by the sender") \
    X(rendezvous_both_ends, "messages", COUNTER, \
      "of those received, copied by both ends") \
    X(rendezvous_far, "messages", COUNTER, \
      "of those received, read from another machine by the wire itself") \
    X(rendezvous_staged, "messages", COUNTER, \
      "of those received, copied twice, by both ends") \
    X(rendezvous_taken, "messages", COUNTER, \
      "of those staged, fetched by the receiver in the end, as the sender was away") \
    X(bytes_staged, "bytes", COUNTER, \
      "bytes that this sender copied out for that, to its scratchpad or an inbox") \
    /* * */ X(matches, "searches", COUNTER, \
      "searches of a queue that found what they looked for: " \
      "an arrival its receive, a receive its message") \
    /* * */ X(misses, "searches", COUNTER, \
      "searches of a queue that found nothing") \
    X(senders_held, "senders", COUNTER, \
      "times that a sender on another machine was told to announce its long messages") \
    X(unexpected_messages, "messages", COUNTER, \
      "messages that came before their receive") \
    /* * */ X(posted_queue, "receives", LEVEL, \
      "receives that wait for a message") \
    X(posted_queue_max, "receives", HIGH_WATER, \
      "most receives that waited at a time") \
    /* * */ X(unexpected_queue, "messages", LEVEL, \
      "messages that wait for a receive") \
    X(unexpected_queue_max, "messages", HIGH_WATER, \
      "most messages that waited at a time") \
    X(unexpected_bytes, "bytes", LEVEL, \
      "data of messages kept until their receive") \
    X(unexpected_bytes_max, "bytes", HIGH_WATER, \
      "most data kept at a time") \
    X(send_queue, "packets", LEVEL, \
      "packets that wait for room in a peer's inbox") \
    X(send_queue_max, "packets", HIGH_WATER, \
      "most packets that waited at a time") \
    X(sends_delayed, "packets", COUNTER, \
      "packets that had to wait for room in a peer's inbox") \
    X(send_retries, "attempts", COUNTER, \
      "attempts to send them that found no room again") \
    X(slots_emptied, "messages", COUNTER, \
      "messages copied out of their slot because their ring was full of unread ones") \
    X(cancels, "receives", COUNTER, \
      "receives cancelled") \
    X(sends_withdrawn, "messages", COUNTER, \
      "sends cancelled, since nobody had matched them") \
    X(messages_withdrawn, "messages", COUNTER, \
      "messages that their sender withdrew before their receive came") \
    X(truncations, "messages", COUNTER, \
      "messages longer than their receive") \
    X(copy_failures, "messages", COUNTER, \
      "messages whose data could not be copied") \
    X(collectives_shm, "operations", COUNTER, \
      "short collectives done in the scratchpads of shared memory, without packets") \
    X(collectives_windows, "operations", COUNTER, \
      "longer collectives done through windows in shared memory") \
    X(collectives_levels, "operations", COUNTER, \
      "blocking collectives done among the ranks of each machine and among its leaders") \
    X(collectives_scheduled, "operations", COUNTER, \
      "collectives done as schedules that the NIC executes") \
    X(multi_sent, "packets", COUNTER, \
      "packets of broadcasts handed to this NIC once, for all ranks") \
    /* * */ X(steps_kept, "packets", LEVEL, \
      "packets of collectives that came before this rank's call") \
    X(steps_kept_max, "packets", HIGH_WATER, \
      "most such packets at a time") \
    X(steps_refused, "packets", COUNTER, \
      "such packets refused, to be sent again, because too many were kept") \
    X(one_sided_asked, "requests", COUNTER, \
      "short one-sided operations sent to the target's NIC") \
    X(one_sided_served, "requests", COUNTER, \
      "such operations that this NIC did for others") \
    X(one_sided_refused, "requests", COUNTER, \
      "such operations refused, as another rank was accumulating there") \
    X(windows_moved, "windows", COUNTER, \
      "memory of windows that was moved into the heap, where all ranks reach it") \
    X(windows_unmoved, "windows", COUNTER, \
      "memory of windows that could not be moved there") \
    X(locks_taken, "locks", COUNTER, \
      "locks of windows, and of MPIX_Lock, that this rank has had") \
    X(locks_waited, "locks", COUNTER, \
      "of those, had only when other ranks had given them back") \
    X(strays_type, "packets", COUNTER, \
      "packets ignored: of no known type") \
    X(strays_request, "packets", COUNTER, \
      "packets ignored: for a request that does not exist") \
    X(strays_malformed, "packets", COUNTER, \
      "packets ignored: wrong length or contents, or not for the request's state") \
    FW_DEPTHS(FW_POSTED_DEPTH, X) \
    FW_DEPTHS(FW_UNEXPECTED_DEPTH, X)

#define FW_STAT_ENUM(name, unit, kind, text) FW_STAT_##name,
enum fw_stat { FW_STATS(FW_STAT_ENUM) FW_STAT_END };

/* All that is counted.  Owner: baton. */
struct fw_stats {
    uint64_t value[FW_STAT_END];
    int sends_short, receives_short;    /* the NIC's figures of those names */
    struct nic_stat_table table;
};

#define FW_FIGURE(fw, what) ((fw)->stats.value[FW_STAT_##what])
#define FW_COUNT(fw, what, n) (FW_FIGURE(fw, what) += (n))

/* A high-water mark sees the level that is reached. */
#define FW_HIGH_WATER(fw, what, level) \
    do { \
        uint64_t fw_level_ = (level), *fw_max_ = &(fw)->stats.value[FW_STAT_##what##_max]; \
        if (__builtin_expect(fw_level_ > *fw_max_, 0)) \
            *fw_max_ = fw_level_; \
    } while (0)

/* A search of a queue of that length. */
#define FW_COUNT_DEPTH(fw, queue, length) \
    ((fw)->stats.value[FW_STAT_##queue##_depth_0 \
                       + nic_stat_log2_class((length), FW_DEPTH_CLASSES - 1)]++)

#endif
