/* The door for libshmem and the checks. */
#include "mpi/door.h"

#include <stdio.h>

#include "base/crash.h"
#include "core/err.h"
#include "core/label.h"
#include "core/type_data.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/coll_args.h"
#include "mpi/coll_calls.h"
#include "mpi/init.h"
#include "mpi/probe.h"
#include "mpi/stand.h"
#include "mpi/stats.h"
#include "rma/children.h"
#include "rma/move.h"

static struct nic *nic(void) { return mpi_nic; }

static void show_stats(const char *call, MPI_Comm comm)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, call, mpi_comm_get(comm));
    mpi_coll_set_fingerprint(&x, MPI_COLL_FINALIZE, 0, 0);
    mpi_stats_barrier(&x, true, mpi_library_drain);
    mpi_coll_end(&x);
}

static void check(void) { nic_job_set_mark(mpi_job, mpi_job_rank, 1); }

static void on_leaving(void (*leaves)(void)) { mpi_err_leaves = leaves; }

static bool checked(MPI_Comm comm)
{
    const struct mpi_comm *c = mpi_comm_get(comm);
    bool all = true;
    for (int i = 0; all && i < c->size; i++)
        all = nic_job_mark(mpi_job, (unsigned)mpi_comm_world_rank(c, i));
    for (int i = 0; all && i < c->peers; i++)
        all = nic_job_mark(mpi_job, (unsigned)mpi_comm_peer(c, i));
    return all;
}

static int barrier(const char *call, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = call };
    return mpi_coll_call_barrier(&p, comm);
}

static int bcast(const char *call, void *data, size_t count, MPI_Datatype type, int root,
                 MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = call };
    return mpi_coll_call_bcast(&p, data, (MPI_Count)count, type, root, comm);
}

static int allgather(const char *call, const void *send, size_t bytes, void *recv, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = call };
    const struct mpi_coll_many to = { .buf = recv, .count = (MPI_Count)bytes, .type = MPI_BYTE };
    return mpi_coll_call_allgather(&p, send, (MPI_Count)bytes, MPI_BYTE, &to, comm);
}

static int allgatherv(const char *call, const void *send, size_t bytes, void *recv,
                      const MPI_Count *counts, const MPI_Aint *displs, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = call };
    const struct mpi_coll_many to = { .vector = true, .buf = recv, .type = MPI_BYTE,
                                      .counts = MPI_NUMBERS(counts),
                                      .displs = MPI_NUMBERS(displs) };
    return mpi_coll_call_allgather(&p, send, (MPI_Count)bytes, MPI_BYTE, &to, comm);
}

static int alltoall(const char *call, const void *send, size_t scount, MPI_Datatype stype,
                    void *recv, size_t rcount, MPI_Datatype rtype, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = call };
    const struct mpi_coll_many from = { .buf = send, .count = (MPI_Count)scount, .type = stype };
    const struct mpi_coll_many to = { .buf = recv, .count = (MPI_Count)rcount, .type = rtype };
    return mpi_coll_call_alltoall(&p, &from, &to, comm);
}

static int allreduce(const char *call, const void *send, void *recv, size_t count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = call };
    return mpi_coll_call_allreduce(&p, send, recv, (MPI_Count)count, type, op, comm);
}

static void label(MPI_Comm comm, char *text, size_t size)
{
    char short_label[MPI_LABEL_BYTES];
    snprintf(text, size, "%s", mpi_label(mpi_comm_get(comm), short_label));
}

static void own_request(MPI_Comm comm, MPI_Request *request)
{
    if (*request != MPI_REQ_SENT)
        return;
    nic_enter(mpi_nic);
    struct fw_req *r = mpi_req_done(mpi_comm_get(comm), MPI_REQ_EMPTY);
    if (r)
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
}

static bool arrived(int source, int tag, MPI_Comm comm)
{
    struct mpi_probe p = { .source = source, .tag = tag };
    MPI_Status status;
    size_t bytes;
    return mpi_recv_args_fast_ok(NULL, 0, MPI_BYTE, source, tag, comm, &p.c, &bytes)
           && mpi_probe_now(&p, NULL, &status);
}

static size_t run_of(MPI_Count count, MPI_Datatype type, ptrdiff_t *at)
{
    const struct mpi_type *t = mpi_type_get(type);
    bool is_run = t && count > 0 && mpi_type_is_run(t, (size_t)count, at);
    return is_run ? (size_t)count * t->size : 0;
}

const struct mpi_door mpi_door = {
    .size = sizeof mpi_door,
#define ENTRY(name) .name = name,
    MPI_DOOR_NIC(ENTRY)
    .nic = nic, .in_child = mpi_world_in_child, .children_own = mpi_rma_children_own,
    .move_variables = mpi_rma_move_variables, .move_back = mpi_rma_move_back,
    .die = mpi_die, .refuse = mpi_refuse, .tell_call = mpi_crash_tell_call,
    .show_stats = show_stats,
    .barrier = barrier, .bcast = bcast, .allgather = allgather,
    .allgatherv = allgatherv, .alltoall = alltoall, .allreduce = allreduce,
    .check = check, .on_leaving = on_leaving, .checked = checked, .meet = mpi_library_meet,
    .made_at = mpi_label_made_at, .label = label,
    .stand_since = mpi_stand_since, .stand_requests = mpi_stand_requests,
    .stand_probe = mpi_stand_probe,
    .own_request = own_request, .arrived = arrived, .run_of = run_of,
};
