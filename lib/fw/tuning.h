/* The firmware's tuning constants, each with what it rests on.  Times are half round trips of two
 * ranks of one machine (bench/p2p) unless a line says otherwise. */
#ifndef FW_TUNING_H
#define FW_TUNING_H

#include <assert.h>

enum {
    /* -- eager or rendezvous */

    /* Packets that leave the inbox for posted receives when another is posted: a few more than one,
     * so that a receiver that is behind has none posted soon, and takes its messages without the
     * queue. */
    FW_RECEIVE_MOST = 8,

    /* Where the kernel copies 16 KiB quickly one copy beats two from 8 KiB on; where it is slow
     * (1.1 us on one machine, 2.7 on another) the inbox is faster for as long as it can be. */
    FW_EAGER_SHORT = 8 * 1024,
    FW_EAGER_LONG = 16 * 1024,
    FW_KERNEL_QUICK_NS = 1600,
    /* To other machines, where the kernel copies nothing by address, it is FW_EAGER_LONG in any
     * case: 16 KiB take 10 us over TCP, and what has to be asked for first 33. */

    /* -- rendezvous: which protocol */

    /* Up to here the bytes go through the inbox, where ranks have processors of their own: copied
     * twice, but by whoever has them in its cache, and with no system call.  The kernel alone, or
     * with both ends, is slower, above all where the sender has just written them: 8.9 -> 2.5 us
     * at 32 KiB, 9.3 -> 4.6 at 64, 13 to 20 -> 8 to 10 at 128. */
    FW_INBOX_MOST = 128 * 1024,
    /* From here on both ends may copy; a shorter message is no more than two chunks. */
    FW_BOTH_ENDS_MIN = 64 * 1024,

    /* -- rendezvous: pieces */

    /* What a receiver reads within a handler: cheaper than another turn of the engine. */
    FW_PULL_AT_ONCE = 64 * 1024,
    /* What a NIC copies in one turn, so that packets do not wait for longer than that. */
    FW_PIECE = 256 * 1024,
    /* Both ends: a message in so many chunks, of a size between these: 1 MiB 135 -> 66 us, with one
     * chunk per turn.  Fewer and larger chunks let one end wait for the other's last one, more of
     * them cost a system call each. */
    FW_BOTH_ENDS_CHUNKS = 4,
    FW_BOTH_ENDS_CHUNK_MIN = 32 * 1024,
    FW_BOTH_ENDS_CHUNK_MAX = 1024 * 1024,
    /* The same of data with gaps, in pieces of at least so many bytes on average: for shorter ones
     * the kernel takes longer than both ends' packing.  In blocks of 16 KiB, staged and by lists,
     * gaps at the sender, the receiver, both: 256 KiB 39, 33; 35, 34; 38, 51; 1 MiB 184, 118; 141,
     * 105; 165, 142 us; of 8 KiB, both, 1 MiB 162, 183.  And how many pieces a message may have. */
    FW_PIECES_MIN = 512 * 1024,
    FW_PIECES_BYTES = 16 * 1024,
    FW_PIECES_MOST = 1 << 20,
    /* Staged: a message in about so many chunks, none shorter than a buffer of the least size: both
     * processors copy at the same time, but for the first and the last chunk. */
    FW_STAGE_CHUNKS = 8,
    /* To other machines, with the heads a little less than what most providers send at once. */
    FW_FAR_CHUNK = 16 * 1024 - 64,
    /* To other machines, by reads of the wire: from here on, in pieces, so many at a time.  In
     * packets a rendezvous of 17,000 bytes took 55 us over TCP, by a read 33; of 32,000 71 and 35;
     * of 64 KiB 109 and 36; of 256 KiB 217 and 66. */
    FW_FAR_READ_MIN = 8 * 1024,
    FW_FAR_PIECE = 512 * 1024,
    FW_FAR_PIECES = 4,
    /* Turns that one request may have before the others: what is finished early is of use early. */
    FW_TURNS_IN_A_ROW = 16,

    /* -- what is on the way */

    /* Chunks of staged rendezvous in a peer's inbox: it is there for other messages too. */
    FW_INBOX_CREDITS = 4,
    /* The same to other machines, which a wire's delay makes worth more: 1 MiB on the way. */
    FW_FAR_CREDITS = 64,
    /* Full inboxes that a turn tries before it leaves the other peers for the next turn: when a
     * turn tried all that waited, 200 thousand Issends of 8 bytes took 6.0 s, now 0.12 s. */
    FW_FULL_PER_TURN = 2,

    /* -- shares of the scratchpad */

    /* Staging buffers; no more than a FW_STAGE_SHARE-th of it, and fewer than two are none. */
    FW_STAGE_BUFFERS = 16,
    FW_STAGE_BUFFERS_MIN = 2,
    FW_STAGE_BYTES = 16 * 1024,
    FW_STAGE_BYTES_MIN = 8 * 1024,
    FW_STAGE_SHARE = 4,
    /* Claim words of transfers in which both ends copy; no more than a FW_CLAIM_WORDS_SHARE-th. */
    FW_CLAIM_WORDS = 64,
    FW_CLAIM_WORDS_SHARE = 8,
    /* Claim bytes of sends that may be cancelled. */
    FW_CLAIMS_SHARE = 16,

    /* -- memory */

    /* Requests that a single host thread can take without the baton. */
    FW_SPARES = 16,
};
static_assert(FW_STAGE_BUFFERS * FW_STAGE_BYTES == (1 << 20) / FW_STAGE_SHARE,
              "a scratchpad of the usual size has all staging buffers");

#endif
