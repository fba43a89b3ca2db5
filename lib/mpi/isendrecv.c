/* Sending and receiving at once, without waiting: one request for both. */
#include <stdio.h>
#include <stdlib.h>

#include "core/derived.h"
#include "core/err.h"
#include "core/request_free.h"
#include "core/status.h"
#include "core/type_data.h"
#include "mpi/exchange.h"
#include "mpi/weak_alias.h"

/* Owner: the baton, until its request is done. */
struct pair {
    struct mpi_own own;
    struct mpi_portion recv, send;
    int open;                   /* halves that are not over */
    MPI_Status status;          /* of the receive */
    int class;                  /* of what failed, the receive before the send */
    struct mpi_why why;
    void *copy;                 /* of the data that are sent, or NULL */
    const struct mpi_type *type;    /* of the receive; held */
    size_t received;                /* bytes */
    int dest, sendtag, source, recvtag;
};

static void half_ended(struct pair *p, int class, const struct mpi_why *why)
{
    if (class && !p->class) {
        p->class = class;
        p->why = *why;
    }
    if (--p->open == 0)
        mpi_own_done(&p->own);
}

static struct pair *of_half(struct mpi_portion *half, size_t offset)
{
    return (struct pair *)((char *)half - offset);
}

static void recv_ended(struct mpi_portion *half, const struct fw_req *r, int class,
                       const struct mpi_why *why)
{
    struct pair *p = of_half(half, offsetof(struct pair, recv));
    mpi_req_status(r, &p->status);
    p->received = r->count;
    if (class)
        p->class = 0;
    half_ended(p, class, why);
}

static void send_ended(struct mpi_portion *half, const struct fw_req *r, int class,
                       const struct mpi_why *why)
{
    (void)r;
    half_ended(of_half(half, offsetof(struct pair, send)), class, why);
}

/* -- its request */

static void set_status(const struct pair *p, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    int error = status->MPI_ERROR;
    *status = p->status;
    status->MPI_ERROR = error;
}

static int end(struct mpi_own *o, enum mpi_own_end how, MPI_Status *status, struct mpi_why *why)
{
    struct pair *p = (struct pair *)o;
    int class = p->class;
    if (how == MPI_OWN_COMPLETED)
        mpi_type_charge(p->type, p->received);
    mpi_type_drop(p->type);
    set_status(p, status);
    if (class)
        snprintf(why->text, sizeof why->text, "%s", p->why.text);
    free(p->copy);
    free(p);
    return class;
}

static int look(struct mpi_own *o, MPI_Status *status, struct mpi_why *why)
{
    (void)why;
    set_status((struct pair *)o, status);
    return MPI_SUCCESS;
}

static const char *number(char text[16], int n, int any)
{
    if (n == MPI_PROC_NULL)
        return "MPI_PROC_NULL";
    if (n == any)
        return "any";
    snprintf(text, 16, "%d", n);
    return text;
}

static void describe(const struct mpi_own *o, const char *of, char *text, size_t size)
{
    const struct pair *p = (const struct pair *)o;
    char to[16], from[16], tag[16];
    snprintf(text, size, "exchange(destination %s, tag %d, source %s, tag %s, %s)",
             number(to, p->dest, MPI_PROC_NULL), p->sendtag,
             number(from, p->source, MPI_ANY_SOURCE), number(tag, p->recvtag, MPI_ANY_TAG), of);
}

static const struct mpi_own_class class = { .end = end, .look = look, .describe = describe };

/* -- the calls */

/* Baton held.  False: no memory, and nothing has begun. */
static bool begin(const struct mpi_exchange *x, struct pair *p, MPI_Request *request)
{
    struct fw_req *recv, *send, *both = mpi_req_new_own(x->c, &p->own);
    if (!both)
        return false;
    if (!mpi_exchange_new(x, &recv, &send)) {
        mpi_req_give_up(both);
        return false;
    }
    *request = mpi_req_keep(both);
    mpi_type_hold(p->type);
    mpi_exchange_start(x, recv, send);
    mpi_req_make_portion(recv, &p->recv);
    mpi_req_make_portion(send, &p->send);
    return true;
}

/* Has the copy from here on. */
static int start(const struct mpi_exchange *x, void *copy, MPI_Request *request)
{
    struct pair *p = malloc(sizeof *p);
    bool begun = false;
    if (p) {
        *p = (struct pair){
            .own.class = &class, .recv.ended = recv_ended, .send.ended = send_ended, .open = 2,
            .copy = copy, .type = x->recvtype, .dest = x->dest, .sendtag = x->sendtag,
            .source = x->source, .recvtag = x->recvtag,
        };
        nic_enter(mpi_nic);
        begun = begin(x, p, request);
        nic_leave(mpi_nic);
    }
    if (begun)
        return MPI_SUCCESS;
    free(copy);
    free(p);
    return mpi_err(x->c, x->call, MPI_ERR_NO_MEM, "no memory for a request");
}

static int no_place(const struct mpi_exchange *x)
{
    return mpi_err(x->c, x->call, MPI_ERR_REQUEST, "the address for the request is NULL");
}

static int isendrecv(struct mpi_exchange *x, MPI_Datatype sendtype, MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    MPI_ENTER(x->call);
    int rc = mpi_exchange_check(x, sendtype, recvtype, comm);
    if (!rc && !request)
        rc = no_place(x);
    return rc ? rc : start(x, NULL, request);
}

static int replace(struct mpi_exchange *x, MPI_Datatype datatype, MPI_Comm comm,
                   MPI_Request *request)
{
    MPI_ENTER(x->call);
    int rc = mpi_exchange_check_replace(x, datatype, comm);
    if (!rc && !request)
        rc = no_place(x);
    void *copy = rc ? NULL : mpi_exchange_copy(x, &rc);
    return rc ? rc : start(x, copy, request);
}

#define ISENDRECV(name, COUNT) \
    int PMPI_##name(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, \
                    int sendtag, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, \
                    int source, int recvtag, MPI_Comm comm, MPI_Request *request) \
    { \
        struct mpi_exchange x = { .call = "MPI_" #name, .sendbuf = sendbuf, .recvbuf = recvbuf, \
                                  .sendcount = sendcount, .recvcount = recvcount, .dest = dest, \
                                  .sendtag = sendtag, .source = source, .recvtag = recvtag }; \
        return isendrecv(&x, sendtype, recvtype, comm, request); \
    } \
    MPI_WEAK_ALIAS(name)

ISENDRECV(Isendrecv, int);
ISENDRECV(Isendrecv_c, MPI_Count);

#define REPLACE(name, COUNT) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, \
                    int source, int recvtag, MPI_Comm comm, MPI_Request *request) \
    { \
        struct mpi_exchange x = { .call = "MPI_" #name, .recvbuf = buf, .recvcount = count, \
                                  .dest = dest, .sendtag = sendtag, .source = source, \
                                  .recvtag = recvtag }; \
        return replace(&x, datatype, comm, request); \
    } \
    MPI_WEAK_ALIAS(name)

REPLACE(Isendrecv_replace, int);
REPLACE(Isendrecv_replace_c, MPI_Count);
