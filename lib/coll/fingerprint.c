/* Calls of the ranks that disagree: finding and describing them. */
#include "coll/fingerprint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "coll/tuning.h"
#include "core/err.h"
#include "core/world.h"

#define KIND_NAME(name, call) [MPI_COLL_##name] = call,
static const char *const kind_names[MPI_COLL_KIND_COUNT] = { MPI_COLL_KINDS(KIND_NAME) };

#define OTHER_NAME(name, number, call) [MPI_COLL_##name][number] = call,
static const char *const other_names[MPI_COLL_KIND_COUNT][MPI_COLL_VARIANTS] = {
    MPI_COLL_OTHERS(OTHER_NAME)
};

static bool has_bytes(enum mpi_coll_kind kind)
{
    return kind && kind != MPI_COLL_BARRIER && kind < MPI_COLL_SPLIT;
}

static bool has_root(enum mpi_coll_kind kind)
{
    return kind == MPI_COLL_BCAST || kind == MPI_COLL_REDUCE || kind == MPI_COLL_GATHER
           || kind == MPI_COLL_SCATTER || kind == MPI_COLL_GATHERV || kind == MPI_COLL_SCATTERV;
}

uint32_t mpi_fingerprint_part(uint64_t match)
{
    enum mpi_coll_kind kind = mpi_fingerprint_kind(match);
    uint32_t variant = has_root(kind) ? 0 : (uint32_t)(match >> MPI_FINGERPRINT_ROOT_SHIFT) & 15;
    return (uint32_t)kind | variant << MPI_FINGERPRINT_VARIANT_SHIFT;
}

static const char *name_of(const struct mpi_coll_call *c)
{
    unsigned kind = (unsigned)c->kind, variant = (unsigned)c->root;
    if (c->call)
        return c->call;
    if (kind >= MPI_COLL_KIND_COUNT || !kind_names[kind])
        return "something else";
    bool other = !has_root(c->kind) && variant < MPI_COLL_VARIANTS && other_names[kind][variant];
    return other ? other_names[kind][variant] : kind_names[kind];
}

struct mpi_coll_call mpi_coll_call_own(const char *call, int rank, enum mpi_coll_kind kind,
                                       size_t bytes, int root)
{
    bool other = (kind == MPI_COLL_ALLGATHER || kind == MPI_COLL_ALLTOALL) && root;
    bool vector = kind == MPI_COLL_GATHERV || kind == MPI_COLL_SCATTERV || other;
    return (struct mpi_coll_call){ .rank = rank, .call = call, .kind = kind, .bytes = bytes,
                                   .root = root, .bytes_known = has_bytes(kind) && !vector,
                                   .root_known = has_root(kind) };
}

static bool has_forms(enum mpi_coll_kind kind) { return kind && kind < MPI_COLL_SPLIT; }

static int put_name(char *text, size_t size, const struct mpi_coll_call *c)
{
    const char *name = name_of(c), *of = name + sizeof "MPI_";      /* behind the first letter */
    if (c->call || !has_forms(c->kind))
        return snprintf(text, size, "%s", name);
    if (c->form == MPI_COLL_PERSISTENT)
        return snprintf(text, size, "%s_init", name);
    if (c->form == MPI_COLL_BLOCKING && !c->either)
        return snprintf(text, size, "%s", name);
    return snprintf(text, size, "%s%sMPI_I%c%s", c->either ? name : "", c->either ? " or " : "",
                    tolower(of[-1]), of);
}

void mpi_coll_call_describe(char *text, size_t size, const struct mpi_coll_call *c)
{
    const char *with = " with";
    int n = put_name(text, size, c);
    if (c->bytes_known && has_bytes(c->kind)) {
        n += snprintf(text + n, size - (size_t)n, " with %zu byte%s", c->bytes,
                      c->bytes == 1 ? "" : "s");
        with = ",";
    }
    if (c->root_known && has_root(c->kind))
        snprintf(text + n, size - (size_t)n, "%s root %d", with, c->root);
}

static bool counts_differ(const struct mpi_coll_call *one, const struct mpi_coll_call *other)
{
    if (one->kind != other->kind || !has_bytes(one->kind))
        return false;
    return !one->bytes_known || !other->bytes_known || one->bytes != other->bytes;
}

int mpi_coll_describe_mismatch(const struct mpi_coll_call *one, const struct mpi_coll_call *other,
                               char *text, size_t size)
{
    char a[MPI_COLL_CALL_BYTES], b[MPI_COLL_CALL_BYTES];
    bool counts = counts_differ(one, other), same_root = one->root == other->root;
    bool unknown = counts && !other->bytes_known && (!other->root_known || same_root);
    mpi_coll_call_describe(a, sizeof a, one);
    mpi_coll_call_describe(b, sizeof b, other);
    snprintf(text, size, "the ranks disagree: rank %d called %s; rank %d called %s%s", one->rank, a,
             other->rank, b, unknown ? " with another count" : "");
    if (one->kind != other->kind || (!has_root(one->kind) && !same_root))
        return MPI_ERR_OTHER;
    bool known = !counts || (one->bytes_known && other->bytes_known);
    bool roots = one->root_known && other->root_known && !same_root;
    return counts && (known || !roots) ? MPI_ERR_COUNT : MPI_ERR_ROOT;
}

static bool blocks(const struct mpi_coll_call *mine)
{
    return !has_forms(mine->kind) || !mine->call || strncmp(mine->call, "MPI_I", 5) != 0;
}

/* What the match bits, and the size of what came, say of the other's call. */
static struct mpi_coll_call read_fingerprint(const struct mpi_coll_call *mine, uint64_t match,
                                             size_t bytes)
{
    uint32_t part = (uint32_t)(match >> MPI_FINGERPRINT_BYTES_SHIFT) & MPI_FINGERPRINT_PART;
    uint32_t root = (uint32_t)(match >> MPI_FINGERPRINT_ROOT_SHIFT) & MPI_FINGERPRINT_PART;
    struct mpi_coll_call c = { .rank = fw_match_source(match), .bytes = bytes, .root = (int)root,
                               .kind = mpi_fingerprint_kind(match), .root_known = true };
    bool same = c.kind == mine->kind && mine->bytes_known
                && part == mpi_fingerprint_bytes(mine->bytes);
    if (same)
        c.bytes = mine->bytes;      /* of which a part came */
    c.bytes_known = same || part == mpi_fingerprint_bytes(bytes);
    if (match & MPI_FINGERPRINT_PERSISTENT)
        c.form = MPI_COLL_PERSISTENT;
    c.either = !c.form && !blocks(mine);
    if (mine->root_known && root == ((unsigned)mine->root & MPI_FINGERPRINT_PART))
        c.root = mine->root;
    return c;
}

/* So many messages lie here that one may be of a call whose number has come round. */
static bool numbers_repeat(void)
{
    return ((const struct fw_fast_path *)mpi_fw)->unexpected > MPI_FINGERPRINT_NUMBER;
}

bool mpi_coll_find_mismatch(const struct mpi_coll_call *mine, uint64_t match,
                            struct mpi_coll_call *other)
{
    const struct fw_unlike look = { match, ~(FW_ANY_SOURCE | MPI_FINGERPRINT_ALL),
                                    MPI_FINGERPRINT_ALL, MPI_MISMATCH_MESSAGES };
    uint64_t found;
    size_t bytes;
    if (numbers_repeat() || !mpi_fw_arrived_unlike(mpi_fw, &look, &found, &bytes))
        return false;
    *other = read_fingerprint(mine, found, bytes);
    return true;
}

/* -- by slots */

/* call: its name, or NULL: that of its kind. */
static struct mpi_coll_call what_of(const struct fw_shm_call *c, const char *call)
{
    enum mpi_coll_kind whole = (enum mpi_coll_kind)(c->part & 15);
    bool windows = whole <= MPI_COLL_SCAN && c->part & MPI_FINGERPRINT_MEETING;
    if (windows && c->kind == FW_SHM_ALLGATHER && c->row[0])      /* the first meeting */
        return mpi_coll_call_own(call, (int)c->rank, whole, c->row[0], (int)c->row[1]);
    uint32_t part = windows ? c->part & ~(uint32_t)MPI_FINGERPRINT_MEETING : c->part;
    if (c->part)
        return (struct mpi_coll_call){ .rank = (int)c->rank, .call = call, .kind = whole,
                                       .root = (int)(part >> MPI_FINGERPRINT_VARIANT_SHIFT) };
    return mpi_coll_call_own(call, (int)c->rank, (enum mpi_coll_kind)c->kind, c->bytes,
                             (int)c->root);
}

static struct mpi_coll_call called(const struct fw_shm_call *c, const char *call)
{
    struct mpi_coll_call what = what_of(c, call);
    what.form = c->later ? MPI_COLL_NONBLOCKING : MPI_COLL_BLOCKING;
    what.either = c->either;
    return what;
}

int mpi_coll_mismatch(const struct fw_shm_op *op, char *text, size_t size)
{
    struct fw_shm_call own, one, other;
    if (!op) {
        snprintf(text, size, "the ranks disagree on what to do");
        return MPI_ERR_OTHER;
    }
    mpi_fw_shm_blame(op, &one, &other);
    mpi_fw_shm_own(op, &own);
    struct mpi_coll_call a = called(&one, one.rank == own.rank ? op->call : NULL);
    struct mpi_coll_call b = called(&other, NULL);
    return mpi_coll_describe_mismatch(&a, &b, text, size);
}

bool mpi_coll_find_other(const struct fw_shm_coll *slots, const struct mpi_coll_call *mine,
                         uint64_t match, struct mpi_coll_call *other)
{
    struct fw_shm_call found;
    if (mpi_coll_find_mismatch(mine, match, other))
        return true;
    uint32_t number = (uint32_t)match & MPI_FINGERPRINT_NUMBER;
    bool counted = slots && !(match & MPI_FINGERPRINT_PERSISTENT);
    if (!counted || !mpi_fw_shm_instead(slots, number, mpi_fingerprint_part(match), &found))
        return false;
    *other = called(&found, NULL);
    return true;
}

bool mpi_coll_find_left(const struct fw_shm_coll *slots, struct mpi_coll_call *one,
                        struct mpi_coll_call *other)
{
    struct fw_shm_call giver, root;
    if (!slots || !mpi_fw_shm_left(slots, &giver, &root))
        return false;
    *one = called(&giver, NULL);
    *other = called(&root, NULL);
    return true;
}
