/* Calls of the ranks that disagree: finding and describing them. */
#include "coll/sign.h"

#include <stdio.h>

#include "core/err.h"
#include "core/world.h"

#define KIND_NAME(name, call) [MPI_COLL_##name] = call,
static const char *const kind_names[MPI_COLL_KIND_COUNT] = { MPI_COLL_KINDS(KIND_NAME) };

#define OTHER_NAME(name, number, call) [MPI_COLL_##name][number] = call,
static const char *const other_names[MPI_COLL_KIND_COUNT][MPI_COLL_VARIANTS] = {
    MPI_COLL_OTHERS(OTHER_NAME)
};

static bool has_bytes(enum mpi_coll_kind kind) { return kind && kind != MPI_COLL_BARRIER && kind < MPI_COLL_SPLIT; }

static bool has_root(enum mpi_coll_kind kind)
{
    return kind == MPI_COLL_BCAST || kind == MPI_COLL_REDUCE || kind == MPI_COLL_GATHER || kind == MPI_COLL_SCATTER || kind == MPI_COLL_GATHERV
           || kind == MPI_COLL_SCATTERV;
}

uint32_t mpi_sign_part(uint64_t match)
{
    enum mpi_coll_kind kind = mpi_sign_kind(match);
    uint32_t variant = has_root(kind) ? 0 : (uint32_t)(match >> MPI_SIGN_ROOT_SHIFT) & 15;
    return (uint32_t)kind | variant << MPI_SIGN_VARIANT_SHIFT;
}

static const char *name_of(const struct mpi_called *c)
{
    unsigned kind = (unsigned)c->kind, variant = (unsigned)c->root;
    if (c->call)
        return c->call;
    if (kind >= MPI_COLL_KIND_COUNT || !kind_names[kind])
        return "something else";
    bool other = !has_root(c->kind) && variant < MPI_COLL_VARIANTS && other_names[kind][variant];
    return other ? other_names[kind][variant] : kind_names[kind];
}

struct mpi_called mpi_called_own(const char *call, int rank, enum mpi_coll_kind kind, size_t bytes, int root)
{
    bool vector = kind == MPI_COLL_GATHERV || kind == MPI_COLL_SCATTERV;
    return (struct mpi_called){ .rank = rank, .call = call, .kind = kind, .bytes = bytes, .root = root, .bytes_known = has_bytes(kind) && !vector,
                                .root_known = has_root(kind) };
}

void mpi_called_describe(char *text, size_t size, const struct mpi_called *c)
{
    const char *with = " with";
    int n = snprintf(text, size, "%s", name_of(c));
    if (c->bytes_known && has_bytes(c->kind)) {
        n += snprintf(text + n, size - (size_t)n, " with %zu byte%s", c->bytes, c->bytes == 1 ? "" : "s");
        with = ",";
    }
    if (c->root_known && has_root(c->kind))
        snprintf(text + n, size - (size_t)n, "%s root %d", with, c->root);
}

int mpi_called_differ(const struct mpi_called *one, const struct mpi_called *other, char *text, size_t size)
{
    char a[80], b[80];
    mpi_called_describe(a, sizeof a, one);
    mpi_called_describe(b, sizeof b, other);
    bool counts = one->kind == other->kind && has_bytes(one->kind) && !(one->bytes_known && other->bytes_known && one->bytes == other->bytes);
    bool unknown = counts && !other->bytes_known && (!other->root_known || other->root == one->root);
    snprintf(text, size, "the ranks disagree: rank %d called %s; rank %d called %s%s", one->rank, a, other->rank, b, unknown ? " with another count" : "");
    bool calls = one->kind != other->kind || (!has_root(one->kind) && one->root != other->root);
    return calls ? MPI_ERR_OTHER : counts ? MPI_ERR_COUNT : MPI_ERR_ROOT;
}

/* What the match bits, and the size of what came, say of the other's call. */
static struct mpi_called read_sign(const struct mpi_called *mine, uint64_t match, size_t bytes)
{
    struct mpi_called c = { .rank = fw_match_source(match), .kind = mpi_sign_kind(match), .bytes = bytes, .root = (int)(match >> MPI_SIGN_ROOT_SHIFT & MPI_SIGN_PART) };
    uint32_t part = (uint32_t)(match >> MPI_SIGN_BYTES_SHIFT & MPI_SIGN_PART);
    bool same = c.kind == mine->kind && mine->bytes_known && part == mpi_sign_bytes(mine->bytes);
    if (same)
        c.bytes = mine->bytes;      /* of which a part came */
    c.bytes_known = same || part == mpi_sign_bytes(bytes);
    if (mine->root_known && c.root == (mine->root & MPI_SIGN_PART))
        c.root = mine->root;
    c.root_known = true;
    return c;
}

bool mpi_called_otherwise(const struct mpi_called *mine, uint64_t match, struct mpi_called *other)
{
    const struct fw_unlike look = { match, ~(FW_ANY_SOURCE | MPI_SIGN_ALL), MPI_SIGN_ALL, UINT32_MAX };
    uint64_t found;
    size_t bytes;
    if (!mpi_fw_arrived_unlike(mpi_fw, &look, &found, &bytes))
        return false;
    *other = read_sign(mine, found, bytes);
    return true;
}
