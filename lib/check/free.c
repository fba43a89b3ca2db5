/* The beginning and the end of MPI, and of objects. */
#include <stdlib.h>

#include "check/collectives.h"
#include "check/comms.h"
#include "check/compare.h"
#include "check/objects.h"
#include "check/report.h"
#include "check/threads.h"
#include "check/by_hand.h"
#include "check/caller.h"
#include "mpi/door.h"

static void begin(const char *init)
{
    int level = MPI_THREAD_SINGLE;

    check_report_here();
    mpi_door.check();
    mpi_door.on_leaving(check_threads_go);
    PMPI_Query_thread(&level);
    check_level(level, init);
    check_log(MPI_COMM_WORLD);
    check_log(MPI_COMM_SELF);
}

int check_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);

    begin("MPI_Init");
    return rc;
}

int check_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);

    begin("MPI_Init_thread");
    return rc;
}

/* What sessions have made may be freed when the process exits. */
static bool sessions;

int check_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    int rc = PMPI_Session_init(info, handler, session);

    sessions = true;
    if (mpi_door.nic()) {
        check_report_here();
        mpi_door.check();
    }
    return rc;
}

int check_Finalize(void)
{
    int there = 0, gone = 0;

    PMPI_Initialized(&there);
    PMPI_Finalized(&gone);
    if (check_log_is_several())
        check_log_forget();
    if (there && !gone) {
        if (mpi_door.meet()) {
            check_messages_compare("MPI_Finalize (--check)");
            check_collectives_compare("MPI_Finalize (--check)");
        }
        if (!sessions)
            check_left();
    }
    int rc = PMPI_Finalize();
    check_log_free_all();
    return rc;
}

#define FREE_COMM(name) \
    int check_##name(MPI_Comm *comm) \
    { \
        MPI_Comm before = comm ? *comm : MPI_COMM_NULL; \
        check_comm_frees(before); \
        int rc = PMPI_##name(comm); \
        if (rc) \
            return rc; \
        check_comm_freed(before); \
        check_freed(CHECK_COMM, (uintptr_t)before); \
        return MPI_SUCCESS; \
    }
FREE_COMM(Comm_free)
FREE_COMM(Comm_disconnect)

#define FREE(name, type, kind) \
    int check_##name(type *object) \
    { \
        uintptr_t before = object ? (uintptr_t)*object : 0; \
        int rc = PMPI_##name(object); \
        if (!rc) \
            check_freed(kind, before); \
        return rc; \
    }
FREE(Type_free, MPI_Datatype, CHECK_TYPE)
FREE(Group_free, MPI_Group, CHECK_GROUP)
FREE(Op_free, MPI_Op, CHECK_OP)
