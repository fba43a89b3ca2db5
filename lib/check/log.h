/* What a rank has done on each communicator, in the order in which messages match. */
#ifndef CHECK_LOG_H
#define CHECK_LOG_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/signature.h"

/* How many messages, and calls of collectives, of a rank are followed. */
enum { CHECK_MESSAGES = 1 << 18, CHECK_COLLECTIVES = 1 << 14 };

/* Travels to the receiver.  comm: the number that its ranks have agreed on; peer: rank in
 * MPI_COMM_WORLD, where it goes; ready: its receive must have
 * been posted before. */
struct check_sent { uint64_t comm; int peer, tag; struct signature what; bool ready; };

/* In the order of posting, in which receives that fit the same messages get them.  source, tag: of
 * the message, when done.  late: the message was there when it was posted.  one: of the call and
 * what it expects, for reports. */
struct check_received {
    int source, tag;
    bool done, late;
    struct signature one;
    const char *call;
    const void *caller;
};

/* A collective, in which all ranks must say the same, so many times in a row.  Travels from the
 * communicator's rank 0 to the others. */
struct check_collective {
    uint64_t comm;
    int peer, call, root;
    unsigned times;
    uint64_t op;
    struct signature what;
    const void *caller;         /* of no use elsewhere */
};

struct check_log {
    struct check_log *next, *later;     /* with the same place for its handle; made after it */
    struct check_log *next_numbered;    /* with the same place for its number */
    MPI_Comm comm;              /* MPI_COMM_NULL: it is freed */
    uint64_t number;
    int peers;                  /* who can be named in a call */
    int *world;                 /* their ranks in MPI_COMM_WORLD; NULL: the same */
    int rank;                   /* one's own, of an intracommunicator; else -1 */
    bool inter;
    char name[MPI_MAX_OBJECT_NAME];
    struct check_sent *sent;
    struct check_received *received;
    struct check_collective *collective;
    size_t sents, receiveds, collectives;
    bool sends_end, receives_end, collectives_end;  /* from here on not all of it is known */
};

#endif
