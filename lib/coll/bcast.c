/* Broadcast: a binomial tree; long messages to several ranks as scatter and ring, so that no link carries the message twice. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

enum { LONG_BYTES = 128 * 1024, LONG_RANKS = 4 };

/* Ranks relative to the root: rank v gets the message from v without its lowest set bit. */
static void binomial(struct mpi_coll *x, void *buf, size_t bytes, int root)
{
    int v = (x->rank - root + x->size) % x->size, bit = 1;
    struct fw_req *sends[32];
    unsigned n = 0;
    while (bit < x->size && !(v & bit))
        bit *= 2;
    if (v)
        mpi_coll_recv(x, (v - bit + root) % x->size, buf, bytes);
    for (bit /= 2; bit; bit /= 2)
        if (v + bit < x->size)
            sends[n++] = mpi_coll_isend(x, (v + bit + root) % x->size, buf, bytes);
    for (unsigned i = 0; i < n; i++)
        mpi_coll_wait(x, sends[i]);
}

static void scatter_and_ring(struct mpi_coll *x, char *buf, size_t bytes, int root)
{
    size_t *at = mpi_coll_memory(x, 2 * sizeof *at * (size_t)x->size), *len = at + x->size;
    if (!at)
        return;
    for (int i = 0; i < x->size; i++) {
        at[i] = bytes / (size_t)x->size * (size_t)i;
        len[i] = i + 1 < x->size ? bytes / (size_t)x->size : bytes - at[i];
    }
    mpi_coll_scatterv(x, buf, at, len, buf + at[x->rank], len[x->rank], root);
    mpi_coll_allgatherv(x, buf, at, len);
    free(at);
}

void mpi_coll_bcast(struct mpi_coll *x, void *buf, size_t bytes, int root)
{
    if (x->size == 1 || mpi_coll_offloaded(x, FW_SLOT_BCAST, buf, bytes, root, NULL))
        return;
    mpi_coll_sign(x, MPI_COLL_BCAST, bytes, root);
    if (bytes >= LONG_BYTES && x->size >= LONG_RANKS)
        scatter_and_ring(x, buf, bytes, root);
    else
        binomial(x, buf, bytes, root);
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    const struct mpi_type *t;
    MPI_ENTER("MPI_Bcast");
    int rc = mpi_coll_check_comm("MPI_Bcast", comm, &c);
    if (!rc)
        rc = mpi_coll_check_data("MPI_Bcast", c, buffer, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_root("MPI_Bcast", c, root);
    if (rc)
        return rc;
    mpi_coll_begin(&x, "MPI_Bcast", c);
    mpi_coll_bcast(&x, buffer, (size_t)count * mpi_coll_unit(t), root);
    return mpi_coll_end(&x);
}
MPI_WEAK_ALIAS(Bcast);
