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

    /* As far as the inbox takes a message at one go: its lines are two copies, as the buffers of a
     * rendezvous are, and no hand-shake comes first.  Half round trips of 8,200 bytes, 12 and 16
     * KiB with 8 KiB, and so, near cores: 590, 660, 755 ns; 315, 400, 485. */
    FW_EAGER = 16 * 1024,
    /* To other machines, where the kernel copies nothing by address, as far as the wire takes
     * packets of that length at one go.  Half round trips over TCP when they had to be asked for
     * first, and now: 17,000 bytes 29, 8 us; 32 KiB 33 to 42, 12 to 16; 64 KiB 47, 21; of streams
     * per message 17, 10; 17 to 21, 10 to 13; 23, 20. */
    FW_EAGER_FAR = 64 * 1024,
    /* Where many ranks share a core, and others' messages fill an inbox, longer ones than this are
     * announced (nic_crowded_out), and read by the receiver before they are matched. */
    FW_ANNOUNCED_ABOVE = 4 * 1024,
    /* Of these a receiver holds so many bytes of one sender, and a sender has so many waiting for
     * room, before others ask first. */
    FW_HELD_MOST = 4 * 1024 * 1024,

    /* -- rendezvous: which protocol */

    /* Where both hosts wait bytes are staged: copied twice, but by whoever has them in its cache,
     * and with no system call.  The kernel's copy, half by each end, is slower at any length (half
     * round trips, near cores, idle, us): 64 KiB 4.4, 1.6; 256 KiB 11.3, 5.2; 1 MiB 38, 23; 4 MiB
     * 150 to 200, 98; of 16 MiB at places that no cache has 1200, 880.  Far apart 6.7,
     * 4.9; 13.4, 11.4; 43, 38; 157, 147.
     * Without buffers in the scratchpad, through the inbox, it is so up to here: 64 KiB 2.1, 128
     * KiB 4.5, but far apart 256 KiB takes 21 (13). */
    FW_INBOX_MOST = 128 * 1024,
    /* So long a receiver waits for a sender that is away to begin, before it reads by itself: one
     * that has just sent may be about to wait. */
    FW_SILENT_US = 20,
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
     * 105; 165, 142 us; of 8 KiB, both, 1 MiB 162, 183.  Where both wait, so that they are staged,
     * those with a list go to buffers at once: 1 MiB in blocks of 8 KiB 36, 26.  And how many
     * pieces a message may have. */
    FW_PIECES_MIN = 512 * 1024,
    FW_PIECES_BYTES = 8 * 1024,
    FW_PIECES_MOST = 1 << 20,
    /* Staged: a message in about so many chunks, none shorter than a buffer of the least size: both
     * processors copy at the same time, but for the first and the last chunk. */
    FW_STAGE_CHUNKS = 8,
    /* The same through buffers, which cost a packet each way: in so many parts, none shorter than
     * this (64 KiB: 2.1 us in parts of 8 KiB, 1.6 of 16), nor longer than a buffer. */
    FW_STAGE_PARTS = 4,
    FW_STAGE_PART_MIN = 16 * 1024,
    /* Data with gaps are packed so many bytes at a time before they go to a buffer: straight there,
     * and in parts of 4, 8, 16, 32 KiB: 256 KiB in blocks of 2 KiB every 128 KiB, gaps at both
     * ends, far cores 41, 25, 15, 14, 14 us, near cores 9.9 and, in parts of 16 KiB, 7.2. */
    FW_STAGE_PACKED = 16 * 1024,
    /* To other machines, with the heads a little less than what most providers send at once. */
    FW_FAR_CHUNK = 16 * 1024 - 64,
    /* To other machines, by reads of the wire: from here on, in pieces, so many at a time.  In
     * packets a rendezvous of 17,000 bytes took 55 us over TCP, by a read 33; of 32,000 71 and 35;
     * of 64 KiB 109 and 36; of 256 KiB 217 and 66.  Of shorter ones more are under way, a read or
     * two for each, up to what the wire takes (OFI_READS): of 256 KiB 93 us with one, 65 with two,
     * 55 with four, 48 with eight, 46 with 16. */
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

    /* Staging buffers; no more than a FW_STAGE_SHARE-th of it, and fewer than two are none.  Bare
     * processes move 4 MiB through 8 buffers of 4, 8, 16, 32, 64 KiB in 128, 99, 88, 83, 81 us, and
     * through 2, 4, 8, 16 of 32 KiB in 91, 83, 83, 82. */
    FW_STAGE_BUFFERS = 8,
    FW_STAGE_BUFFERS_MIN = 2,
    FW_STAGE_BYTES = 32 * 1024,
    FW_STAGE_BYTES_MIN = 8 * 1024,
    FW_STAGE_SHARE = 4,
    /* Whether readers are to claim the lines of buffers (refill.h): fills that are measured, half
     * of them in the slower way, and then fills until the next time; what the figures are for. */
    FW_REFILL_TRIAL = 32,
    FW_REFILL_PAUSE = 4096,
    FW_REFILL_BYTES = 64 * 1024,
    /* The same of which way messages are copied past the cores (copies.h): messages of a trial,
     * half of them each way, and then until the next one, four times as many each time; the least
     * length for which that is asked. */
    FW_COPIES_TRIAL = 16,
    FW_COPIES_PAUSE_FIRST = 64,
    FW_COPIES_PAUSE = 4096,
    FW_COPIES_BYTES = 64 * 1024,
    FW_COPIES_DISTURBED_NS = 1000 * 1000,
    /* Through buffers a message waits for another turn of its sender, that is for one of each rank
     * that shares its core.  64 KiB to one rank of 16 and of 64 on two cores, where the copies take
     * 4 us and the kernel's 8 to 12: staged 20 and 80 us, read 8 and 12. */
    FW_COPIES_TURN_NS = 2000,
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
