/* Sessions: their life, and what a program asks about them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buffered.h"
#include "core/err.h"
#include "core/group.h"
#include "core/info.h"
#include "core/thread_level.h"
#include "core/comm.h"
#include "core/world.h"
#include "mpi/errhandler.h"
#include "mpi/init.h"
#include "mpi/session.h"
#include "mpi/weak_alias.h"

#define LEVEL_KEY "thread_level"
#define KINDS_KEY "mpi_memory_alloc_kinds"

/* -- beginning and end */

/* The level of threads that the info object asks for. */
static int level_of(MPI_Info info)
{
    static const int levels[] = { MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
    char value[32];
    if (info == MPI_INFO_NULL || !mpi_info_find(info, LEVEL_KEY, value, sizeof value))
        return MPI_THREAD_SINGLE;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(value, mpi_thread_name_of(levels[i])))
            return levels[i];
    return MPI_THREAD_SINGLE;
}

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    const char *call = "MPI_Session_init";
    if (!mpi_errhandler_valid(errhandler, MPI_ERRHANDLER_OF_SESSIONS))
        return mpi_err(NULL, call, MPI_ERR_ERRHANDLER, "%p is no error handler of a session",
                       (void *)errhandler);
    if (!session)
        return mpi_err_by(errhandler, call, MPI_ERR_ARG, "the address for the session is NULL");
    *session = MPI_SESSION_NULL;
    if (!mpi_info_valid(info))
        return mpi_err_by(errhandler, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    if (!mpi_library_enter(call, level_of(info)))
        return mpi_err_by(errhandler, call, MPI_ERR_SESSION,
                          "MPI_Finalize has closed the library: begin a session before it");
    struct mpi_session *s = mpi_session_new(errhandler);
    if (!s) {
        mpi_library_leave();
        return mpi_err_by(errhandler, call, MPI_ERR_NO_MEM, "no memory for a session");
    }
    *session = s->handle;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Session_init);

int mpi_check_session(const char *call, MPI_Session h, struct mpi_session **s)
{
    *s = mpi_session_get(h);
    if (*s)
        return MPI_SUCCESS;
    if (h == MPI_SESSION_NULL)
        return mpi_err(NULL, call, MPI_ERR_SESSION, "the session is MPI_SESSION_NULL");
    return mpi_err(NULL, call, MPI_ERR_SESSION, "%p is no session (finalized?)", (void *)h);
}

int PMPI_Session_finalize(MPI_Session *session)
{
    const char *call = "MPI_Session_finalize";
    struct mpi_session *s;
    unsigned comms;
    MPI_ENTER(call);
    if (!session)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the session is NULL");
    int rc = mpi_check_session(call, *session, &s);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    mpi_buffer_flush(s->buffer, "MPI_Session_finalize: buffered send");
    nic_leave(mpi_nic);
    if (!mpi_session_end(s, &comms))
        return mpi_err_on_session(s, call, MPI_ERR_SESSION,
                                  "%u communicator%s made from the session %s not freed", comms,
                                  comms == 1 ? "" : "s", comms == 1 ? "is" : "are");
    *session = MPI_SESSION_NULL;
    mpi_library_leave();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Session_finalize);

/* -- questions */

/* result: an address that the answer goes to. */
static int enter(const char *call, MPI_Session session, const void *result, struct mpi_session **s)
{
    MPI_ENTER(call);
    int rc = mpi_check_session(call, session, s);
    if (!rc && !result)
        rc = mpi_err_on_session(*s, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc;
}

/* An info object of one or two keys. */
static int give_info(struct mpi_session *s, const char *call, MPI_Info *info, const char *key,
                     const char *value, const char *key2, const char *value2)
{
    *info = mpi_info_new();
    if (*info != MPI_INFO_NULL && mpi_info_set(*info, key, value)
        && mpi_info_set(*info, key2, value2))
        return MPI_SUCCESS;
    return mpi_err_on_session(s, call, MPI_ERR_NO_MEM, "no memory for an info object");
}

int PMPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
    const char *call = "MPI_Session_get_info";
    struct mpi_session *s;
    int rc = enter(call, session, info_used, &s);
    return rc ? rc : give_info(s, call, info_used, LEVEL_KEY, mpi_thread_level_name(), KINDS_KEY,
                               "system,mpi");
}
MPI_WEAK_ALIAS(Session_get_info);

int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
    const char *call = "MPI_Session_get_num_psets";
    struct mpi_session *s;
    int rc = enter(call, session, npset_names, &s);
    if (!rc && !mpi_info_valid(info))
        rc = mpi_err_on_session(s, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    if (!rc)
        *npset_names = MPI_PSETS;
    return rc;
}
MPI_WEAK_ALIAS(Session_get_num_psets);

int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
                              char *pset_name)
{
    const char *call = "MPI_Session_get_nth_pset", *name = mpi_pset_name(n);
    struct mpi_session *s;
    int rc = enter(call, session, pset_len, &s);
    if (!rc && !mpi_info_valid(info))
        rc = mpi_err_on_session(s, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    if (!rc && !name)
        rc = mpi_err_on_session(s, call, MPI_ERR_ARG, "set %d is not in 0..%d", n, MPI_PSETS - 1);
    if (!rc && *pset_len > 0 && !pset_name)
        rc = mpi_err_on_session(s, call, MPI_ERR_ARG, "the address for the name is NULL");
    if (rc)
        return rc;
    if (*pset_len > 0)
        snprintf(pset_name, (size_t)*pset_len, "%s", name);
    *pset_len = (int)strlen(name) + 1;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Session_get_nth_pset);

/* The session and the set; MPI_SUCCESS, or an error that was raised. */
static int find_pset(const char *call, MPI_Session session, const char *name, const void *result,
                     struct mpi_session **s, enum mpi_pset *set)
{
    int rc = enter(call, session, result, s);
    if (!rc && !name)
        rc = mpi_err_on_session(*s, call, MPI_ERR_ARG, "the name is NULL");
    if (!rc && (*set = mpi_pset_by_name(name)) == MPI_PSETS)
        rc = mpi_err_on_session(*s, call, MPI_ERR_ARG, "there is no set of processes '%s'", name);
    return rc;
}

int PMPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
    const char *call = "MPI_Session_get_pset_info";
    struct mpi_session *s;
    enum mpi_pset set;
    char size[16];
    int rc = find_pset(call, session, pset_name, info, &s, &set);
    if (rc)
        return rc;
    snprintf(size, sizeof size, "%d", set == MPI_PSET_SELF ? 1 : mpi_comm_world.size);
    return give_info(s, call, info, "mpi_size", size, KINDS_KEY, "system,mpi");
}
MPI_WEAK_ALIAS(Session_get_pset_info);

int PMPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
    const char *call = "MPI_Group_from_session_pset";
    struct mpi_session *s;
    enum mpi_pset set;
    if (newgroup)
        *newgroup = MPI_GROUP_NULL;     /* what a name that there is not gives */
    int rc = find_pset(call, session, pset_name, newgroup, &s, &set);
    if (rc)
        return rc;
    bool self = set == MPI_PSET_SELF;
    const struct mpi_comm *c = self ? &mpi_comm_self : &mpi_comm_world;
    if (mpi_group_new_in(s->serial, c->size, c->world, newgroup))
        return mpi_err_on_session(s, call, MPI_ERR_NO_MEM, "no memory for a group");
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Group_from_session_pset);

/* -- error handlers */

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn,
                                   MPI_Errhandler *errhandler)
{
    return mpi_create_errhandler("MPI_Session_create_errhandler", MPI_ERRHANDLER_OF_SESSIONS,
                                 (union mpi_errhandler_fn){ .session = session_errhandler_fn },
                                 errhandler);
}
MPI_WEAK_ALIAS(Session_create_errhandler);

int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
    const char *call = "MPI_Session_set_errhandler";
    struct mpi_session *s;
    MPI_ENTER(call);
    int rc = mpi_check_session(call, session, &s);
    if (!rc && !mpi_errhandler_set(&s->errhandler, errhandler, MPI_ERRHANDLER_OF_SESSIONS))
        rc = mpi_err_on_session(s, call, MPI_ERR_ERRHANDLER,
                                "%p is no error handler of a session", (void *)errhandler);
    return rc;
}
MPI_WEAK_ALIAS(Session_set_errhandler);

int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
    struct mpi_session *s;
    int rc = enter("MPI_Session_get_errhandler", session, errhandler, &s);
    if (!rc)
        *errhandler = mpi_errhandler_get(&s->errhandler);
    return rc;
}
MPI_WEAK_ALIAS(Session_get_errhandler);

int PMPI_Session_call_errhandler(MPI_Session session, int errorcode)
{
    const char *call = "MPI_Session_call_errhandler";
    struct mpi_session *s;
    MPI_ENTER(call);
    int rc = mpi_check_session(call, session, &s);
    if (rc)
        return rc;
    mpi_err_on_session(s, call, errorcode, "the program raised error code %d", errorcode);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Session_call_errhandler);
