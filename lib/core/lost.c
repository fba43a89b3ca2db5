/* Which ranks a request needs, and what is said when one of them is lost. */
#include "core/lost.h"

#include <stdio.h>

#include "core/match.h"

/* A message of a collective's, by its context; streams have that of MPI_COMM_SELF. */
static bool is_send_of_all(const struct fw_req *r)
{
    const struct mpi_comm *c = r->host.comm;
    return r->object.kind == FW_SEND && c != &mpi_comm_self
           && fw_match_context(r->match) == (c->context | 1u);
}

/* Of a collective all have to do their part, though not to this rank: whoever misses its own
 * partner gives up, and another one waits for that in vain, also to get rid of what it sends. */
static bool needs_all(const struct fw_req *r)
{
    return r->object.kind == FW_COLL || r->host.extra == FW_EXTRA_EXPECTED || is_send_of_all(r);
}

static int one_of(const struct mpi_comm *c, unsigned i)
{
    return i < (unsigned)c->peers ? mpi_comm_peer(c, (int)i) : -1;
}

/* A receive of partitioned communication (core/stream.c).  The match of messages between two ends
 * has no ranks, and that of their first one those of a communicator that it does not name. */
static bool is_stream(const struct fw_req *r)
{
    return r->host.extra == FW_EXTRA_PORTION && !r->mask && r->host.comm == &mpi_comm_world
           && (r->match & FW_OWN_TAG
               || fw_match_context(r->match) == (mpi_comm_self.context | 1u));
}

static int source_of(const struct fw_req *r)
{
    int source = fw_match_source(r->match);
    if (is_stream(r))
        return (int)r->peer;
    if (r->host.empty)                  /* among ranks of the job (mpi/among.c) */
        return mpi_match_world_rank(r->match);
    return source < r->host.comm->peers ? mpi_comm_peer(r->host.comm, source) : -1;
}

int mpi_lost_partner(const struct fw_req *r, unsigned i)
{
    struct mpi_comm *c = r->host.comm;
    if (!c)
        return -1;
    if (needs_all(r))
        return one_of(mpi_comm_whole(c), i);
    if (r->object.kind == FW_SEND)
        return i ? -1 : (int)r->peer;
    if (r->mask & FW_ANY_SOURCE)
        return one_of(c, i);
    return i ? -1 : source_of(r);
}

bool mpi_lost_some(const struct fw_req *r)
{
    int rank;
    for (unsigned i = 0; nic_losses(mpi_nic) && (rank = mpi_lost_partner(r, i)) >= 0; i++)
        if (nic_lost(mpi_nic, (unsigned)rank))
            return true;
    return false;
}

int mpi_lost_why(const struct fw_req *r, char *text, size_t size)
{
    const char *why = NULL;
    int rank;
    for (unsigned i = 0; !why && (rank = mpi_lost_partner(r, i)) >= 0; i++)
        why = nic_lost(mpi_nic, (unsigned)rank);
    snprintf(text, size, "%s", why ? why : "a rank is lost");
    mpi_comm_has_failed(r->host.comm);
    return MPI_ERR_PROC_ABORTED;
}
