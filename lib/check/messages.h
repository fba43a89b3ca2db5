/* Noting what a rank sends and receives, and which collectives it calls. */
#ifndef CHECK_MESSAGES_H
#define CHECK_MESSAGES_H

#include "check/log.h"

/* From now on nothing is known of the messages of the communicator. */
void check_log_ends(MPI_Comm comm);
/* One of its sends is cancelled: which of them have come is not known. */
void check_log_cancelled(struct check_log *log);

void check_log_sent(MPI_Comm comm, int dest, int tag, MPI_Datatype type, MPI_Count count,
                    bool ready);
/* The same of a request that may outlive the handles of its communicator and its type: their log,
 * NULL: it is not followed; and signature. */
void check_log_sent_in(struct check_log *log, int dest, int tag, struct signature what, bool ready);

/* Before a receive is posted: the message that it will take is there. */
bool check_log_is_late(MPI_Comm comm, int source, int tag);
/* A receive is posted; names it for check_log_done. */
struct check_posted { struct check_log *log; size_t index; };
struct check_posted check_log_posted(MPI_Comm comm, int source, MPI_Datatype type,
                                     const char *call, const void *caller, bool late);
struct check_posted check_log_posted_in(struct check_log *log, int source, struct signature one,
                                        const char *call, const void *caller, bool late);
/* It has ended, with this status and error. */
void check_log_done(const struct check_posted *posted, const MPI_Status *status, int error);

/* call: a number of collectives.c; root: -1, it has none. */
void check_log_collective(struct check_log *log, int call, int root, MPI_Op op,
                          struct signature what);

#endif
