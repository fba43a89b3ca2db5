/* Partitioned communication: MPI_Psend_init, MPI_Precv_init and what becomes of partitions. */
#include "core/partitioned.h"

#include <limits.h>

#include "core/err.h"
#include "mpi/args.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

/* -- making */

static int check_info(const char *call, struct mpi_comm *c, MPI_Info info)
{
    if (info == MPI_INFO_NULL || info == MPI_INFO_ENV
        || mpi_handle_get(MPI_KIND_INFO, (uintptr_t)info))
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
}

static int check_partitions(const char *call, struct mpi_stream_args *a, MPI_Count count)
{
    ptrdiff_t bytes;
    a->count = (size_t)count;
    if (a->partitions < 0)
        return mpi_err(a->c, call, MPI_ERR_ARG, "the number of partitions is %d", a->partitions);
    if (__builtin_mul_overflow((size_t)a->partitions, a->count * a->type->size, &bytes))
        return mpi_err(a->c, call, MPI_ERR_COUNT,
                       "%d partitions of %zu bytes are beyond 2^63 bytes", a->partitions,
                       a->count * a->type->size);
    return MPI_SUCCESS;
}

static int make(const char *call, struct mpi_stream_args *a, MPI_Count count, MPI_Info info,
                MPI_Request *request)
{
    int rc = check_partitions(call, a, count);
    if (!rc)
        rc = check_info(call, a->c, info);
    if (!rc && !request)
        rc = mpi_err(a->c, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    if (rc)
        return rc;
    struct mpi_persistent *p = mpi_stream_new(a);
    if (!p)
        return mpi_err(a->c, call, MPI_ERR_NO_MEM, "no memory for the partitions");
    *request = p->handle;
    return MPI_SUCCESS;
}

static int psend_init(const char *call, struct mpi_stream_args *a, MPI_Count count,
                      MPI_Datatype datatype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    MPI_ENTER(call);
    a->sends = true;
    int rc = mpi_check_send(call, a->buf, a->partitions > 0 ? count : 0, datatype, a->peer, a->tag,
                            comm, &a->c, &a->type);
    return rc ? rc : make(call, a, count, info, request);
}

static int precv_init(const char *call, struct mpi_stream_args *a, MPI_Count count,
                      MPI_Datatype datatype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    MPI_ENTER(call);
    int rc = mpi_check_recv(call, a->buf, a->partitions > 0 ? count : 0, datatype, a->peer, a->tag,
                            comm, &a->c, &a->type);
    if (rc)
        return rc;
    if (a->peer == MPI_ANY_SOURCE)
        return mpi_err(a->c, call, MPI_ERR_RANK, "partitions do not come from MPI_ANY_SOURCE");
    if (a->tag == MPI_ANY_TAG)
        return mpi_err(a->c, call, MPI_ERR_TAG, "partitions do not come with MPI_ANY_TAG");
    return make(call, a, count, info, request);
}

#define INIT(name, COUNT, function, CONST) \
    int PMPI_##name(CONST void *buf, int partitions, COUNT count, MPI_Datatype datatype, \
                    int peer, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) \
    { \
        struct mpi_stream_args a = { .buf = (void *)(uintptr_t)buf, .partitions = partitions, \
                                     .peer = peer, .tag = tag }; \
        return function("MPI_" #name, &a, count, datatype, comm, info, request); \
    } \
    MPI_WEAK_ALIAS(name)

INIT(Psend_init, MPI_Count, psend_init, const);
INIT(Psend_init_c, MPI_Count, psend_init, const);
INIT(Precv_init, MPI_Count, precv_init, );
INIT(Precv_init_c, MPI_Count, precv_init, );

/* -- partitions */

/* The stream of an active request; NULL: it is none, which *inactive tells from an inactive one.
 * Baton held. */
static struct mpi_stream *find(MPI_Request request, bool sends, bool *inactive)
{
    struct mpi_pending p;
    enum mpi_found found = mpi_req_find(request, &p);
    struct mpi_stream *s = mpi_stream_of(p.persistent);
    bool right = s && mpi_stream_sends(s) == sends;
    *inactive = found == MPI_REQ_INACTIVE && (right || request == MPI_REQUEST_NULL);
    return right && found == MPI_REQ_ACTIVE ? s : NULL;
}

static int no_partition(const char *call, struct mpi_comm *c, int partition, int partitions)
{
    return mpi_err(c, call, MPI_ERR_ARG, "partition %d is not in 0..%d", partition,
                   partitions - 1);
}

static int not_active(const char *call, MPI_Request request, bool inactive)
{
    if (inactive && request != MPI_REQUEST_NULL)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the request is not active: start it first");
    return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no partitioned send", (void *)request);
}

static int not_ready(const char *call, struct mpi_comm *c, int partition, int class)
{
    if (class == MPI_ERR_ARG)
        return mpi_err(c, call, class, "partition %d was said to be ready before", partition);
    return mpi_err(c, call, class, "no memory for a request");
}

/* The partitions of a list, or from `first` on where it is NULL. */
static int ready(const char *call, int first, int count, const int list[], MPI_Request request)
{
    bool inactive;
    int class = MPI_SUCCESS, partitions = 0, at = first;
    struct mpi_comm *c = NULL;
    nic_enter(mpi_nic);
    struct mpi_stream *s = find(request, true, &inactive);
    if (s) {
        c = mpi_stream_comm(s);
        partitions = mpi_stream_partitions(s);
    }
    bool inside = true;
    for (int i = 0; s && i < count && inside; i++) {
        at = list ? list[i] : first + i;
        inside = at >= 0 && at < partitions;
    }
    for (int i = 0; s && inside && i < count && !class; i++) {
        at = list ? list[i] : first + i;
        class = mpi_stream_ready(s, at);
    }
    nic_leave(mpi_nic);
    if (!s)
        return not_active(call, request, inactive);
    if (!inside)
        return no_partition(call, c, at, partitions);
    return class ? not_ready(call, c, at, class) : MPI_SUCCESS;
}

int PMPI_Pready(int partition, MPI_Request request)
{
    MPI_ENTER("MPI_Pready");
    return ready("MPI_Pready", partition, 1, NULL, request);
}
MPI_WEAK_ALIAS(Pready);

int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
    const char *call = "MPI_Pready_range";
    MPI_ENTER(call);
    if (partition_low < 0 || partition_high < partition_low)
        return mpi_err(NULL, call, MPI_ERR_ARG, "partitions from %d to %d", partition_low,
                       partition_high);
    if (partition_high - partition_low == INT_MAX)
        return mpi_err(NULL, call, MPI_ERR_ARG, "there is no partition %d", partition_high);
    return ready(call, partition_low, partition_high - partition_low + 1, NULL, request);
}
MPI_WEAK_ALIAS(Pready_range);

int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request)
{
    const char *call = "MPI_Pready_list";
    MPI_ENTER(call);
    if (length < 0)
        return mpi_err(NULL, call, MPI_ERR_COUNT, "the length is %d", length);
    if (length && !array_of_partitions)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the list of partitions is NULL");
    return ready(call, 0, length, array_of_partitions, request);
}
MPI_WEAK_ALIAS(Pready_list);

int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
    const char *call = "MPI_Parrived";
    bool inactive, inside = true, there = true;
    int partitions = 0;
    MPI_ENTER(call);
    if (!flag)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the flag is NULL");
    nic_enter(mpi_nic);
    struct mpi_stream *s = find(request, false, &inactive);
    if (s) {
        partitions = mpi_stream_partitions(s);
        inside = partition >= 0 && partition < partitions;
        there = inside && (mpi_stream_arrived(s, partition)
                           || (nic_step(mpi_nic) && mpi_stream_arrived(s, partition)));
    }
    struct mpi_comm *c = s ? mpi_stream_comm(s) : NULL;
    nic_leave(mpi_nic);
    if (!s && !inactive)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no partitioned receive",
                       (void *)request);
    if (!inside)
        return no_partition(call, c, partition, partitions);
    *flag = there;
    if (!there)
        mpi_poll_pause();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Parrived);
