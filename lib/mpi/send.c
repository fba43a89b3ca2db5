/* Sending, blocking. */
#include "core/buffered.h"
#include "core/err.h"
#include "core/request.h"
#include "core/request_wait.h"
#include "mpi/args.h"
#include "mpi/short_gaps.h"
#include "mpi/weak_alias.h"

/* Ends a blocking call's request: baton given, error raised. */
static int finish(const char *call, struct fw_req *r)
{
    struct mpi_pending p = { .req = r };
    struct mpi_why why;
    mpi_req_wait(r, call);
    int class = mpi_req_finish(&p, NULL, MPI_STATUS_IGNORE, &why);
    nic_work(mpi_nic, NIC_WORK_SEND_AFTER);
    nic_leave(mpi_nic);
    return unlikely(class) ? mpi_err(why.comm, call, class, "%s", why.text) : MPI_SUCCESS;
}

/* The way of every send that is not sent at once.  how: MPI_SEND_SYNC, or 0. */
static __attribute__((noinline)) int send_checked(const char *call, const void *buf,
                                                  MPI_Count count, MPI_Datatype datatype, int dest,
                                                  int tag, MPI_Comm comm, unsigned how)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc || dest == MPI_PROC_NULL)
        return rc;
    if (!t->contiguous && !how && mpi_send_short_gaps(c, buf, (size_t)count, t, dest, tag))
        return MPI_SUCCESS;
    nic_enter(mpi_nic);
    struct fw_req *r = mpi_req_send(c, buf, (size_t)count, t, dest, tag, how | MPI_SEND_FIRM);
    if (r)
        return finish(call, r);
    nic_leave(mpi_nic);
    return mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request");
}

static inline __attribute__((always_inline)) int send_standard(const char *call, const void *buf,
                                                               MPI_Count count,
                                                               MPI_Datatype datatype, int dest,
                                                               int tag, MPI_Comm comm)
{
    struct mpi_comm *c;
    size_t bytes;
    if (likely(mpi_args_fast_ok(buf, count, datatype, dest, tag, comm, &c, &bytes))
        && likely(bytes <= mpi_eager_max)
        && likely(fw_send_short(mpi_nic, (uint32_t)mpi_comm_peer(c, dest),
                                mpi_match_send(c, tag), buf, bytes)))
        return MPI_SUCCESS;
    return send_checked(call, buf, count, datatype, dest, tag, comm, 0);
}

static int send_buffered(const char *call, const void *buf, MPI_Count count, MPI_Datatype datatype,
                         int dest, int tag, MPI_Comm comm)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc || dest == MPI_PROC_NULL)
        return rc;
    rc = mpi_buffered_send(c, buf, (size_t)count, t, dest, tag);
    return rc ? mpi_err(c, call, rc, "no room for %zu bytes in the attached buffer",
                        (size_t)count * t->size)
              : MPI_SUCCESS;
}

#define SEND(name, COUNT, result) \
    int PMPI_##name(const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, \
                    MPI_Comm comm) \
    { \
        const char *call = "MPI_" #name; \
        MPI_ENTER(call); \
        return result; \
    } \
    MPI_WEAK_ALIAS(name)

#define STANDARD send_standard(call, buf, count, datatype, dest, tag, comm)
#define SYNCHRONOUS send_checked(call, buf, count, datatype, dest, tag, comm, MPI_SEND_SYNC)
#define BUFFERED send_buffered(call, buf, count, datatype, dest, tag, comm)

SEND(Send, int, STANDARD);
SEND(Send_c, MPI_Count, STANDARD);
/* A ready send may rely on the receive being posted; it need not. */
SEND(Rsend, int, STANDARD);
SEND(Rsend_c, MPI_Count, STANDARD);
SEND(Ssend, int, SYNCHRONOUS);
SEND(Ssend_c, MPI_Count, SYNCHRONOUS);
SEND(Bsend, int, BUFFERED);
SEND(Bsend_c, MPI_Count, BUFFERED);
