/* The communicators of which messages and collectives are followed. */
#ifndef CHECK_COMMS_H
#define CHECK_COMMS_H

#include "check/log.h"

/* Collective on a communicator that was just made, by all its ranks: agrees on a number for it, so
 * that MPI_Finalize can compare what was done on it, and need not wait for anybody before. */
void check_comm_made(MPI_Comm comm);
/* The program will free it: it has a name yet.  And it has: the handle may mean another one from
 * here on, the log is kept. */
void check_comm_frees(MPI_Comm comm);
void check_comm_freed(MPI_Comm comm);

/* The log of a communicator; NULL: it is not followed. */
struct check_log *check_log(MPI_Comm comm);
/* All logs, the oldest first. */
struct check_log *check_log_first(void);
/* Of the number that a peer has sent; NULL: there is none. */
struct check_log *check_log_numbered(uint64_t number);
void check_log_free_all(void);

/* What it is called in reports. */
const char *check_log_name(const struct check_log *log);
/* Rank in MPI_COMM_WORLD of a peer that is named in a call. */
int check_log_world(const struct check_log *log, int peer);

/* Several threads call, at once perhaps: from here on only objects are noted, under their own lock.
 * The tables belong to the first thread, which may be in the middle of them, so nobody else touches
 * them any more. */
void check_log_several(void);
bool check_log_is_several(void);
/* When no thread is inside: of what is not all known nothing is. */
void check_log_forget(void);

#endif
