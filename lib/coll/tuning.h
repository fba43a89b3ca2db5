/* What was measured to be the best choice between algorithms; lengths in bytes. */
#ifndef MPI_COLL_TUNING_H
#define MPI_COLL_TUNING_H

enum {
    /* From sending off to arrival, in the time that a rank needs per packet or message that it
     * sends: the shape of the trees of broadcasts. */
    MPI_TREE_PACKET_LATENCY = 3,
    MPI_TREE_MESSAGE_LATENCY = 1,
    /* Barriers and all-reductions along a tree: its degree, where ranks outnumber the cores and
     * each should get a core seldom, and where one is asked for. */
    MPI_TREE_CROWDED_DEGREE = 64,
    MPI_TREE_DEGREE = 4,
    MPI_TREE_DEGREE_MAX = 1 << 16,
    /* From here on a broadcast is a scatter and a ring: no link carries the message twice. */
    MPI_BCAST_LONG_BYTES = 128 * 1024,
    MPI_BCAST_LONG_RANKS = 4,
    /* From here on an all-reduction goes round a ring, block by block. */
    MPI_ALLREDUCE_LONG_BYTES = 32 * 1024,
    /* Up to here, where ranks outnumber the cores, blocks are gathered and broadcast: each rank
     * gets a core twice, not once per step of a ring. */
    MPI_ALLGATHER_CROWDED_BYTES = 32 * 1024,
    /* Messages of an all-to-all that a rank has under way at once, in each direction. */
    MPI_ALLTOALL_WINDOW = 32,
};

#endif
