/* Who need not wait for whom; see bypass.h. */
#include "coll/bypass.h"

#include <stdlib.h>
#include <string.h>

#include "coll/tuning.h"
#include "core/world.h"

/* The variable; -1: it says nothing. */
static int wanted(void)
{
    static const char *const name[] = { "none", "host", "nic" };
    static int known = -2;
    const char *text = known == -2 ? getenv("MPILITE_BYPASS") : NULL;
    if (unlikely(known == -2))
        known = -1;
    for (int i = 0; text && i <= MPI_BYPASS_NIC; i++)
        if (!strcmp(text, name[i]))
            known = i;
    return known;
}

/* A rank of another machine can be lost, and then who comes behind it would wait for ever. */
enum mpi_bypass mpi_bypass_of_job(void)
{
    const int way = wanted();
    if (nic_has_far_ranks(mpi_nic))
        return MPI_BYPASS_NONE;
    return way >= 0 ? (enum mpi_bypass)way : mpi_modelled ? MPI_BYPASS_NONE : MPI_BYPASS_HOST;
}

/* The live clock's limits may differ from rank to rank. */
size_t mpi_bypass_packet(void)
{
    const size_t eager = mpi_modelled ? mpi_fw_eager_max(mpi_fw) : MPI_BYPASS_BYTES;
    return eager < MPI_BYPASS_BYTES ? eager : MPI_BYPASS_BYTES;
}

size_t mpi_bypass_most(void) { return MPI_BYPASS_PACKETS * mpi_bypass_packet(); }
