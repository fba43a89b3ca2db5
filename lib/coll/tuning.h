/* What was measured to be the best within algorithms; between them, see choice.h. */
#ifndef MPI_COLL_TUNING_H
#define MPI_COLL_TUNING_H

enum {
    /* From sending off to arrival, in the time that a rank needs per packet or message that it
     * sends: the shape of the trees of broadcasts. */
    MPI_TREE_PACKET_LATENCY = 3,
    MPI_TREE_MESSAGE_LATENCY = 1,
    /* Broadcasts go from the root to each rank up to so many bytes, on the live clock: back to back
     * they take as long as along a tree, and where a rank is late only it is. */
    MPI_BYPASS_BYTES = 4096,
    /* Where NICs send on: packets of one broadcast, each of as many bytes. */
    MPI_BYPASS_PACKETS = 16,
    /* Barriers and all-reductions along a tree: its degree, where ranks outnumber the cores and
     * each should get a core seldom, and where one is asked for. */
    MPI_TREE_CROWDED_DEGREE = 64,
    MPI_TREE_DEGREE = 4,
    MPI_TREE_DEGREE_MAX = 1 << 16,
    /* In two levels: a block of a gather or scatter, and all of an all-gather, up to so many bytes.
     * Longer ones go from rank to rank, with no copy of a copy in between. */
    MPI_LEVELS_BLOCK_BYTES = 4096,
    MPI_LEVELS_GATHER_BYTES = 128 * 1024,
    /* Past the cores blocks of a gather ask first from so many bytes on, if all together have so
     * many: an inbox holds 128 KiB.  Before and so, us: 32 ranks 16 KiB 320, 170; 64 ranks 16 KiB
     * 1,300, 550; 256 ranks 4 and 16 KiB 5,000, 2,500; 13,000, 3,100. */
    MPI_OFFER_BYTES = 2048,
    MPI_OFFER_SUM = 512 * 1024,
    /* Messages of an all-to-all that a rank has under way at once, in each direction. */
    MPI_ALLTOALL_WINDOW = 32,
    /* Shorter ones have left when the call that sent them is over: they are eager. */
    MPI_ALLTOALL_SENT_BYTES = 16384,
    /* Places for messages that are looked at for one of another collective, again and again while a
     * rank waits, on the model clock after each turn: some 2 us. */
    MPI_MISMATCH_MESSAGES = 1000,
    /* Collectives by messages, after which the ranks meet: a quarter of those whose numbers differ.
     * Each takes a microsecond or more, and to meet not a hundred of them. */
    MPI_COLL_APART_MAX = 8192,
};

#endif
