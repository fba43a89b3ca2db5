/* Two groups become one intercommunicator. */
#include "mpi/bridge.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/err.h"
#include "core/label.h"

enum { HERE, THERE };

uint64_t mpi_bridge_match(void)
{
    return fw_match_bits(2 * MPI_CONTEXT_SELF + 1, 0, 0) | FW_OWN_TAG;
}

/* The side with the lower leader is the first. */
static bool is_second(const struct mpi_bridge *b) { return b->leader[THERE] < b->leader[HERE]; }

/* All ranks, those of the first side before the others.  NULL: no memory. */
static int *list_of_both(const struct mpi_bridge *b)
{
    int first = is_second(b) ? THERE : HERE;
    size_t n = (size_t)b->size[first], m = (size_t)b->size[!first];
    int *all = malloc((n + m) * sizeof *all);
    if (!all)
        return NULL;
    memcpy(all, b->world[first], n * sizeof *all);
    memcpy(all + n, b->world[!first], m * sizeof *all);
    return all;
}

/* One that both groups have; -1: none. */
static int common(const struct mpi_bridge *b)
{
    for (int i = 0; i < b->size[HERE]; i++)
        for (int j = 0; j < b->size[THERE]; j++)
            if (b->world[HERE][i] == b->world[THERE][j])
                return b->world[HERE][i];
    return -1;
}

static int agree(const struct mpi_bridge *b, const int *all, struct mpi_agreed *agreed)
{
    const bool second = is_second(b);
    const uint64_t match = mpi_bridge_match() | b->tag;
    struct mpi_among g = {
        .call = b->from->call, .on = b->parent, .world = all, .match = match,
        .count = b->size[HERE] + b->size[THERE], .me = b->rank + (second ? b->size[THERE] : 0),
        .key = match | (uint64_t)(unsigned)b->leader[second] << 32,
    };
    if (!b->tag) {
        g.first = b->size[second];
        g.side[0] = b->side[second];
        g.side[1] = b->side[!second];
        g.key |= g.side[0] << MPI_AMONG_SIDE_BITS | g.side[1];
    }
    *agreed = (struct mpi_agreed){ .contexts = MPI_AGREED_CONTEXTS };
    return mpi_agree_among(&g, agreed);
}

static int make(struct mpi_bridge *b, const int *all, MPI_Comm *made)
{
    const bool second = is_second(b);
    struct mpi_agreed agreed;
    int rc = agree(b, all, &agreed);
    if (rc)
        return rc;
    const struct mpi_comm_ranks ranks = {
        .rank = b->rank, .size = b->size[HERE], .world = b->world[HERE], .second = second,
        .remotes = b->size[THERE], .remote_world = b->world[THERE],
    };
    b->world[HERE] = b->world[THERE] = NULL;
    rc = mpi_comm_make(b->parent, b->from, &agreed, &ranks, made);
    if (!rc)
        mpi_label_bridge(mpi_comm_get(*made), b->leader[second], b->leader[!second]);
    return rc;
}

int mpi_bridge_make(struct mpi_bridge *b, MPI_Comm *made)
{
    int twice = common(b), rc = MPI_SUCCESS;
    int *all = twice < 0 ? list_of_both(b) : NULL;
    if (twice >= 0)
        rc = mpi_err(b->parent, b->from->call, MPI_ERR_COMM,
                     "rank %d of MPI_COMM_WORLD is in both groups", twice);
    else if (!all)
        rc = mpi_err(b->parent, b->from->call, MPI_ERR_NO_MEM, "no memory for a communicator");
    else
        rc = make(b, all, made);
    free(all);
    free(b->world[HERE]);
    free(b->world[THERE]);
    return rc;
}
