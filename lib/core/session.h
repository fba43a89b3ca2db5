/* Sessions: who uses the library besides MPI_Init, and which communicators come from it.
 *
 * Thread rules: one lock for all of them, taken inside. */
#ifndef MPI_SESSION_H
#define MPI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi.h"

struct mpi_buffer;

/* Owner: the program, through its handle; immutable but for the marked members. */
struct mpi_session {
    MPI_Session handle;
    uint64_t serial;            /* its communicators and groups have it; 0 stands for no session */
    MPI_Errhandler errhandler;  /* under the lock of errhandler.c */
    struct mpi_session *next;   /* these two under the lock of session.c */
    unsigned comms;             /* that come from it and have not been freed */
    struct mpi_buffer *buffer;  /* for buffered sends, NULL: none attached; owner: baton */
};

/* NULL: no memory.  The handler is held. */
struct mpi_session *mpi_session_new(MPI_Errhandler errhandler);
/* NULL if the handle is no session (MPI_SESSION_NULL is none). */
struct mpi_session *mpi_session_get(MPI_Session h);
/* False: communicators are left; as many as *comms. */
bool mpi_session_end(struct mpi_session *s, unsigned *comms);

/* A communicator that comes from it is there, or has been freed.  serial 0: nothing happens. */
void mpi_session_count(uint64_t serial, int change);

/* The buffer for sends on its communicators; NULL: none, or no session. */
struct mpi_buffer *mpi_session_buffer(uint64_t serial);

/* Sets of processes that groups are made of, by their names.  NULL: there are no more. */
const char *mpi_pset_name(int i);
enum mpi_pset { MPI_PSET_WORLD, MPI_PSET_SELF, MPI_PSETS };
/* MPI_PSETS: there is none of this name. */
enum mpi_pset mpi_pset_by_name(const char *name);

#endif
