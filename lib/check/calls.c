/* Sends and receives. */
#include <stdlib.h>

#include "check/messages.h"
#include "check/objects.h"
#include "check/requests.h"
#include "check/caller.h"

/* -- blocking sends.  Synchronous on request: an exchange that needs buffers then stands still, and
 * is reported as such. */

static int synchronous(void)
{
    static int wanted = -1;

    if (wanted < 0) {
        const char *text = getenv("MPILITE_CHECK");
        wanted = text && text[0] == 's';
    }
    return wanted;
}

#define SEND(name, standard, count_t) \
    int MPI_##name(const void *buf, count_t count, MPI_Datatype type, int dest, int tag, \
                   MPI_Comm comm) \
    { \
        int rc = standard(buf, count, type, dest, tag, comm); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_log_sent(comm, dest, tag, type, count); \
        return rc; \
    }
SEND(Send, (synchronous() ? PMPI_Ssend : PMPI_Send), int)
SEND(Send_c, (synchronous() ? PMPI_Ssend_c : PMPI_Send_c), MPI_Count)
SEND(Ssend, PMPI_Ssend, int)
SEND(Ssend_c, PMPI_Ssend_c, MPI_Count)
SEND(Rsend, PMPI_Rsend, int)
SEND(Rsend_c, PMPI_Rsend_c, MPI_Count)
SEND(Bsend, PMPI_Bsend, int)
SEND(Bsend_c, PMPI_Bsend_c, MPI_Count)

/* -- blocking receives */

#define RECV(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int source, int tag, \
                   MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        struct check_operation o = { "MPI_Recv", CHECK_CALLER, false, false, buf, count, type, \
                                     source, tag, comm }; \
        check_request_begin(&o); \
        struct check_posted posted = check_log_posted(comm, source, type, o.call, o.caller); \
        int rc = PMPI_##name(buf, count, type, source, tag, comm, s); \
        check_log_done(&posted, s, rc); \
        return rc; \
    }
RECV(Recv, int)
RECV(Recv_c, MPI_Count)

#define SENDRECV(name, count_t) \
    int MPI_##name(const void *out, count_t outs, MPI_Datatype out_type, int dest, int out_tag, \
                   void *in, count_t ins, MPI_Datatype in_type, int source, int in_tag, \
                   MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        struct check_operation o = { "MPI_Sendrecv", CHECK_CALLER, false, false, in, ins, \
                                     in_type, source, in_tag, comm }; \
        check_request_begin(&o); \
        struct check_posted posted = check_log_posted(comm, source, in_type, o.call, o.caller); \
        int rc = PMPI_##name(out, outs, out_type, dest, out_tag, in, ins, in_type, source, \
                             in_tag, comm, s); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_log_sent(comm, dest, out_tag, out_type, outs); \
        check_log_done(&posted, s, rc); \
        return rc; \
    }
SENDRECV(Sendrecv, int)
SENDRECV(Sendrecv_c, MPI_Count)

#define REPLACE(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int dest, int out_tag, \
                   int source, int in_tag, MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        struct check_posted posted = check_log_posted(comm, source, type, \
                                                      "MPI_Sendrecv_replace", CHECK_CALLER); \
        int rc = PMPI_##name(buf, count, type, dest, out_tag, source, in_tag, comm, s); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_log_sent(comm, dest, out_tag, type, count); \
        check_log_done(&posted, s, rc); \
        return rc; \
    }
REPLACE(Sendrecv_replace, int)
REPLACE(Sendrecv_replace_c, MPI_Count)

/* -- requests */

#define REQUEST(name, buf_t, count_t, sends, persistent, text, function) \
    int MPI_##name(buf_t buf, count_t count, MPI_Datatype type, int peer, int tag, \
                   MPI_Comm comm, MPI_Request *request) \
    { \
        struct check_operation o = { text, CHECK_CALLER, sends, persistent, buf, count, type, \
                                     peer, tag, comm }; \
        check_request_begin(&o); \
        int rc = function(buf, count, type, peer, tag, comm, request); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_request_made(&o, *request); \
        return rc; \
    }
#define BOTH(name, buf_t, sends, persistent) \
    REQUEST(name, buf_t, int, sends, persistent, "MPI_" #name, PMPI_##name) \
    REQUEST(name##_c, buf_t, MPI_Count, sends, persistent, "MPI_" #name, PMPI_##name##_c)

REQUEST(Isend, const void *, int, true, false, "MPI_Isend",
        (synchronous() ? PMPI_Issend : PMPI_Isend))
REQUEST(Isend_c, const void *, MPI_Count, true, false, "MPI_Isend",
        (synchronous() ? PMPI_Issend_c : PMPI_Isend_c))
BOTH(Issend, const void *, true, false)
BOTH(Irsend, const void *, true, false)
BOTH(Ibsend, const void *, true, false)
BOTH(Irecv, void *, false, false)
BOTH(Send_init, const void *, true, true)
BOTH(Ssend_init, const void *, true, true)
BOTH(Rsend_init, const void *, true, true)
BOTH(Bsend_init, const void *, true, true)
BOTH(Recv_init, void *, false, true)

/* -- messages that are taken out first: which receive they fit is not followed */

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    check_log_ends(comm);
    return PMPI_Mprobe(source, tag, comm, message, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    check_log_ends(comm);
    return PMPI_Improbe(source, tag, comm, flag, message, status);
}

#define IMRECV(name, count_t) \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, MPI_Message *message, \
                   MPI_Request *request) \
    { \
        int rc = PMPI_##name(buf, count, type, message, request); \
        if (!rc) \
            check_made(CHECK_REQUEST, (uintptr_t)*request, "MPI_Imrecv", CHECK_CALLER); \
        return rc; \
    }
IMRECV(Imrecv, int)
IMRECV(Imrecv_c, MPI_Count)
