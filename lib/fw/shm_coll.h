/* Short collectives of the ranks of one machine by stores into scratchpads, with no packet and no
 * rank in between.
 *
 * Each rank has an area per communicator: a ring of slots in which it lays down what it
 * contributes, and, used at the communicator's rank 0 only, a ring of arrival counters and one of
 * results.  Operation number k of a communicator uses place k % FW_SHM_WINDOW of each; all ranks
 * number the operations alike, as MPI has them call collectives in the same order.
 *
 * A rank begins operation k when all have finished k - FW_SHM_WINDOW, and told of it, with nothing
 * of it left to read: so at most that many are under way, and what a rank overwrites has been read.
 * Numbers never repeat within an area, also not in the next communicator that uses it (`base`), so
 * an old stamp is never taken for a new one.
 *
 * Edges:
 *   S0 release store of a slot's stamp      -> S1 acquire load of it: contribution or result
 *   S2 acquire-release count of an arrival  -> the same of the last to arrive: all contributions
 *   S3 release store of `done`              -> S4 acquire load before a place is written again:
 *                                              reads of what stood there come before
 *
 * All calls with the baton held, except where noted. */
#ifndef FW_SHM_COLL_H
#define FW_SHM_COLL_H

#include "fw/fw.h"

enum {
    /* Operations under way per communicator.  Past the cores who gives to a root, and a root that
     * gives, runs ahead by so many in each of its turns, and so do those who take: 16 ranks on 2
     * cores, with 32 and with 64, bcast 0.92, 0.54 us, reduce 1.15, 0.72, gather 0.91, 0.67. */
    FW_SHM_WINDOW = 64,
    /* of data in a slot; 48 of them in its first line */
    FW_SHM_BYTES = 112,
    /* of data that lie beside the slot: a block for each of 128 ranks; so many operations with such
     * are under way */
    FW_SHM_WIDE_BYTES = 1024,
    FW_SHM_WIDE_WINDOW = 8,
    /* So many finished operations are told of at a time: who has filled the window looks at `done`
     * all the while, and takes its line away at each.  No more than a window, so that who has
     * finished all but the last operation lets the others begin the next. */
    FW_SHM_GRAIN = 8,
    /* up to so many ranks, each with a core, read each other's slots; more of them count arrivals,
     * and the last does the work */
    FW_SHM_FEW = 4,
    /* so many prefix reductions in a row, past few, look back, if the last row was shorter than a
     * window: see shm_chain.c */
    FW_SHM_LOOK_BACK = 4,
    /* looks at them, with nothing else between, before a rank that waits steps its NIC */
    FW_SHM_LOOKS = 64,
    /* operations in a row for which a rank did not wait, before it takes itself to be behind */
    FW_SHM_BEHIND = 4,
    /* communicators that can have slots at the same time: what fits into a third of a scratchpad
     * of the usual size */
    FW_SHM_AREAS = 12,
};

#define FW_SHM_KINDS(X) \
    X(BARRIER, "MPI_Barrier") X(ALLREDUCE, "MPI_Allreduce") X(REDUCE, "MPI_Reduce") \
    X(BCAST, "MPI_Bcast") X(GATHER, "MPI_Gather") X(SCATTER, "MPI_Scatter") \
    X(ALLGATHER, "MPI_Allgather") X(ALLTOALL, "MPI_Alltoall") \
    X(REDUCE_SCATTER, "MPI_Reduce_scatter") X(SCAN, "MPI_Scan") \
    X(GATHERV, "MPI_Gatherv")
#define FW_SHM_KIND_ENUM(name, call) FW_SHM_##name,
enum fw_shm_kind { FW_SHM_NONE, FW_SHM_KINDS(FW_SHM_KIND_ENUM) FW_SHM_KIND_COUNT };

struct fw_shm_coll;

/* inout = in op inout, of `bytes` bytes; `in` comes from lower ranks. */
typedef void fw_combine(const void *context, const void *in, void *inout, size_t bytes);

/* What a rank gives, and what it takes of each contribution; at the root too, where there is one.
 * in: `row` bytes, at most FW_SHM_WIDE_BYTES, the same at all ranks; NULL where this rank gives
 * nothing, or what is its own is in `out` already.  at, part: where in a row that lies which this
 * rank takes.  Reductions: `out` gets the combined parts.  Gather, all-gather, all-to-all: it gets
 * one part behind the other.  Both may be the same. */
struct fw_shm_data {
    const void *in;
    void *out;
    uint32_t row, at, part;
};

/* Of the vector variants, whose blocks differ: who gives lays its row down himself, and who takes
 * reads it.  Besides there may be blocks that are too long for a row, and go by messages; so the
 * caller ends the operation (mpi_fw_shm_leave) when these have come, and as long all rows stay. */
struct fw_shm_vector {
    /* row: data.row bytes, of this rank */
    void (*lay)(const struct fw_shm_vector *vector, unsigned char *row);
    /* of another rank, whatever that has written there */
    void (*take)(struct fw_shm_vector *vector, uint32_t rank, const unsigned char *row);
    bool takes;                 /* this rank looks into other rows; else it waits for nobody */
};

/* One operation of one rank.  The caller gives the first three, mpi_fw_shm_begin the others. */
struct fw_shm_op {
    const char *call;           /* "MPI_Igather": for messages to the user */
    struct fw_shm_data data;    /* vector variants: only `row`, and `part` is not 0 */
    struct fw_shm_vector *vector;   /* or NULL */
    struct fw_shm_coll *slots;
    uint64_t k;
    uint64_t info;              /* what all ranks must agree on: kind, bytes, root */
    fw_combine *combine;
    const void *context;
    uint64_t least;             /* what those asked so far have all finished */
    uint32_t next;              /* the rank whose slot is awaited */
    uint32_t looked;            /* ranks looked at for what does not agree */
    uint32_t until;             /* what ranks from this one on give is of no use here */
    uint8_t shape;              /* of its kind: who gives, who takes, and what is done with it */
    uint8_t turn;               /* which of the two below holds the result so far */
    bool chain;                 /* it goes along the chain of ranks, */
    bool looks_back;            /* and who waits looks further down it, */
    bool for_one;               /* or it had its place from one that only the rank above read */
    bool put, finished;
    bool held;                  /* finished, but for the caller: see fw_shm_vector */
    bool mismatch;              /* ranks called different things: see mpi_fw_shm_blame */
    uint64_t blame[6];
    _Alignas(16) unsigned char sum[2][FW_SHM_WIDE_BYTES];
};

void mpi_fw_shm_coll_attach(struct fw *fw);

/* Areas that this rank has free, a bit each; 0: the scratchpad has no room for any, or this is the
 * model clock. */
uint32_t mpi_fw_shm_coll_areas(struct fw *fw);
/* The highest operation number that this rank has used so far. */
uint64_t mpi_fw_shm_coll_high(const struct fw *fw);

/* An area that all ranks of a new communicator have agreed on is no longer free; or is again. */
void mpi_fw_shm_coll_take(struct fw *fw, unsigned area);
void mpi_fw_shm_coll_give(struct fw *fw, unsigned area);

/* The slots of a new communicator.  All its ranks agree on area and base (mpi_fw_shm_coll_high of
 * each, or more).  `world`: rank of the job of each rank, NULL: the same; it must live as long as
 * the slots.  NULL: no memory. */
struct fw_shm_coll *mpi_fw_shm_coll_new(struct fw *fw, unsigned area, uint64_t base, uint32_t rank,
                                        uint32_t size, const int *world);
/* How messages to the user name its ranks; the list must live until it is retired. */
void mpi_fw_shm_coll_show(struct fw_shm_coll *slots, const int *shown);
/* Up to FW_SHM_FEW ranks, each with a core: the same at all of them. */
bool mpi_fw_shm_coll_few(const struct fw_shm_coll *slots);
/* The communicator is no more; its area is free again when all ranks have finished their
 * operations.  Takes over `world` (from malloc, or NULL). */
void mpi_fw_shm_coll_retire(struct fw *fw, struct fw_shm_coll *slots, int *world);
void mpi_fw_shm_coll_delete(struct fw *fw);    /* all of them */

/* Of an operation's root and number, see shm_info.h. */
enum { FW_SHM_EXCLUSIVE = 1, FW_SHM_NUMBER = 0x7fff };

/* Numbers and prepares an operation.  info: what all ranks must agree on (shm_info.h). */
void mpi_fw_shm_begin(struct fw_shm_coll *slots, struct fw_shm_op *op, uint64_t info,
                      fw_combine *combine, const void *context);
/* Does what can be done; true: finished. */
bool mpi_fw_shm_advance(struct fw *fw, struct fw_shm_op *op);
/* Both. */
bool mpi_fw_shm_start(struct fw *fw, struct fw_shm_coll *slots, struct fw_shm_op *op,
                      uint64_t info, fw_combine *combine, const void *context);
/* Of a host that is about to wait, and holds the baton meanwhile: looks a few times whether it can
 * be finished, where that may pay; true: it is. */
bool mpi_fw_shm_comes_soon(struct fw *fw, struct fw_shm_op *op);
/* True if mpi_fw_shm_advance would get further.  Any thread, also without the baton, while the
 * operation is not finished. */
bool mpi_fw_shm_ready(const struct fw_shm_op *op);
/* Of a finished operation with a mismatch: two ranks of the communicator and what they called. */
struct fw_shm_call {
    uint32_t rank, root;
    enum fw_shm_kind kind;
    size_t bytes;
    uint32_t part;
    uint64_t row[2];            /* how what the rank gives begins, or zeros */
    bool later, either;         /* the call does not block; it does or not, nobody knows */
};
void mpi_fw_shm_blame(const struct fw_shm_op *op, struct fw_shm_call *one,
                      struct fw_shm_call *other);
/* This rank's own. */
void mpi_fw_shm_own(const struct fw_shm_op *op, struct fw_shm_call *own);
/* Looks at ranks' contributions, also those that this operation does not wait for, for one of
 * another call, and blames it; then to give up is all that is left.  At all of them, or of many at
 * the next 64. */
bool mpi_fw_shm_odd(struct fw_shm_op *op);
/* For who waits for messages in the collective of that number, after its last one by stores:
 * whether a rank has called something else in place of it, which goes by stores.  part: as what
 * parts of this one are known. */
bool mpi_fw_shm_instead(const struct fw_shm_coll *slots, uint32_t number, uint32_t part,
                        struct fw_shm_call *other);
void mpi_fw_shm_give_up(struct fw *fw, struct fw_shm_op *op);
/* When all ranks have finished all they have begun, at rank 0: one that gave to a root, and what
 * the root called in place of that. */
bool mpi_fw_shm_left(const struct fw_shm_coll *slots, struct fw_shm_call *one,
                     struct fw_shm_call *other);

/* Of a vector variant, not yet left: the row of a rank, or NULL while that has laid none. */
const unsigned char *mpi_fw_shm_row(const struct fw_shm_op *op, uint32_t rank);
/* Its end, if it is not given up. */
void mpi_fw_shm_leave(struct fw *fw, struct fw_shm_op *op);

#endif
