/* The numbers of this room that were chosen, with what they rest on. */
#ifndef MPI_TUNING_H
#define MPI_TUNING_H

enum {
    /* Buffered sends: idle turns, some ms, before a full buffer is an error. */
    MPI_BUFFER_PATIENCE = 10000,

    /* Turns between two looks, of a wait for a collective, at whether the ranks disagree: a look
     * goes through all that has arrived, and nobody waits for the answer. */
    MPI_SUSPECT_TURNS = 8,

    /* Wait reasons.  Each sleep makes one: neither all of thousands of requests nor all of very
     * many messages may be looked at for it.  Three requests are what a line of mpirun's report
     * holds. */
    MPI_REASON_REQUESTS = 256,
    MPI_REASON_MESSAGES = 1000,
    MPI_REASON_SHOWN = 3,

    /* MPI_Alloc_mem without room in the heap: up to so many bytes come from the scratchpad, of
     * which the program's blocks may take one in so many bytes.  The rest is the library's. */
    MPI_MEM_SMALL = 1024,
    MPI_MEM_SCRATCHPAD_SHARE = 4,
};

#endif
