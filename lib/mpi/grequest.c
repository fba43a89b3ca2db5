/* Generalized requests: the program says when one is done, and what its status is. */
#include <stdio.h>
#include <stdlib.h>

#include "core/err.h"
#include "core/status.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

/* Owner: the program, through its handle; all but `own` is immutable. */
struct generalized {
    struct mpi_own own;
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *state;
};

/* -- the program's functions: without the baton, as they may call MPI */

/* The status is the program's, or one that nobody reads. */
static int ask(const struct generalized *g, MPI_Status *status)
{
    MPI_Status mine = { 0 };
    mpi_status_set_empty(&mine);
    int code = g->query(g->state, &mine);
    if (status != MPI_STATUS_IGNORE) {
        int error = status->MPI_ERROR;
        *status = mine;
        status->MPI_ERROR = error;
    }
    return code;
}

static int said(int code, const char *function, struct mpi_why *why)
{
    if (code)
        snprintf(why->text, sizeof why->text, "the request's %s function returned %d", function,
                 code);
    return code;
}

/* -- the request */

static int end(struct mpi_own *o, enum mpi_own_end how, MPI_Status *status, struct mpi_why *why)
{
    struct generalized g = *(struct generalized *)o;
    int asked = MPI_SUCCESS, freed;
    free(o);
    if (how == MPI_OWN_FORGOTTEN)       /* MPI_Grequest_complete calls the function */
        return MPI_SUCCESS;
    nic_leave(mpi_nic);
    if (how == MPI_OWN_COMPLETED)
        asked = ask(&g, status);
    freed = g.free(g.state);
    nic_enter(mpi_nic);
    return asked ? said(asked, "query", why) : said(freed, "free", why);
}

static int look(struct mpi_own *o, MPI_Status *status, struct mpi_why *why)
{
    struct generalized g = *(struct generalized *)o;
    nic_leave(mpi_nic);
    int code = ask(&g, status);
    nic_enter(mpi_nic);
    return said(code, "query", why);
}

static int cancel(struct mpi_own *o, bool done)
{
    struct generalized *g = (struct generalized *)o;
    return g->cancel(g->state, done);
}

static void describe(const struct mpi_own *o, const char *of, char *text, size_t size)
{
    (void)o, (void)of;
    snprintf(text, size, "generalized request");
}

static const struct mpi_own_class class = {
    .end = end, .look = look, .cancel = cancel, .describe = describe,
};

/* -- the calls */

int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                        MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                        MPI_Request *request)
{
    const char *call = "MPI_Grequest_start";
    MPI_ENTER(call);
    if (!query_fn || !free_fn || !cancel_fn)
        return mpi_err(NULL, call, MPI_ERR_ARG, "one of the functions is NULL");
    if (!request)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    struct generalized *g = malloc(sizeof *g);
    struct fw_req *r = NULL;
    if (g) {
        *g = (struct generalized){ .own.class = &class, .query = query_fn, .free = free_fn,
                                   .cancel = cancel_fn, .state = extra_state };
        nic_enter(mpi_nic);
        r = mpi_req_new_own(&mpi_comm_self, &g->own);
        if (r)
            *request = mpi_req_keep(r);
        nic_leave(mpi_nic);
    }
    if (r)
        return MPI_SUCCESS;
    free(g);
    return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for a request");
}
MPI_WEAK_ALIAS(Grequest_start);

/* One that the program has freed is found too.  NULL: it is none.  Baton held. */
static struct generalized *find(MPI_Request handle)
{
    uintptr_t h = (uintptr_t)handle;
    if ((h >> 28 & 15) != MPI_KIND_REQUEST)
        return NULL;
    struct fw_req *r = fw_req_at(mpi_fw, (uint32_t)(h & 0x0fffffff) - 1);
    if (!r || r->generation != (uint32_t)(h >> 32) || r->object.kind != FW_HOST
        || r->host.own->class != &class)
        return NULL;
    return (struct generalized *)r->host.own;
}

int PMPI_Grequest_complete(MPI_Request request)
{
    const char *call = "MPI_Grequest_complete";
    struct mpi_why why = { .text = "" };
    int code = MPI_SUCCESS;
    MPI_ENTER(call);
    nic_enter(mpi_nic);
    struct generalized *found = find(request), g = { .free = NULL };
    bool done = found && fw_req_done(found->own.req), freed = found && found->own.req->detached;
    if (found) {
        g = *found;
        if (!done)
            mpi_own_done(&found->own);
    }
    nic_leave(mpi_nic);
    if (!found)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no generalized request",
                       (void *)request);
    if (done)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the request is complete already");
    if (freed)
        code = said(g.free(g.state), "free", &why);
    return code ? mpi_err(NULL, call, code, "%s", why.text) : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Grequest_complete);
