/* Sending, non-blocking. */
#include "core/buffered.h"
#include "core/err.h"
#include "mpi/args.h"
#include "mpi/submit.h"
#include "mpi/weak_alias.h"

/* What a call that sends was given, once it is checked. */
struct send {
    struct mpi_comm *c;
    const void *buf;
    size_t count;
    const struct mpi_type *t;
    int dest, tag;
    bool sync;
};

/* MPI_REQUEST_NULL: not possible now. */
static MPI_Request submit(const struct send *s)
{
    if (!s->t->contiguous || s->dest == MPI_PROC_NULL)
        return MPI_REQUEST_NULL;
    struct fw_req *r = mpi_submit_new(FW_SEND, s->c, (void *)(uintptr_t)s->buf,
                                      s->count * s->t->size);
    if (!r)
        return MPI_REQUEST_NULL;
    r->peer = (uint32_t)mpi_comm_peer(s->c, s->dest);
    r->match = mpi_match_send(s->c, s->tag);
    r->sync = s->sync;
    r->firm = false;
    return mpi_submit(r);
}

static int start(const char *call, const struct send *s, MPI_Request *request)
{
    struct fw_req *r;
    if (unlikely(!nic_try_enter(mpi_nic))) {
        *request = submit(s);
        if (*request != MPI_REQUEST_NULL)
            return MPI_SUCCESS;
        nic_enter(mpi_nic);
    }
    if (unlikely(s->dest == MPI_PROC_NULL))
        r = mpi_req_done(s->c, MPI_REQ_EMPTY);
    else
        r = mpi_req_send(s->c, s->buf, s->count, s->t, s->dest, s->tag,
                         s->sync ? MPI_SEND_SYNC : 0);
    if (likely(r))
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    if (likely(r))
        return MPI_SUCCESS;
    return mpi_err(s->c, call, MPI_ERR_NO_MEM, "no memory for a request");
}

static __attribute__((noinline))
int isend_checked(const char *call, const void *buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int tag, MPI_Comm comm, MPI_Request *request, bool sync)
{
    struct send s = { .buf = buf, .count = (size_t)count, .dest = dest, .tag = tag, .sync = sync };
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &s.c, &s.t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!request))
        return mpi_err(s.c, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    return start(call, &s, request);
}

static inline __attribute__((always_inline))
int isend(const char *call, const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
          int tag, MPI_Comm comm, MPI_Request *request, bool sync)
{
    struct mpi_comm *c;
    size_t bytes;
    if (likely(!sync && request
               && mpi_args_fast_ok(buf, count, datatype, dest, tag, comm, &c, &bytes))
        && likely(bytes <= mpi_eager_max)
        && likely(fw_send_short(mpi_nic, (uint32_t)mpi_comm_peer(c, dest),
                                mpi_match_send(c, tag), buf, bytes))) {
        *request = MPI_REQ_SENT;
        return MPI_SUCCESS;
    }
    return isend_checked(call, buf, count, datatype, dest, tag, comm, request, sync);
}

static int isend_buffered(const char *call, const void *buf, MPI_Count count,
                          MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                          MPI_Request *request)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc)
        return rc;
    if (!request)
        return mpi_err(c, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    if (dest != MPI_PROC_NULL)
        rc = mpi_buffered_send(c, buf, (size_t)count, t, dest, tag);
    if (rc)
        return mpi_err(c, call, rc, "no room for %zu bytes in the attached buffer",
                       (size_t)count * t->size);
    nic_enter(mpi_nic);
    struct fw_req *r = mpi_req_done(c, MPI_REQ_EMPTY);
    if (r)
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    return r ? MPI_SUCCESS : mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request");
}

#define ISEND(name, COUNT, result) \
    int PMPI_##name(const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, \
                    MPI_Comm comm, MPI_Request *request) \
    { \
        const char *call = "MPI_" #name; \
        MPI_ENTER(call); \
        return result; \
    } \
    MPI_WEAK_ALIAS(name)

#define STANDARD isend(call, buf, count, datatype, dest, tag, comm, request, false)
#define SYNCHRONOUS isend(call, buf, count, datatype, dest, tag, comm, request, true)
#define BUFFERED isend_buffered(call, buf, count, datatype, dest, tag, comm, request)

ISEND(Isend, int, STANDARD);
ISEND(Isend_c, MPI_Count, STANDARD);
ISEND(Irsend, int, STANDARD);
ISEND(Irsend_c, MPI_Count, STANDARD);
ISEND(Issend, int, SYNCHRONOUS);
ISEND(Issend_c, MPI_Count, SYNCHRONOUS);
ISEND(Ibsend, int, BUFFERED);
ISEND(Ibsend_c, MPI_Count, BUFFERED);
