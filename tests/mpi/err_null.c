/* Arguments that point nowhere, and handles of another kind: the class of each call's error, and
 * nothing has happened. */
#include "t.h"

static int data[2], one = 1, flag, length, position;
static MPI_Request *const no_request = NULL;
static const MPI_Comm self = MPI_COMM_SELF;

static void requests(void)
{
    int *p = data;
    MPI_Message message;
    CLASS(MPI_Isend(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Issend(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Irsend(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Ibsend(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Irecv(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Send_init(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Ssend_init(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Bsend_init(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Rsend_init(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Recv_init(p, 1, MPI_INT, 0, 1, self, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Psend_init(p, 1, 1, MPI_INT, 0, 1, self, MPI_INFO_NULL, no_request),
          MPI_ERR_REQUEST);
    CLASS(MPI_Start(no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Startall(1, no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Waitall(1, no_request, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    CLASS(MPI_Waitall(-1, no_request, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
    CLASS(MPI_Request_free(no_request), MPI_ERR_REQUEST);
    CLASS(MPI_Cancel(no_request), MPI_ERR_REQUEST);
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self, &flag, MPI_STATUS_IGNORE));
    SAME(flag, 0);              /* nothing was sent */
    CLASS(MPI_Iprobe(0, 1, self, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Improbe(0, 1, self, NULL, &message, MPI_STATUS_IGNORE), MPI_ERR_ARG);
}

static void completions(void)
{
    MPI_Request null = MPI_REQUEST_NULL;
    MPI_Status status;
    CLASS(MPI_Test(&null, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Testall(1, &null, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Testany(1, &null, NULL, &flag, &status), MPI_ERR_ARG);
    CLASS(MPI_Testany(1, &null, &length, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Waitany(1, &null, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Waitsome(1, &null, NULL, &length, &status), MPI_ERR_ARG);
    CLASS(MPI_Testsome(1, &null, &length, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status(null, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status_all(1, &null, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status_any(1, &null, NULL, &flag, &status), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status_any(1, &null, &length, NULL, &status), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status_some(1, &null, NULL, &length, &status), MPI_ERR_ARG);
    CLASS(MPI_Request_get_status_some(1, &null, &length, NULL, &status), MPI_ERR_ARG);
}

static void collectives(void)
{
    int *p = data;
    MPI_Request r;
    const MPI_Datatype type = MPI_INT;
    CLASS(MPI_Ibarrier(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Ibcast(p, 1, MPI_INT, 0, self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Bcast_init(p, 1, MPI_INT, 0, self, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CLASS(MPI_Gatherv(p, 1, MPI_INT, p + 1, NULL, &position, MPI_INT, 0, self), MPI_ERR_ARG);
    CLASS(MPI_Gatherv(p, 1, MPI_INT, p + 1, &one, NULL, MPI_INT, 0, self), MPI_ERR_ARG);
    CLASS(MPI_Scatterv(p, NULL, &position, MPI_INT, p + 1, 1, MPI_INT, 0, self), MPI_ERR_ARG);
    CLASS(MPI_Allgatherv(p, 1, MPI_INT, p + 1, NULL, &position, MPI_INT, self), MPI_ERR_ARG);
    CLASS(MPI_Alltoallv(p, &one, NULL, MPI_INT, p + 1, &one, &position, MPI_INT, self),
          MPI_ERR_ARG);
    CLASS(MPI_Alltoallw(p, &one, &position, NULL, p + 1, &one, &position, &type, self),
          MPI_ERR_ARG);
    CLASS(MPI_Alltoallw(p, NULL, &position, &type, p + 1, &one, &position, &type, self),
          MPI_ERR_ARG);
    CLASS(MPI_Reduce_scatter(p, p + 1, NULL, MPI_INT, MPI_SUM, self), MPI_ERR_ARG);
    CLASS(MPI_Ireduce_scatter(p, p + 1, NULL, MPI_INT, MPI_SUM, self, &r), MPI_ERR_ARG);
    CLASS(MPI_Allreduce(NULL, p, 1, MPI_INT, MPI_SUM, self), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(p, NULL, 1, MPI_INT, MPI_SUM, self), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(p, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, self), MPI_ERR_BUFFER);
    if (t_size > 1) {           /* in place is for the root; the call does not get to the others */
        int other = t_rank == 0;
        CLASS(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, p, 1, MPI_INT, other, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
        CLASS(MPI_Scatter(p, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, other, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
        CLASS(MPI_Reduce(MPI_IN_PLACE, p, 1, MPI_INT, MPI_SUM, other, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    }
}

/* The blocks of NULL, which may lie elsewhere; where nothing is in them they may not. */
static void vectors(void)
{
    int *p = data, none = 0, far = 1 << 20;
    MPI_Request r;
    const MPI_Datatype type = MPI_INT;
    CLASS(MPI_Gatherv(p, 1, MPI_INT, NULL, &one, &position, MPI_INT, 0, self), MPI_ERR_BUFFER);
    CLASS(MPI_Igatherv(p, 1, MPI_INT, NULL, &one, &one, MPI_INT, 0, self, &r), MPI_ERR_BUFFER);
    CLASS(MPI_Scatterv(NULL, &one, &position, MPI_INT, p, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
    CLASS(MPI_Allgatherv(p, 1, MPI_INT, NULL, &one, &position, MPI_INT, self), MPI_ERR_BUFFER);
    CLASS(MPI_Alltoallv(NULL, &one, &position, MPI_INT, p, &one, &position, MPI_INT, self),
          MPI_ERR_BUFFER);
    CLASS(MPI_Alltoallv(p, &one, &position, MPI_INT, NULL, &one, &position, MPI_INT, self),
          MPI_ERR_BUFFER);
    CLASS(MPI_Alltoallw(p, &one, &position, &type, NULL, &one, &position, &type, self),
          MPI_ERR_BUFFER);
    OK(MPI_Gatherv(NULL, 0, MPI_INT, NULL, &none, &position, MPI_INT, 0, self));
    OK(MPI_Alltoallv(NULL, &none, &far, MPI_INT, NULL, &none, &position, MPI_INT, self));
}

static void neighbours(void)
{
    int *p = data, twice[] = { 1, 1 }, places[] = { 0, 0 };
    const MPI_Aint addresses[] = { 0, 0 };
    const MPI_Datatype types[] = { MPI_INT, MPI_INT };
    MPI_Comm ring;
    OK(MPI_Cart_create(self, 1, &one, &one, 0, &ring));
    CLASS(MPI_Neighbor_allgatherv(p, 1, MPI_INT, NULL, twice, places, MPI_INT, ring),
          MPI_ERR_BUFFER);
    CLASS(MPI_Neighbor_alltoallv(NULL, twice, places, MPI_INT, p, twice, places, MPI_INT, ring),
          MPI_ERR_BUFFER);
    CLASS(MPI_Neighbor_alltoallw(p, twice, addresses, types, NULL, twice, addresses, types, ring),
          MPI_ERR_BUFFER);
    OK(MPI_Comm_free(&ring));
}

static void packing(void)
{
    MPI_Aint place = 0, size;
    CLASS(MPI_Pack(data, 1, MPI_INT, NULL, 4, &position, self), MPI_ERR_BUFFER);
    CLASS(MPI_Pack(data, 1, MPI_INT, data + 1, 4, NULL, self), MPI_ERR_ARG);
    CLASS(MPI_Unpack(data, 4, NULL, data + 1, 1, MPI_INT, self), MPI_ERR_ARG);
    CLASS(MPI_Pack_size(1, MPI_INT, self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Pack_external("external32", data, 1, MPI_INT, data + 1, 4, NULL), MPI_ERR_ARG);
    CLASS(MPI_Pack_external("external32", data, -1, MPI_INT, data + 1, 4, &place),
          MPI_ERR_COUNT);
    CLASS(MPI_Pack_external(NULL, data, 1, MPI_INT, data + 1, 4, &place),
          MPI_ERR_UNSUPPORTED_DATAREP);
    CLASS(MPI_Unpack_external("external32", data, 4, NULL, data + 1, 1, MPI_INT), MPI_ERR_ARG);
    CLASS(MPI_Unpack_external("external32", data, 3, &place, data + 1, 1, MPI_INT),
          MPI_ERR_TRUNCATE);
    CLASS(MPI_Pack_external_size("external32", 1, MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Pack_external_size("external32", -1, MPI_INT, &size), MPI_ERR_COUNT);
    SAME(place, 0);
}

static void communicators(void)
{
    MPI_Errhandler handler, of_windows;
    MPI_Group group;
    MPI_Comm made = MPI_COMM_NULL;
    CLASS(MPI_Comm_rank(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_size(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_dup(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_split(self, 0, 0, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_group(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_compare(self, self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_test_inter(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_get_errhandler(self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_create_errhandler(NULL, &handler), MPI_ERR_ARG);
    CLASS(MPI_Comm_remote_size(self, &length), MPI_ERR_COMM);
    CLASS(MPI_Intercomm_merge(self, 0, &made), MPI_ERR_COMM);
    CLASS(MPI_Group_size(MPI_GROUP_EMPTY, NULL), MPI_ERR_ARG);
    CLASS(MPI_Group_free(NULL), MPI_ERR_ARG);
    OK(MPI_Comm_group(self, &group));
    OK(MPI_Win_create_errhandler((MPI_Win_errhandler_function *)abort, &of_windows));
    CLASS(MPI_Comm_create_from_group(group, "null", MPI_INFO_NULL, of_windows, &made),
          MPI_ERR_ERRHANDLER);
    CLASS(MPI_Comm_set_errhandler(self, of_windows), MPI_ERR_ERRHANDLER);
    OK(MPI_Errhandler_free(&of_windows));
    OK(MPI_Group_free(&group));
    CHECK(made == MPI_COMM_NULL);
}

static void windows(void)
{
    MPI_Errhandler of_comms;
    MPI_Win win, dynamic;
    MPI_Info bad = (MPI_Info)(uintptr_t)0x7654321;
    MPI_Aint size;
    void *base;
    int key, unit;
    OK(MPI_Win_create(data, sizeof data, 4, MPI_INFO_NULL, self, &win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, self, &dynamic));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    CLASS(MPI_Win_get_name(win, NULL, &length), MPI_ERR_ARG);
    CLASS(MPI_Win_set_name(win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Win_get_group(win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Win_get_errhandler(win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Win_get_info(win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Win_set_info(win, bad), MPI_ERR_INFO);
    CLASS(MPI_Win_get_attr(win, MPI_WIN_BASE, NULL, &flag), MPI_ERR_ARG);
    CLASS(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, NULL), MPI_ERR_ARG);
    CLASS(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, NULL, NULL),
          MPI_ERR_ARG);
    CLASS(MPI_Win_free_keyval(NULL), MPI_ERR_ARG);
    key = MPI_KEYVAL_INVALID;
    CLASS(MPI_Win_free_keyval(&key), MPI_ERR_KEYVAL);
    CLASS(MPI_Win_free(NULL), MPI_ERR_ARG);
    CLASS(MPI_Win_shared_query(dynamic, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
    CLASS(MPI_Win_attach(dynamic, data, -1), MPI_ERR_SIZE);
    CLASS(MPI_Win_attach(dynamic, NULL, 4), MPI_ERR_BASE);
    CLASS(MPI_Win_detach(dynamic, data), MPI_ERR_BASE);
    OK(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)abort, &of_comms));
    CLASS(MPI_Win_set_errhandler(win, of_comms), MPI_ERR_ERRHANDLER);
    OK(MPI_Errhandler_free(&of_comms));
    OK(MPI_Win_lock_all(0, win));
    CLASS(MPI_Raccumulate(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Rget_accumulate(data, 1, MPI_INT, data + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM,
                              win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Rget(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win, NULL), MPI_ERR_ARG);
    CLASS(MPI_Get_accumulate(data, 1, MPI_INT, NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win),
          MPI_ERR_BUFFER);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    CLASS(MPI_Win_test(win, NULL), MPI_ERR_ARG);
    OK(MPI_Win_test(win, &flag));
    SAME(flag, 1);
    OK(MPI_Win_free(&dynamic));
    OK(MPI_Win_free(&win));
}

static void environment(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int major = -1, minor = -1;
    CLASS(MPI_Get_version(NULL, &minor), MPI_ERR_ARG);
    CLASS(MPI_Get_version(&major, NULL), MPI_ERR_ARG);
    CLASS(MPI_Abi_get_version(NULL, &minor), MPI_ERR_ARG);
    CLASS(MPI_Abi_get_version(&major, NULL), MPI_ERR_ARG);
    CHECK(major == -1 && minor == -1);
    OK(MPI_Get_version(&major, &minor));
    CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION);
    OK(MPI_Abi_get_version(&major, &minor));
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    CLASS(MPI_Get_library_version(NULL, &length), MPI_ERR_ARG);
    CLASS(MPI_Get_library_version(text, NULL), MPI_ERR_ARG);
    CLASS(MPI_Get_processor_name(text, NULL), MPI_ERR_ARG);
    CLASS(MPI_Initialized(NULL), MPI_ERR_ARG);
    CLASS(MPI_Finalized(NULL), MPI_ERR_ARG);
    CLASS(MPI_Query_thread(NULL), MPI_ERR_ARG);
    CLASS(MPI_Is_thread_main(NULL), MPI_ERR_ARG);
    OK(MPI_Pcontrol(1));
}

int main(int argc, char **argv)
{
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, NULL));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    t_errors_return();
    requests();
    completions();
    collectives();
    vectors();
    neighbours();
    packing();
    communicators();
    windows();
    environment();
    SAME(position, 0);
    return t_end();
}
