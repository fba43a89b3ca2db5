/* Sends and receives. */
#include <stdlib.h>

#include "base/findings.h"
#include "check/loops.h"
#include "check/messages.h"
#include "check/objects.h"
#include "check/requests.h"
#include "check/by_hand.h"
#include "check/caller.h"
#include "mpi/door.h"

/* -- blocking sends.  Synchronous on request: an exchange that needs buffers then stands still, and
 * is reported as such. */

static int synchronous(void)
{
    static int wanted = -1;

    if (wanted < 0)
        wanted = findings_wants(getenv(CHECK_ENV), CHECK_SYNC);
    return wanted;
}

#define SEND(name, standard, count_t, ready) \
    int check_##name(const void *buf, count_t count, MPI_Datatype type, int dest, int tag, \
                   MPI_Comm comm) \
    { \
        int rc = standard(buf, count, type, dest, tag, comm); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_log_sent(comm, dest, tag, type, count, ready); \
        return rc; \
    }
SEND(Send, (synchronous() ? PMPI_Ssend : PMPI_Send), int, false)
SEND(Send_c, (synchronous() ? PMPI_Ssend_c : PMPI_Send_c), MPI_Count, false)
SEND(Ssend, PMPI_Ssend, int, false)
SEND(Ssend_c, PMPI_Ssend_c, MPI_Count, false)
SEND(Rsend, PMPI_Rsend, int, true)
SEND(Rsend_c, PMPI_Rsend_c, MPI_Count, true)
SEND(Bsend, PMPI_Bsend, int, false)
SEND(Bsend_c, PMPI_Bsend_c, MPI_Count, false)

/* -- blocking receives */

#define RECV(name, count_t) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, int source, int tag, \
                     MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        struct check_operation o = { "MPI_Recv", check_caller(), false, false, buf, count, type, \
                                     source, tag, comm, false, \
                                     check_log_is_late(comm, source, tag) }; \
        check_request_begin(&o); \
        struct check_posted posted = check_log_posted(comm, source, type, o.call, o.caller, \
                                                      o.late); \
        int rc = PMPI_##name(buf, count, type, source, tag, comm, s); \
        check_log_done(&posted, s, rc); \
        return rc; \
    }
RECV(Recv, int)
RECV(Recv_c, MPI_Count)

#define SENDRECV(name, count_t) \
    int check_##name(const void *out, count_t outs, MPI_Datatype out_type, int dest, int out_tag, \
                   void *in, count_t ins, MPI_Datatype in_type, int source, int in_tag, \
                     MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        struct check_operation o = { "MPI_Sendrecv", check_caller(), false, false, in, ins, \
                                     in_type, source, in_tag, comm, false, \
                                     check_log_is_late(comm, source, in_tag) }; \
        check_request_begin(&o); \
        check_request_exchange(&o, &(struct check_operation){ o.call, o.caller, true, false, out, \
                                                              outs, out_type, dest, out_tag, \
                                                              comm, false, false }); \
        struct check_posted posted = check_log_posted(comm, source, in_type, o.call, o.caller, \
                                                      o.late); \
        int rc = PMPI_##name(out, outs, out_type, dest, out_tag, in, ins, in_type, source, \
                             in_tag, comm, s); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_log_sent(comm, dest, out_tag, out_type, outs, false); \
        check_log_done(&posted, s, rc); \
        return rc; \
    }
SENDRECV(Sendrecv, int)
SENDRECV(Sendrecv_c, MPI_Count)

#define REPLACE(name, count_t) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, int dest, int out_tag, \
                   int source, int in_tag, MPI_Comm comm, MPI_Status *status) \
    { \
        MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status; \
        struct check_operation o = { "MPI_Sendrecv_replace", check_caller(), false, false, buf, \
                                     count, type, source, in_tag, comm, false, \
                                     check_log_is_late(comm, source, in_tag) }; \
        check_request_begin(&o); \
        struct check_posted posted = check_log_posted(comm, source, type, o.call, o.caller, \
                                                      o.late); \
        int rc = PMPI_##name(buf, count, type, dest, out_tag, source, in_tag, comm, s); \
        if (rc) \
            check_log_ends(comm); \
        else \
            check_log_sent(comm, dest, out_tag, type, count, false); \
        check_log_done(&posted, s, rc); \
        return rc; \
    }
REPLACE(Sendrecv_replace, int)
REPLACE(Sendrecv_replace_c, MPI_Count)

/* -- requests */

#define SEND_REQUEST(name, count_t, persistent, ready, text, function) \
    int check_##name(const void *buf, count_t count, MPI_Datatype type, int peer, int tag, \
                     MPI_Comm comm, MPI_Request *request) \
    { \
        struct check_operation o = { text, check_caller(), true, persistent, buf, count, type, \
                                     peer, tag, comm, ready, false }; \
        bool mixed = check_request_begin(&o); \
        int rc = function(buf, count, type, peer, tag, comm, request); \
        if (rc) { \
            check_log_ends(comm); \
        } else { \
            mpi_door.own_request(comm, request); \
            check_request_made(&o, *request, NULL, mixed); \
        } \
        return rc; \
    }
#define BOTH(name, persistent, ready) \
    SEND_REQUEST(name, int, persistent, ready, "MPI_" #name, PMPI_##name) \
    SEND_REQUEST(name##_c, MPI_Count, persistent, ready, "MPI_" #name, PMPI_##name##_c)

SEND_REQUEST(Isend, int, false, false, "MPI_Isend", (synchronous() ? PMPI_Issend : PMPI_Isend))
SEND_REQUEST(Isend_c, MPI_Count, false, false, "MPI_Isend",
             (synchronous() ? PMPI_Issend_c : PMPI_Isend_c))
BOTH(Issend, false, false)
BOTH(Irsend, false, true)
BOTH(Ibsend, false, false)
BOTH(Send_init, true, false)
BOTH(Ssend_init, true, false)
BOTH(Rsend_init, true, true)
BOTH(Bsend_init, true, false)

#define RECV_REQUEST(name, count_t, persistent, text, function) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, int peer, int tag, \
                     MPI_Comm comm, MPI_Request *request) \
    { \
        struct check_operation o = { text, check_caller(), false, persistent, buf, count, type, \
                                     peer, tag, comm, false, \
                                     !persistent && check_log_is_late(comm, peer, tag) }; \
        bool mixed = check_request_begin(&o); \
        void *shadow = check_request_shadow(&o); \
        int rc = function(check_request_buffer(&o, shadow), count, type, peer, tag, comm, \
                          request); \
        if (rc) { \
            check_log_ends(comm); \
            free(shadow); \
        } else { \
            check_request_made(&o, *request, shadow, mixed); \
        } \
        return rc; \
    }
RECV_REQUEST(Irecv, int, false, "MPI_Irecv", PMPI_Irecv)
RECV_REQUEST(Irecv_c, MPI_Count, false, "MPI_Irecv", PMPI_Irecv_c)
RECV_REQUEST(Recv_init, int, true, "MPI_Recv_init", PMPI_Recv_init)
RECV_REQUEST(Recv_init_c, MPI_Count, true, "MPI_Recv_init", PMPI_Recv_init_c)

/* The send is over before the receive is, as far as the program can tell; its buffer is looked at
 * only when the call begins. */
#define ISENDRECV(name, count_t) \
    int check_##name(const void *out, count_t outs, MPI_Datatype out_type, int dest, int out_tag, \
                     void *in, count_t ins, MPI_Datatype in_type, int source, int in_tag, \
                     MPI_Comm comm, MPI_Request *request) \
    { \
        struct check_operation o = { "MPI_Isendrecv", check_caller(), false, false, in, ins, \
                                     in_type, source, in_tag, comm, false, \
                                     check_log_is_late(comm, source, in_tag) }; \
        bool mixed = check_request_begin(&o); \
        check_request_exchange(&o, &(struct check_operation){ o.call, o.caller, true, false, out, \
                                                              outs, out_type, dest, out_tag, \
                                                              comm, false, false }); \
        void *shadow = check_request_shadow(&o); \
        int rc = PMPI_##name(out, outs, out_type, dest, out_tag, \
                             check_request_buffer(&o, shadow), ins, in_type, source, in_tag, \
                             comm, request); \
        if (rc) { \
            check_log_ends(comm); \
            free(shadow); \
        } else { \
            check_log_sent(comm, dest, out_tag, out_type, outs, false); \
            check_request_made(&o, *request, shadow, mixed); \
        } \
        return rc; \
    }
ISENDRECV(Isendrecv, int)
ISENDRECV(Isendrecv_c, MPI_Count)

/* What is sent is in the buffer of the receive, which no other memory can take the place of. */
#define IREPLACE(name, count_t) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, int dest, int out_tag, \
                     int source, int in_tag, MPI_Comm comm, MPI_Request *request) \
    { \
        struct check_operation o = { "MPI_Isendrecv_replace", check_caller(), false, false, buf, \
                                     count, type, source, in_tag, comm, false, \
                                     check_log_is_late(comm, source, in_tag) }; \
        bool mixed = check_request_begin(&o); \
        int rc = PMPI_##name(buf, count, type, dest, out_tag, source, in_tag, comm, request); \
        if (rc) { \
            check_log_ends(comm); \
        } else { \
            check_log_sent(comm, dest, out_tag, type, count, false); \
            check_request_made(&o, *request, NULL, mixed); \
        } \
        return rc; \
    }
IREPLACE(Isendrecv_replace, int)
IREPLACE(Isendrecv_replace_c, MPI_Count)

/* -- messages that are taken out first: which receive they fit is not followed */

int check_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    check_log_ends(comm);
    return PMPI_Mprobe(source, tag, comm, message, status);
}

int check_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                  MPI_Status *status)
{
    check_log_ends(comm);
    int rc = PMPI_Improbe(source, tag, comm, flag, message, status);
    if (!rc && !*flag)
        check_loops_probe(source, tag, comm);
    return rc;
}

int check_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    int rc = PMPI_Iprobe(source, tag, comm, flag, status);
    if (!rc && !*flag)
        check_loops_probe(source, tag, comm);
    return rc;
}

#define IMRECV(name, count_t) \
    int check_##name(void *buf, count_t count, MPI_Datatype type, MPI_Message *message, \
                   MPI_Request *request) \
    { \
        int rc = PMPI_##name(buf, count, type, message, request); \
        if (!rc) \
            check_made(CHECK_REQUEST, (uintptr_t)*request, "MPI_Imrecv", check_caller()); \
        return rc; \
    }
IMRECV(Imrecv, int)
IMRECV(Imrecv_c, MPI_Count)
