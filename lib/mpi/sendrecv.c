/* Sending and receiving at once. */
#include <stdlib.h>

#include "core/err.h"
#include "core/match.h"
#include "core/request_wait.h"
#include "mpi/args.h"
#include "mpi/exchange.h"
#include "mpi/recv.h"
#include "mpi/short_gaps.h"
#include "mpi/weak_alias.h"

static int exchange(const struct mpi_exchange *x, MPI_Status *status)
{
    struct mpi_why why, send_why;
    struct mpi_pending recv = { 0 }, send = { 0 };
    nic_enter(mpi_nic);
    if (!mpi_exchange_new(x, &recv.req, &send.req)) {
        nic_leave(mpi_nic);
        return mpi_err(x->c, x->call, MPI_ERR_NO_MEM, "no memory for a request");
    }
    mpi_exchange_start(x, recv.req, send.req);
    const MPI_Request both[] = { mpi_req_handle(send.req), mpi_req_handle(recv.req) };
    mpi_req_wait_in(send.req, x->call, both, 2);
    mpi_req_wait_in(recv.req, x->call, both, 2);
    int send_class = mpi_req_finish(&send, NULL, MPI_STATUS_IGNORE, &send_why);
    int class = mpi_req_finish(&recv, NULL, status, &why);
    nic_work(mpi_nic, NIC_WORK_SEND_AFTER);
    nic_work(mpi_nic, NIC_WORK_RECV_AFTER);
    nic_leave(mpi_nic);
    if (class)
        return mpi_err(x->c, x->call, class, "%s", why.text);
    return send_class ? mpi_err(x->c, x->call, send_class, "%s", send_why.text) : MPI_SUCCESS;
}

/* A short message with nothing in its way is sent at once: a receive is left to do.  False: it is
 * not sent; what is wrong with the arguments, if anything is, shows on the long way. */
static inline __attribute__((always_inline))
bool send_short(const struct mpi_exchange *x, const void *sendbuf, MPI_Count sendcount,
                MPI_Datatype sendtype, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_comm *c;
    size_t bytes, room;
    return likely(mpi_recv_args_fast_ok(x->recvbuf, x->recvcount, recvtype, x->source, x->recvtag,
                                        comm, &c, &room))
           && likely(mpi_args_fast_ok(sendbuf, sendcount, sendtype, x->dest, x->sendtag, comm, &c,
                                      &bytes))
           && likely(bytes <= mpi_eager_max)
           && likely(fw_send_short(mpi_nic, (uint32_t)mpi_comm_peer(c, x->dest),
                                   mpi_match_send(c, x->sendtag), sendbuf, bytes));
}

/* The same of checked arguments, of data with gaps too. */
static bool send_short_checked(const struct mpi_exchange *x)
{
    return x->dest != MPI_PROC_NULL
           && mpi_send_short_gaps(x->c, x->sendbuf, (size_t)x->sendcount, x->sendtype, x->dest,
                                  x->sendtag);
}

static int receive(const struct mpi_exchange *x, MPI_Datatype type, MPI_Comm comm,
                   MPI_Status *status)
{
    return mpi_recv(x->call, x->recvbuf, x->recvcount, type, x->source, x->recvtag, comm, status);
}

static int sendrecv(struct mpi_exchange *x, MPI_Datatype sendtype, MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Status *status)
{
    MPI_ENTER(x->call);
    if (send_short(x, x->sendbuf, x->sendcount, sendtype, recvtype, comm))
        return receive(x, recvtype, comm, status);
    int rc = mpi_exchange_check(x, sendtype, recvtype, comm);
    if (!rc && send_short_checked(x))
        return receive(x, recvtype, comm, status);
    return rc ? rc : exchange(x, status);
}

/* What is sent is copied first, unless it leaves at once. */
static int replace(struct mpi_exchange *x, MPI_Datatype datatype, MPI_Comm comm,
                   MPI_Status *status)
{
    MPI_ENTER(x->call);
    if (send_short(x, x->recvbuf, x->recvcount, datatype, datatype, comm))
        return receive(x, datatype, comm, status);
    int rc = mpi_exchange_check_replace(x, datatype, comm);
    if (!rc && send_short_checked(x))
        return receive(x, datatype, comm, status);
    void *copy = rc ? NULL : mpi_exchange_copy(x, &rc);
    if (!rc)
        rc = exchange(x, status);
    free(copy);
    return rc;
}

#define SENDRECV(name, COUNT) \
    int PMPI_##name(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, \
                    int sendtag, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, \
                    int source, int recvtag, MPI_Comm comm, MPI_Status *status) \
    { \
        struct mpi_exchange x = { .call = "MPI_" #name, .sendbuf = sendbuf, .recvbuf = recvbuf, \
                                  .sendcount = sendcount, .recvcount = recvcount, .dest = dest, \
                                  .sendtag = sendtag, .source = source, .recvtag = recvtag }; \
        return sendrecv(&x, sendtype, recvtype, comm, status); \
    } \
    MPI_WEAK_ALIAS(name)

SENDRECV(Sendrecv, int);
SENDRECV(Sendrecv_c, MPI_Count);

#define REPLACE(name, COUNT) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, \
                    int source, int recvtag, MPI_Comm comm, MPI_Status *status) \
    { \
        struct mpi_exchange x = { .call = "MPI_" #name, .recvbuf = buf, .recvcount = count, \
                                  .dest = dest, .sendtag = sendtag, .source = source, \
                                  .recvtag = recvtag }; \
        return replace(&x, datatype, comm, status); \
    } \
    MPI_WEAK_ALIAS(name)

REPLACE(Sendrecv_replace, int);
REPLACE(Sendrecv_replace_c, MPI_Count);
