/* Attaching the buffers of buffered sends, detaching them, and waiting for what they have. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/buffered.h"
#include "core/err.h"
#include "core/session.h"
#include "mpi/args.h"
#include "mpi/session.h"
#include "mpi/weak_alias.h"

/* Where a call finds its buffer: the process's (both NULL), a communicator's, a session's. */
struct place {
    const char *call;
    struct mpi_comm *c;
    struct mpi_session *s;
    struct mpi_buffer **at;
};

__attribute__((format(printf, 3, 4)))
static int raise_at(const struct place *p, int class, const char *why, ...)
{
    char text[160];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    return p->s ? mpi_err_on_session(p->s, p->call, class, "%s", text)
                : mpi_err(p->c, p->call, class, "%s", text);
}

static int of_process(struct place *p, const char *call)
{
    MPI_ENTER(call);
    *p = (struct place){ .call = call, .at = &mpi_process_buffer };
    return MPI_SUCCESS;
}

static int of_comm(struct place *p, const char *call, MPI_Comm comm)
{
    MPI_ENTER(call);
    *p = (struct place){ .call = call };
    int rc = mpi_check_comm(call, comm, &p->c);
    if (!rc)
        p->at = &p->c->buffer;
    return rc;
}

static int of_session(struct place *p, const char *call, MPI_Session session)
{
    MPI_ENTER(call);
    *p = (struct place){ .call = call };
    int rc = mpi_check_session(call, session, &p->s);
    if (!rc)
        p->at = &p->s->buffer;
    return rc;
}

/* rc: what finding the place came to. */
static int attach(int rc, const struct place *p, void *buffer, MPI_Count size)
{
    bool automatic = buffer == MPI_BUFFER_AUTOMATIC;
    size_t attached;
    if (rc)
        return rc;
    if (!automatic && (size < 0 || (!buffer && size)))
        return raise_at(p, MPI_ERR_BUFFER, "buffer %p of %lld bytes", buffer,
                       (long long)size);
    rc = mpi_buffer_attach(p->at, buffer, automatic ? 0 : (size_t)size, &attached);
    if (rc == MPI_ERR_BUFFER)
        return raise_at(p, rc, "a buffer of %zu bytes is attached already", attached);
    return rc ? raise_at(p, rc, "no memory for the buffer") : MPI_SUCCESS;
}

static int detach(int rc, const struct place *p, const char *reason, void *buffer_addr,
                  const void *place, size_t *bytes)
{
    if (rc)
        return rc;
    if (!buffer_addr || !place)
        return raise_at(p, MPI_ERR_ARG,
                       "an address for the buffer or its size is NULL");
    *(void **)buffer_addr = mpi_buffer_detach(p->at, reason, bytes);
    return MPI_SUCCESS;
}

static int flush(int rc, const struct place *p, const char *reason)
{
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    mpi_buffer_flush(*p->at, reason);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}

static int iflush(int rc, const struct place *p, MPI_Request *request)
{
    if (rc)
        return rc;
    if (!request)
        return raise_at(p, MPI_ERR_REQUEST, "the address for the request is NULL");
    if (!mpi_buffer_iflush(p->at, p->c ? p->c : &mpi_comm_self, request))
        return raise_at(p, MPI_ERR_NO_MEM, "no memory for a request");
    return MPI_SUCCESS;
}

static int as_int(size_t n) { return n > INT_MAX ? MPI_UNDEFINED : (int)n; }
static MPI_Count as_count(size_t n) { return (MPI_Count)n; }

/* attach and detach of a place, by a type of size; FIRST: the parameters in front, or none. */
#define ATTACH(name, COUNT, found, ...) \
    int PMPI_##name(__VA_ARGS__ void *buffer, COUNT size) \
    { \
        struct place p = { .call = "MPI_" #name }; \
        return attach(found, &p, buffer, size); \
    } \
    MPI_WEAK_ALIAS(name)

#define DETACH(name, COUNT, fit, found, ...) \
    int PMPI_##name(__VA_ARGS__ void *buffer_addr, COUNT *size) \
    { \
        struct place p = { .call = "MPI_" #name }; \
        size_t bytes; \
        int rc = detach(found, &p, "MPI_" #name ": buffered send", buffer_addr, size, &bytes); \
        if (!rc) \
            *size = fit(bytes); \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

#define COMMA ,
#define COMM MPI_Comm comm COMMA
#define SESSION MPI_Session session COMMA

ATTACH(Buffer_attach, int, of_process(&p, p.call), );
ATTACH(Buffer_attach_c, MPI_Count, of_process(&p, p.call), );
ATTACH(Comm_attach_buffer, int, of_comm(&p, p.call, comm), COMM);
ATTACH(Comm_attach_buffer_c, MPI_Count, of_comm(&p, p.call, comm), COMM);
ATTACH(Session_attach_buffer, int, of_session(&p, p.call, session), SESSION);
ATTACH(Session_attach_buffer_c, MPI_Count, of_session(&p, p.call, session), SESSION);
DETACH(Buffer_detach, int, as_int, of_process(&p, p.call), );
DETACH(Buffer_detach_c, MPI_Count, as_count, of_process(&p, p.call), );
DETACH(Comm_detach_buffer, int, as_int, of_comm(&p, p.call, comm), COMM);
DETACH(Comm_detach_buffer_c, MPI_Count, as_count, of_comm(&p, p.call, comm), COMM);
DETACH(Session_detach_buffer, int, as_int, of_session(&p, p.call, session), SESSION);
DETACH(Session_detach_buffer_c, MPI_Count, as_count, of_session(&p, p.call, session), SESSION);

int PMPI_Buffer_flush(void)
{
    struct place p;
    return flush(of_process(&p, "MPI_Buffer_flush"), &p, "MPI_Buffer_flush: buffered send");
}
MPI_WEAK_ALIAS(Buffer_flush);

int PMPI_Buffer_iflush(MPI_Request *request)
{
    struct place p;
    return iflush(of_process(&p, "MPI_Buffer_iflush"), &p, request);
}
MPI_WEAK_ALIAS(Buffer_iflush);

int PMPI_Comm_flush_buffer(MPI_Comm comm)
{
    struct place p;
    return flush(of_comm(&p, "MPI_Comm_flush_buffer", comm), &p,
                 "MPI_Comm_flush_buffer: buffered send");
}
MPI_WEAK_ALIAS(Comm_flush_buffer);

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
    struct place p;
    return iflush(of_comm(&p, "MPI_Comm_iflush_buffer", comm), &p, request);
}
MPI_WEAK_ALIAS(Comm_iflush_buffer);

int PMPI_Session_flush_buffer(MPI_Session session)
{
    struct place p;
    return flush(of_session(&p, "MPI_Session_flush_buffer", session), &p,
                 "MPI_Session_flush_buffer: buffered send");
}
MPI_WEAK_ALIAS(Session_flush_buffer);

int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
    struct place p;
    return iflush(of_session(&p, "MPI_Session_iflush_buffer", session), &p, request);
}
MPI_WEAK_ALIAS(Session_iflush_buffer);
