/* Duplicates that are made while the call goes on. */
#include <stdlib.h>

#include "core/err.h"
#include "core/info.h"
#include "mpi/agreement_later.h"
#include "mpi/args.h"
#include "mpi/attribute.h"
#include "mpi/comm_info.h"
#include "mpi/comm_make.h"
#include "mpi/weak_alias.h"

/* The duplicate gets what the ranks have agreed on.  Baton held. */
static bool end(void *context, const struct mpi_agreed *agreed)
{
    struct mpi_comm *made = context;
    if (agreed && mpi_comm_settle(made, agreed))
        return true;
    if (agreed)
        mpi_agreed_release_inside(agreed);
    mpi_comm_discard_later(made);
    return false;
}

/* One rank asks nobody. */
static int at_once(struct mpi_comm *c, const struct mpi_comm_origin *from, struct mpi_comm *made,
                   MPI_Request *request)
{
    struct mpi_agreed a = { .contexts = 1 };
    int rc = mpi_agree(from->call, c, from->maker, &a);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    mpi_comm_settle(made, &a);          /* it has no slots, which alone need memory */
    struct fw_req *r = mpi_req_done(c, MPI_REQ_ALONE);
    if (r)
        *request = mpi_req_keep(r);
    else
        mpi_agreed_release_inside(&a);
    nic_leave(mpi_nic);
    return r ? MPI_SUCCESS : mpi_err(c, from->call, MPI_ERR_NO_MEM, "no memory for a request");
}

/* All that does not need the other ranks. */
static int prepare(const struct mpi_comm_origin *from, struct mpi_comm *c, MPI_Info info,
                   struct mpi_comm **made)
{
    struct mpi_attribute_error error;
    struct mpi_comm_ranks ranks;
    *made = mpi_comm_same_ranks(c, &ranks) ? mpi_comm_begin(c, from, &ranks) : NULL;
    if (!*made)
        return mpi_err(c, from->call, MPI_ERR_NO_MEM, "no memory for a communicator");
    mpi_comm_take_hints(*made, info);
    if (mpi_attributes_copy(&c->attributes, (uintptr_t)c->handle, &(*made)->attributes, &error))
        return MPI_SUCCESS;
    mpi_comm_discard(*made);
    return mpi_attribute_raise(c, from->call, &error);
}

static int idup(const struct mpi_comm_origin *from, MPI_Comm comm, MPI_Info info,
                MPI_Comm *newcomm, MPI_Request *request)
{
    struct mpi_comm *c, *made;
    MPI_ENTER(from->call);
    int rc = mpi_check_new(from->call, comm, &c, newcomm);
    if (!rc && !request)
        rc = mpi_err(c, from->call, MPI_ERR_ARG, "the address for the request is NULL");
    if (!rc)
        rc = mpi_check_info(from->call, c, info);
    if (!rc)
        rc = prepare(from, c, info, &made);
    if (rc)
        return rc;
    MPI_Comm handle = made->handle;     /* it may have ended when the call returns */
    const struct mpi_agree_later what = {
        .call = from->call, .c = c, .maker = from->maker, .end = end, .context = made,
        .contexts = c->inter ? MPI_AGREED_CONTEXTS : 1,
    };
    bool alone = !c->inter && c->size == 1;
    rc = alone ? at_once(c, from, made, request) : mpi_agree_later(&what, request);
    if (rc)
        mpi_comm_discard(made);
    *newcomm = rc ? MPI_COMM_NULL : handle;
    return rc;
}

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_idup", .maker = MPI_MADE_IDUP,
        .caller = mpi_label_maker(__builtin_return_address(0)),
    };
    return idup(&from, comm, MPI_INFO_NULL, newcomm, request);
}
MPI_WEAK_ALIAS(Comm_idup);

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                             MPI_Request *request)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_idup_with_info", .maker = MPI_MADE_IDUP,
        .caller = mpi_label_maker(__builtin_return_address(0)),
    };
    return idup(&from, comm, info, newcomm, request);
}
MPI_WEAK_ALIAS(Comm_idup_with_info);
