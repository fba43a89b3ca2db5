/* Receiving. */
#include "mpi/recv.h"

#include "core/err.h"
#include "core/request_wait.h"
#include "core/status.h"
#include "mpi/args.h"
#include "mpi/short_gaps.h"
#include "mpi/submit.h"
#include "mpi/weak_alias.h"

static int no_memory(struct mpi_comm *c, const char *call)
{
    return mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request");
}

/* The message may be the next to arrive, and nothing may have a claim on it before this receive.
 * One that is too long goes the long way of errors. */
static inline __attribute__((always_inline))
bool recv_short(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                MPI_Comm comm, MPI_Status *status)
{
    struct nic_received taken;
    struct mpi_comm *c;
    uint64_t match, mask;
    size_t bytes;
    if (unlikely(!mpi_recv_args_fast_ok(buf, count, datatype, source, tag, comm, &c, &bytes)))
        return false;
    mpi_match_recv(c, source, tag, &match, &mask);
    if (!fw_recv_short(mpi_fw, mpi_nic, match, mask, buf, bytes, &taken))
        return false;
    mpi_status_set(status, fw_match_source(taken.match), fw_match_tag(taken.match), taken.length);
    return true;
}

static __attribute__((noinline)) int recv_checked(const char *call, void *buf, MPI_Count count,
                                                  MPI_Datatype datatype, int source, int tag,
                                                  MPI_Comm comm, MPI_Status *status)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    struct mpi_why why;
    int rc = mpi_check_recv(call, buf, count, datatype, source, tag, comm, &c, &t);
    if (unlikely(rc))
        return rc;
    if (unlikely(source == MPI_PROC_NULL)) {
        mpi_status_set_proc_null(status);
        return MPI_SUCCESS;
    }
    if (unlikely(!t->contiguous)
        && mpi_recv_short_gaps(c, buf, (size_t)count, t, source, tag, status))
        return MPI_SUCCESS;
    nic_enter(mpi_nic);
    struct mpi_pending p = { .req = mpi_req_recv(c, buf, (size_t)count, t, source, tag) };
    if (unlikely(!p.req)) {
        nic_leave(mpi_nic);
        return no_memory(c, call);
    }
    mpi_req_wait(p.req, call);
    int class = mpi_req_finish(&p, NULL, status, &why);
    nic_work(mpi_nic, NIC_WORK_RECV_AFTER);
    nic_leave(mpi_nic);
    return unlikely(class) ? mpi_err(c, call, class, "%s", why.text) : MPI_SUCCESS;
}

int mpi_recv(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, int source,
             int tag, MPI_Comm comm, MPI_Status *status)
{
    if (likely(recv_short(buf, count, datatype, source, tag, comm, status)))
        return MPI_SUCCESS;
    return recv_checked(call, buf, count, datatype, source, tag, comm, status);
}

#define RECV(name, COUNT) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, int source, int tag, \
                    MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_ENTER("MPI_" #name); \
        if (likely(recv_short(buf, count, datatype, source, tag, comm, status))) \
            return MPI_SUCCESS; \
        return recv_checked("MPI_" #name, buf, count, datatype, source, tag, comm, status); \
    } \
    MPI_WEAK_ALIAS(name)

RECV(Recv, int);
RECV(Recv_c, MPI_Count);

/* -- non-blocking */

/* MPI_REQUEST_NULL: not possible now. */
static MPI_Request submit(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t,
                          int source, int tag)
{
    if (!t->contiguous || source == MPI_PROC_NULL)
        return MPI_REQUEST_NULL;
    struct fw_req *r = mpi_submit_new(FW_RECV, c, buf, count * t->size);
    if (!r)
        return MPI_REQUEST_NULL;
    mpi_match_recv(c, source, tag, &r->match, &r->mask);
    return mpi_submit(r);
}

static inline __attribute__((always_inline))
int irecv_started(const char *call, struct mpi_comm *c, struct fw_req *r, MPI_Request *request)
{
    if (likely(r))
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    return likely(r) ? MPI_SUCCESS : no_memory(c, call);
}

/* The way of every receive with something special to it, or while the NIC's thread is inside. */
static __attribute__((noinline))
int irecv_checked(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, int source,
                  int tag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    int rc = mpi_check_recv(call, buf, count, datatype, source, tag, comm, &c, &t);
    if (!rc && !request)
        rc = mpi_err(c, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    if (rc)
        return rc;
    if (unlikely(!nic_try_enter(mpi_nic))) {
        *request = submit(c, buf, (size_t)count, t, source, tag);
        if (*request != MPI_REQUEST_NULL)
            return MPI_SUCCESS;
        nic_enter(mpi_nic);
    }
    struct fw_req *r = source == MPI_PROC_NULL
        ? mpi_req_done(c, MPI_REQ_PROC_NULL)
        : mpi_req_recv(c, buf, (size_t)count, t, source, tag);
    return irecv_started(call, c, r, request);
}

static inline __attribute__((always_inline))
int irecv(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    struct mpi_comm *c;
    size_t bytes;
    if (unlikely(!request
                 || !mpi_recv_args_fast_ok(buf, count, datatype, source, tag, comm, &c, &bytes))
        || unlikely(!nic_try_enter(mpi_nic)))
        return irecv_checked(call, buf, count, datatype, source, tag, comm, request);
    return irecv_started(call, c, mpi_req_recv_bytes(c, buf, bytes, source, tag), request);
}

#define IRECV(name, COUNT) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, int source, int tag, \
                    MPI_Comm comm, MPI_Request *request) \
    { \
        MPI_ENTER("MPI_" #name); \
        return irecv("MPI_" #name, buf, count, datatype, source, tag, comm, request); \
    } \
    MPI_WEAK_ALIAS(name)

IRECV(Irecv, int);
IRECV(Irecv_c, MPI_Count);
