/* What a collective call says of itself in the match bits of its messages and step packets, so that
 * one rank's broadcast is never taken for another's barrier: below the context and the source, in
 * place of a tag,
 *
 *     kind 4 | root 6 | bytes 6 | persistent 1 | number of the collective 15
 *
 * A persistent collective has the number that its initialization gave it, counted apart, at all of
 * its starts: so ranks may start several of them in different orders.
 *
 * root and bytes are reduced to what fits: the root modulo 64, the bytes folded.  In place of a
 * root, kinds without one have a number that tells apart the calls of that kind.  Calls that
 * disagree do not match, and who waits for one finds what has come instead. */
#ifndef MPI_FINGERPRINT_H
#define MPI_FINGERPRINT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/match.h"
#include "fw/shm_coll.h"

/* The first are those of shm_coll.h. */
#define MPI_COLL_KINDS(X) FW_SHM_KINDS(X) \
    X(SCATTERV, "MPI_Scatterv") X(SPLIT, "MPI_Comm_split") \
    X(COMM, "MPI_Comm_dup") X(FINALIZE, "MPI_Finalize")
/* The other calls of a kind: their number goes in place of the root. */
#define MPI_COLL_OTHERS(X) \
    X(ALLGATHER, 1, "MPI_Allgatherv") \
    X(ALLTOALL, 1, "MPI_Alltoallv") X(ALLTOALL, 2, "MPI_Alltoallw") \
    X(REDUCE_SCATTER, 1, "MPI_Reduce_scatter_block") X(SCAN, 1, "MPI_Exscan") \
    X(ALLGATHER, 8, "MPI_Neighbor_allgather") X(ALLGATHER, 9, "MPI_Neighbor_allgatherv") \
    X(ALLTOALL, 8, "MPI_Neighbor_alltoall") X(ALLTOALL, 9, "MPI_Neighbor_alltoallv") \
    X(ALLTOALL, 10, "MPI_Neighbor_alltoallw") \
    X(COMM, 1, "MPI_Comm_split") X(COMM, 2, "MPI_Comm_create") \
    X(COMM, 3, "MPI_Intercomm_create") X(COMM, 4, "MPI_Intercomm_merge") \
    X(COMM, 5, "MPI_Comm_idup") X(COMM, 6, "MPI_Cart_create") X(COMM, 7, "MPI_Cart_sub") \
    X(COMM, 8, "MPI_Graph_create") X(COMM, 9, "MPI_Dist_graph_create") \
    X(COMM, 11, "MPI_Win_create") X(COMM, 12, "MPIX_Lock_create") \
    X(COMM, 13, "MPI_Win_allocate") X(COMM, 14, "MPI_Win_allocate_shared") \
    X(COMM, 15, "MPI_Win_create_dynamic")
/* NEIGHBOR: the first of those whose ranks need not agree on any length. */
enum { MPI_COLL_NEIGHBOR = 8, MPI_COLL_VARIANTS = 16 };
#define MPI_COLL_KIND_ENUM(name, call) MPI_COLL_##name,
enum mpi_coll_kind { MPI_COLL_NONE, MPI_COLL_KINDS(MPI_COLL_KIND_ENUM) MPI_COLL_KIND_COUNT };
static_assert(MPI_COLL_KIND_COUNT <= 16, "four bits");
static_assert((int)MPI_COLL_BARRIER == FW_SHM_BARRIER && (int)MPI_COLL_SCAN == FW_SHM_SCAN
              && (int)MPI_COLL_GATHERV == FW_SHM_GATHERV, "the same");

enum {
    MPI_FINGERPRINT_NUMBER = MPI_MATCH_NUMBER >> 1,
    MPI_FINGERPRINT_PERSISTENT = MPI_FINGERPRINT_NUMBER + 1,
    MPI_FINGERPRINT_BYTES_SHIFT = 16,
    MPI_FINGERPRINT_ROOT_SHIFT = 22,
    MPI_FINGERPRINT_KIND_SHIFT = 28,
    MPI_FINGERPRINT_PART = 63,      /* of bytes, and of root */
};
#define MPI_FINGERPRINT_ALL (UINT64_C(0xffff) << MPI_FINGERPRINT_BYTES_SHIFT)

static inline uint32_t mpi_fingerprint_bytes(size_t bytes)
{
    size_t folded = bytes ^ bytes >> 6 ^ bytes >> 12 ^ bytes >> 18 ^ bytes >> 24;
    return (uint32_t)folded & MPI_FINGERPRINT_PART;
}

static inline uint64_t mpi_fingerprint(enum mpi_coll_kind kind, size_t bytes, int root)
{
    uint64_t low_root = (unsigned)root & MPI_FINGERPRINT_PART;
    return (uint64_t)kind << MPI_FINGERPRINT_KIND_SHIFT | low_root << MPI_FINGERPRINT_ROOT_SHIFT
           | (uint64_t)mpi_fingerprint_bytes(bytes) << MPI_FINGERPRINT_BYTES_SHIFT;
}

static inline enum mpi_coll_kind mpi_fingerprint_kind(uint64_t match)
{
    return (enum mpi_coll_kind)(match >> MPI_FINGERPRINT_KIND_SHIFT & 15);
}

/* Kind and number of the call, for what is done as a part of it.  MEETING:
 * no such number of the kinds that go through windows; who waits for messages of the same call does
 * not wait for the same. */
enum { MPI_FINGERPRINT_VARIANT_SHIFT = 4, MPI_FINGERPRINT_MEETING = 4 << 4 };
uint32_t mpi_fingerprint_part(uint64_t match);

enum mpi_coll_form { MPI_COLL_BLOCKING, MPI_COLL_NONBLOCKING, MPI_COLL_PERSISTENT };

/* One rank's call, as far as it is known.  root: or the number of the call, where the kind has no
 * root.  call: NULL, it is one of the kind, in that form; either: blocking or not, nobody knows. */
struct mpi_coll_call {
    int rank;
    const char *call;
    enum mpi_coll_kind kind;
    enum mpi_coll_form form;
    bool either;
    size_t bytes;
    int root;
    bool bytes_known, root_known;
};

/* This rank's own; bytes and root count where the kind has some. */
struct mpi_coll_call mpi_coll_call_own(const char *call, int rank, enum mpi_coll_kind kind,
                                       size_t bytes, int root);
/* "MPI_Bcast with 8 bytes, root 1" */
enum { MPI_COLL_CALL_BYTES = 128 };     /* enough for any */
void mpi_coll_call_describe(char *text, size_t size, const struct mpi_coll_call *called);
/* Two that disagree: an error class, and the text for it. */
int mpi_coll_describe_mismatch(const struct mpi_coll_call *one, const struct mpi_coll_call *other,
                               char *text, size_t size);
/* Whether something has come, and waits, of the collective of `mine` (match bits) from a rank
 * that called something else. */
bool mpi_coll_find_mismatch(const struct mpi_coll_call *mine, uint64_t match,
                            struct mpi_coll_call *other);

/* The same, and whether a rank has called something in place of it that goes by slots.  slots: of
 * the communicator, or NULL. */
bool mpi_coll_find_other(const struct fw_shm_coll *slots, const struct mpi_coll_call *mine,
                         uint64_t match, struct mpi_coll_call *other);
/* Of calls that all have returned: whether somebody gave to a root that called something else. */
bool mpi_coll_find_left(const struct fw_shm_coll *slots, struct mpi_coll_call *one,
                        struct mpi_coll_call *other);
/* The ranks called different things: an error class, and who called what.  op: NULL, it is not
 * known. */
int mpi_coll_mismatch(const struct fw_shm_op *op, char *text, size_t size);

#endif
