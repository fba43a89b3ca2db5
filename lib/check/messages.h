/* What a rank has sent and received on each communicator, in the order in which messages match. */
#ifndef CHECK_MESSAGES_H
#define CHECK_MESSAGES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/signature.h"

/* Travels to the receiver. */
struct check_sent { int dest, tag; struct signature what; };

/* In the order of posting, in which receives that fit the same messages get them.  source, tag: of
 * the message, when done.  once: of the call and what it expects, for reports. */
struct check_received {
    int source, tag;
    bool done;
    struct signature one;
    const char *call;
    const void *caller;
};

/* A collective, in which all ranks must say the same. */
struct check_collective { int call, has_type; uint64_t op; struct signature what; };

struct check_log {
    struct check_log *next;
    MPI_Comm comm;
    uint64_t serial;            /* handles are used again, these are not */
    struct check_sent *sent;
    struct check_received *received;
    struct check_collective *collective;
    size_t sents, receiveds, collectives;
    bool sends_end, receives_end;       /* from here on not all of it is known */
};

/* The log of a communicator, made when it is first asked for; NULL: it is not followed.  Logs are
 * compared by collectives on the communicator, which may wait for all ranks: so may MPI_Finalize,
 * but programs free communicators of their own in ways that would stand still then. */
struct check_log *check_log(MPI_Comm comm);
/* Takes it out; to be freed by check_log_free; NULL: there is none. */
struct check_log *check_log_take(MPI_Comm comm);
void check_log_free(struct check_log *log);

/* From now on nothing is known of the messages of the communicator. */
void check_log_ends(MPI_Comm comm);

/* One of its sends is cancelled: which of them have come is not known. */
void check_log_cancelled(MPI_Comm comm);

void check_log_sent(MPI_Comm comm, int dest, int tag, MPI_Datatype type, MPI_Count count);

/* A receive is posted; names it for check_log_done. */
struct check_posted { MPI_Comm comm; uint64_t serial; size_t index; };
struct check_posted check_log_posted(MPI_Comm comm, int source, MPI_Datatype type,
                                     const char *call, const void *caller);
/* It has ended, with this status and error. */
void check_log_done(const struct check_posted *posted, const MPI_Status *status, int error);

/* call: one of those that are compared, see collectives.c. */
void check_log_collective(MPI_Comm comm, int call, MPI_Op op, MPI_Datatype type, MPI_Count count);

/* Several threads may call at once: what depends on the order of calls is not checked. */
void check_log_several(void);
bool check_log_is_several(void);

#endif
