/* What the collectives are built from: point-to-point messages in the communicator's second context, with the baton held from the first
 * step to the last (waits give it up while they sleep or yield). */
#ifndef MPI_COLL_H
#define MPI_COLL_H

#include "core/comm.h"
#include "core/label.h"
#include "core/op.h"
#include "core/request.h"
#include "coll/sign.h"
#include "fw/slots.h"
#include "core/type.h"
#include "core/world.h"

/* One collective call under way. */
struct mpi_coll {
    const char *call;
    struct mpi_comm *c;
    uint64_t match;             /* context, what is called (sign.h), and number; the source is added per message */
    int rank, size;
    bool crowded;               /* more ranks than cores: shallow trees, few turns of each rank */
    size_t bytes;               /* once signed: what is called, for messages to the user */
    int root;
    int class;                  /* first error, MPI_SUCCESS so far */
    bool abandoned;             /* a send goes on that nobody waits for any more */
    struct mpi_why why;
};

/* Takes the baton. */
void mpi_coll_begin(struct mpi_coll *x, const char *call, struct mpi_comm *c);
/* Before the first message: what is called.  Where one collective is made of others, the outermost counts. */
static inline void mpi_coll_sign(struct mpi_coll *x, enum mpi_coll_kind kind, size_t bytes, int root)
{
    if (mpi_sign_kind(x->match))
        return;
    x->match |= mpi_sign(kind, bytes, root);
    x->bytes = bytes;
    x->root = root;
}
/* Gives the baton back; raises the error if there was one. */
int mpi_coll_end(struct mpi_coll *x);

/* Bytes from one element to the next as they travel inside a collective: gaps of pair types travel along. */
static inline size_t mpi_coll_unit(const struct mpi_type *t) { return t->contiguous ? t->size : (size_t)t->extent; }

void mpi_coll_send(struct mpi_coll *x, int peer, const void *buf, size_t bytes);
void mpi_coll_recv(struct mpi_coll *x, int peer, void *buf, size_t bytes);
/* Both at once, with different peers or the same. */
void mpi_coll_exchange(struct mpi_coll *x, int dest, const void *sendbuf, size_t sendbytes, int source, void *recvbuf, size_t recvbytes);
struct fw_req *mpi_coll_isend(struct mpi_coll *x, int peer, const void *buf, size_t bytes);     /* NULL: went out at once (or failed, see class) */
struct fw_req *mpi_coll_irecv(struct mpi_coll *x, int peer, void *buf, size_t bytes);           /* NULL: no memory */
void mpi_coll_wait(struct mpi_coll *x, struct fw_req *r);                                       /* NULL: nothing to do */
void mpi_coll_copy(void *to, const void *from, size_t bytes);
void *mpi_coll_memory(struct mpi_coll *x, size_t bytes);                                        /* NULL: error noted */
/* Frees it, unless a send may still read there. */
void mpi_coll_release(const struct mpi_coll *x, void *memory);

struct mpi_reduction;

/* A short collective by the NIC: by slots where the communicator has some, else by a schedule of lines.  False: too many bytes, or
 * such work is left to the host (NICEMU_OFFLOAD).  r: NULL where nothing is reduced. */
bool mpi_coll_by_slot(struct mpi_coll *x, enum fw_slot_kind kind, void *data, size_t bytes, int root, const struct mpi_reduction *r);
bool mpi_coll_by_schedule(struct mpi_coll *x, enum fw_slot_kind kind, void *data, size_t bytes, int root, const struct mpi_reduction *r);
static inline bool mpi_coll_offloaded(struct mpi_coll *x, enum fw_slot_kind kind, void *data, size_t bytes, int root, const struct mpi_reduction *r)
{
    return x->c->slots ? mpi_coll_by_slot(x, kind, data, bytes, root, r) : mpi_coll_by_schedule(x, kind, data, bytes, root, r);
}
/* The ranks called different things: an error class, and who called what. */
int mpi_coll_mismatch(const struct fw_slot_op *op, char *text, size_t size);
/* For wait reasons, what a collective waits in: "MPI_Bcast(8 bytes, root 1, MPI_COMM_WORLD)".  of: the
 * communicator's label (label.h). */
const char *mpi_coll_note(const struct mpi_coll *x, char *text, size_t size);
const char *mpi_coll_note_of(const struct mpi_called *called, const char *of, char *text,
                             size_t size);

/* Requests of non-blocking collectives, for MPI_Init to put into mpi_request_classes. */
extern const struct mpi_request_class mpi_coll_request_class;

/* Inside a collective that has begun; each is also the body of the MPI call of its name. */
void mpi_coll_barrier(struct mpi_coll *x);
void mpi_coll_bcast(struct mpi_coll *x, void *buf, size_t bytes, int root);
struct mpi_reduction {
    MPI_Op op;
    MPI_Datatype type;
    size_t unit, count;
    bool commutative;
    mpi_op_loop *loop;          /* of a predefined operation; NULL: the long way, by mpi_op_apply */
};
/* inout = in op inout; context: the struct mpi_reduction.  For the firmware (fw_combine). */
void mpi_coll_combine(const void *context, const void *in, void *inout);
/* `result` (count elements) holds this rank's contribution at first, and at the root the result at last; elsewhere it is scratch. */
void mpi_coll_reduce(struct mpi_coll *x, void *result, const struct mpi_reduction *r, int root);
void mpi_coll_allreduce(struct mpi_coll *x, void *result, const struct mpi_reduction *r);
void mpi_coll_scatterv(struct mpi_coll *x, const void *sendbuf, const size_t *at, const size_t *bytes, void *recvbuf, size_t recvbytes, int root);
void mpi_coll_gatherv(struct mpi_coll *x, const void *sendbuf, size_t sendbytes, void *recvbuf, const size_t *at, const size_t *bytes, int root);
/* Block i of all ranks' `buf` comes from rank i, where it is in place already. */
void mpi_coll_allgatherv(struct mpi_coll *x, void *buf, const size_t *at, const size_t *bytes);

/* -- argument checks; they raise the error and return its code */
int mpi_coll_check_comm(const char *call, MPI_Comm comm, struct mpi_comm **c);
int mpi_coll_check_root(const char *call, struct mpi_comm *c, int root);
int mpi_coll_check_data(const char *call, struct mpi_comm *c, const void *buf, int count, MPI_Datatype type, const struct mpi_type **t);
int mpi_coll_check_buffers(const char *call, struct mpi_comm *c, const void *sendbuf, const void *recvbuf, int count);
/* All that MPI_Reduce gets but the communicator. */
int mpi_coll_check_reduce(const char *call, struct mpi_comm *c, const void *sendbuf, const void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                          struct mpi_reduction *r);
int mpi_coll_check_op(const char *call, struct mpi_comm *c, MPI_Op op, MPI_Datatype type, int count, struct mpi_reduction *r);

#endif
