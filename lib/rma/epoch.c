/* Post, start, complete and wait. */
#include "rma/epoch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/label.h"
#include "core/match.h"
#include "core/request_free.h"
#include "core/request_notice.h"
#include "core/request_wait.h"

enum { TAG_POST = 1, TAG_COMPLETE = 2 };

/* What MPI_Win_post has opened: receives of what the origins say when they have completed. */
struct mpi_rma_exposure { int count; struct fw_req *req[]; };

int *mpi_rma_ranks(const struct mpi_win *w, const struct mpi_group *g, int *bad)
{
    int *ranks = malloc(sizeof *ranks * (size_t)(g->size ? g->size : 1));
    *bad = -1;
    for (int i = 0; ranks && i < g->size; i++) {
        ranks[i] = mpi_comm_rank_of(w->comm, g->world[i]);
        if (ranks[i] < 0) {
            *bad = i;
            free(ranks);
            return NULL;
        }
    }
    return ranks;
}

/* -- messages without data.  Baton held */

static bool send(struct mpi_win *w, int rank, int tag)
{
    struct mpi_why why;
    struct fw_req *r = mpi_req_send(w->comm, NULL, 0, mpi_type_get(MPI_BYTE), rank, tag,
                                    MPI_SEND_FIRM);
    if (!r)
        return false;
    mpi_req_keep(r);
    mpi_req_forget(r, &why);
    return true;
}

static struct fw_req *receive(struct mpi_win *w, int rank, int tag)
{
    return mpi_req_recv(w->comm, NULL, 0, mpi_type_get(MPI_BYTE), rank, tag);
}

/* What `call` waits for: that the request's sender calls `other`. */
struct reason { const char *call, *other; const struct fw_req *req; };

static const char *note(void *argument, char *text, size_t size)
{
    const struct reason *w = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "%s(%s): waits for %s of rank %d", w->call,
             mpi_label_long(w->req->host.comm, label, sizeof label), w->other,
             fw_match_source(w->req->match));
    return text;
}

/* MPI_SUCCESS; MPI_ERR_PROC_ABORTED: its sender is lost. */
static int finish(struct fw_req *r, const char *call, const char *other)
{
    mpi_req_wait_for(r, note, &(struct reason){ call, other, r });
    mpi_req_waited(r);
    const int class = r->error == FW_LOST ? MPI_ERR_PROC_ABORTED : MPI_SUCCESS;
    mpi_fw_req_free(mpi_fw, r);
    return class;
}

/* -- exposure */

int mpi_rma_post(struct mpi_win *w, const int *ranks, int count)
{
    struct mpi_rma_exposure *e = malloc(sizeof *e + (size_t)count * sizeof e->req[0]);
    bool good = e != NULL;
    if (!e)
        return MPI_ERR_NO_MEM;
    e->count = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    nic_enter(mpi_nic);
    for (int i = 0; good && i < count; i++)
        good = (e->req[e->count] = receive(w, ranks[i], TAG_COMPLETE)) && ++e->count;
    for (int i = 0; good && i < count; i++)
        good = send(w, ranks[i], TAG_POST);
    nic_leave(mpi_nic);
    w->exposure = e;
    return good ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static bool all_done(const struct mpi_rma_exposure *e)
{
    for (int i = 0; i < e->count; i++)
        if (!fw_req_done(e->req[i]))
            return false;
    return true;
}

int mpi_rma_wait(struct mpi_win *w, bool *done)
{
    struct mpi_rma_exposure *e = w->exposure;
    bool over = true;
    int class = MPI_SUCCESS;
    nic_enter(mpi_nic);
    if (done && !all_done(e)) {
        nic_step(mpi_nic);
        over = all_done(e);
    }
    for (int i = 0; over && i < e->count; i++) {
        int ended = finish(e->req[i], "MPI_Win_wait", "MPI_Win_complete");
        class = class ? class : ended;
    }
    nic_leave(mpi_nic);
    if (over) {
        free(e);
        w->exposure = NULL;
    }
    if (done)
        *done = over;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return class;
}

/* -- access */

int mpi_rma_access(struct mpi_win *w, const int *ranks, int count)
{
    struct fw_req **req = malloc(sizeof *req * (size_t)(count ? count : 1));
    int *copy = malloc(sizeof *copy * (size_t)(count ? count : 1)), n = 0;
    bool good = req && copy;
    int class = MPI_SUCCESS;
    nic_enter(mpi_nic);
    while (good && n < count)
        good = (req[n] = receive(w, ranks[n], TAG_POST)) && ++n;
    for (int i = 0; i < n; i++) {
        int ended = finish(req[i], "MPI_Win_start", "MPI_Win_post");
        class = class ? class : ended;
    }
    nic_leave(mpi_nic);
    free(req);
    if (!good || class) {
        free(copy);
        return good ? class : MPI_ERR_NO_MEM;
    }
    for (int i = 0; i < count; i++) {
        copy[i] = ranks[i];
        w->part[ranks[i]].started = true;
    }
    w->started = copy;
    w->starts = count;
    return MPI_SUCCESS;
}

int mpi_rma_complete(struct mpi_win *w)
{
    bool good = true;
    nic_enter(mpi_nic);
    for (int i = 0; i < w->starts; i++) {
        w->part[w->started[i]].started = false;
        good &= send(w, w->started[i], TAG_COMPLETE);
    }
    nic_leave(mpi_nic);
    free(w->started);
    w->started = NULL;
    w->starts = 0;
    return good ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}
