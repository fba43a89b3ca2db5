/* Sessions of performance variables and their handles.  A handle of a variable that counts has a
 * value of its own: what was counted while it ran. */
#include "mpi/weak_alias.h"
#include "tool/object.h"
#include "tool/pvar_value.h"
#include "tool/tool.h"

struct session { struct mpi_tool_object object; };

struct pvar {
    struct mpi_tool_object object;
    const struct session *session;
    int index;
    bool counts, runs;
    uint64_t sum;       /* until it was last started */
    uint64_t since;     /* the variable's value then */
};

/* -- sessions */

int PMPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    TOOL_ENTER();
    if (!session)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    const struct session *s = mpi_tool_object_new(MPI_TOOL_PVAR_SESSION, sizeof *s);
    if (s)
        *session = (MPI_T_pvar_session)s->object.handle;
    mpi_tool_end();
    return s ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_SESSIONS;
}
MPI_WEAK_ALIAS(T_pvar_session_create);

static struct session *session_of(MPI_T_pvar_session session)
{
    return mpi_tool_object(MPI_TOOL_PVAR_SESSION, session);
}

/* The next one of the session behind `after`, NULL: of all. */
static struct pvar *next_of(const struct session *s, const struct pvar *after)
{
    struct pvar *p = mpi_tool_object_next(MPI_TOOL_PVAR, after ? &after->object : NULL);
    while (p && p->session != s)
        p = mpi_tool_object_next(MPI_TOOL_PVAR, &p->object);
    return p;
}

/* Its handles go with it. */
int PMPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    struct pvar *p;
    TOOL_ENTER();
    mpi_tool_begin();
    struct session *s = session ? session_of(*session) : NULL;
    while (s && (p = next_of(s, NULL)))
        mpi_tool_object_free(&p->object);
    if (s)
        mpi_tool_object_free(&s->object);
    mpi_tool_end();
    if (!s)
        return MPI_T_ERR_INVALID_SESSION;
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_pvar_session_free);

/* -- handles */

static int make(struct session *s, int index, MPI_T_pvar_handle *handle)
{
    struct mpi_tool_pvar info;
    struct pvar *p = mpi_tool_object_new(MPI_TOOL_PVAR, sizeof *p);
    if (!p)
        return MPI_T_ERR_OUT_OF_HANDLES;
    mpi_tool_pvar(index, &info);
    p->session = s;
    p->index = index;
    p->counts = info.counts;
    *handle = (MPI_T_pvar_handle)p->object.handle;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                             MPI_T_pvar_handle *handle, int *count)
{
    struct mpi_tool_pvar info;
    (void)obj_handle;       /* none is bound to an object */
    TOOL_ENTER();
    if (!mpi_tool_pvar(pvar_index, &info))
        return MPI_T_ERR_INVALID_INDEX;
    if (!handle || !count)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    struct session *s = session_of(session);
    int rc = s ? make(s, pvar_index, handle) : MPI_T_ERR_INVALID_SESSION;
    mpi_tool_end();
    if (!rc)
        *count = 1;
    return rc;
}
MPI_WEAK_ALIAS(T_pvar_handle_alloc);

/* The handle, if it is one of the session's. */
static int find(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct pvar **p)
{
    const struct session *s = session_of(session);
    *p = mpi_tool_object(MPI_TOOL_PVAR, handle);
    if (!s)
        return MPI_T_ERR_INVALID_SESSION;
    return *p && (*p)->session == s ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    struct pvar *p;
    TOOL_ENTER();
    if (!handle)
        return MPI_T_ERR_INVALID_HANDLE;
    mpi_tool_begin();
    int rc = find(session, *handle, &p);
    if (!rc)
        mpi_tool_object_free(&p->object);
    mpi_tool_end();
    if (!rc)
        *handle = MPI_T_PVAR_HANDLE_NULL;
    return rc;
}
MPI_WEAK_ALIAS(T_pvar_handle_free);

/* -- what is done with them, under the lock and the baton */

static uint64_t value_of(const struct pvar *p)
{
    if (!p->counts)
        return mpi_tool_value(p->index);
    return p->runs ? p->sum + mpi_tool_value(p->index) - p->since : p->sum;
}

static void set(struct pvar *p, uint64_t value)
{
    p->sum = value;
    p->since = p->runs ? mpi_tool_value(p->index) : 0;
}

typedef int act_fn(struct pvar *p, void *buf);

static int start(struct pvar *p, void *buf)
{
    (void)buf;
    if (!p->counts)
        return MPI_T_ERR_PVAR_NO_STARTSTOP;
    if (!p->runs)
        p->since = mpi_tool_value(p->index);
    p->runs = true;
    return MPI_SUCCESS;
}

static int stop(struct pvar *p, void *buf)
{
    (void)buf;
    if (!p->counts)
        return MPI_T_ERR_PVAR_NO_STARTSTOP;
    p->sum = value_of(p);
    p->runs = false;
    return MPI_SUCCESS;
}

static int give(struct pvar *p, void *buf)
{
    mpi_tool_value_give(p->index, value_of(p), buf);
    return MPI_SUCCESS;
}

static int take(struct pvar *p, void *buf)
{
    if (!p->counts)
        return MPI_T_ERR_PVAR_NO_WRITE;
    set(p, mpi_tool_value_take(p->index, buf));
    return MPI_SUCCESS;
}

static int reset(struct pvar *p, void *buf)
{
    (void)buf;
    if (!p->counts)
        return MPI_T_ERR_PVAR_NO_WRITE;
    set(p, 0);
    return MPI_SUCCESS;
}

/* Nothing is counted in between: the baton is held. */
static int give_and_reset(struct pvar *p, void *buf)
{
    if (!p->counts)
        return MPI_T_ERR_PVAR_NO_ATOMIC;
    give(p, buf);
    return reset(p, buf);
}

/* With one handle, or with all of the session that can do it. */
static int act(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf, act_fn *what)
{
    struct pvar *p = NULL;
    int rc = MPI_SUCCESS;
    mpi_tool_begin();
    const struct session *s = session_of(session);
    if (handle != MPI_T_PVAR_ALL_HANDLES) {
        rc = find(session, handle, &p);
        rc = rc ? rc : what(p, buf);
    } else if (!s) {
        rc = MPI_T_ERR_INVALID_SESSION;
    } else {
        while ((p = next_of(s, p)))
            what(p, buf);
    }
    mpi_tool_end();
    return rc;
}

int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    TOOL_ENTER();
    return act(session, handle, NULL, start);
}
MPI_WEAK_ALIAS(T_pvar_start);

int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    TOOL_ENTER();
    return act(session, handle, NULL, stop);
}
MPI_WEAK_ALIAS(T_pvar_stop);

int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    TOOL_ENTER();
    return act(session, handle, NULL, reset);
}
MPI_WEAK_ALIAS(T_pvar_reset);

/* Of these, one handle only. */
static int act_on_one(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf, act_fn *what)
{
    if (handle == MPI_T_PVAR_ALL_HANDLES)
        return MPI_T_ERR_INVALID_HANDLE;
    return buf ? act(session, handle, buf, what) : MPI_T_ERR_INVALID;
}

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    TOOL_ENTER();
    return act_on_one(session, handle, buf, give);
}
MPI_WEAK_ALIAS(T_pvar_read);

int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    TOOL_ENTER();
    return act_on_one(session, handle, (void *)buf, take);
}
MPI_WEAK_ALIAS(T_pvar_write);

int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    TOOL_ENTER();
    return act_on_one(session, handle, buf, give_and_reset);
}
MPI_WEAK_ALIAS(T_pvar_readreset);
