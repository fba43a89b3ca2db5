/* Ranks that come late to a broadcast or a reduction, and what is done so that others need not wait
 * for them (Buntinas, chapters 4 and 6). */
#ifndef MPI_COLL_BYPASS_H
#define MPI_COLL_BYPASS_H

#include <stddef.h>

enum mpi_bypass {
    MPI_BYPASS_NONE,        /* who stands in between passes on what it has when it calls */
    MPI_BYPASS_HOST,        /* short broadcasts: the root sends to each rank itself */
    /* The NICs do it: they send a broadcast on before their hosts call, and go on with a reduction
     * when their hosts have returned. */
    MPI_BYPASS_NIC,
};

/* Of all ranks alike: MPILITE_BYPASS, or what is best on this clock. */
enum mpi_bypass mpi_bypass_of_job(void);

/* Bytes of a broadcast that travel in one packet to all, and of all such packets. */
size_t mpi_bypass_packet(void);
size_t mpi_bypass_most(void);

#endif
