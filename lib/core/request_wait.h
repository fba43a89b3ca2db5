/* Waiting until a request is done.  Baton held. */
#ifndef MPI_REQUEST_WAIT_H
#define MPI_REQUEST_WAIT_H

#include "core/request.h"
#include "core/tuning.h"

/* The wait reason says which call it is: the request is the call itself ("MPI_Recv"), or one of
 * those that the call waits for. */
void mpi_req_wait(struct fw_req *r, const char *call);
void mpi_req_wait_in(struct fw_req *r, const char *call, const MPI_Request *requests, int count);
/* Of one that stands for something else, which `note` says. */
typedef const char *mpi_note(void *argument, char *text, size_t size);
void mpi_req_wait_for(struct fw_req *r, mpi_note *note, void *argument);

/* In a wait for a collective, after a turn: whether it is time to look if the ranks disagree.  On
 * the model clock after each, as the order of events alone may decide what is found; else now and
 * then, when nothing has moved for a while, and after each sleep (yields are 0 then, and the wait
 * has begun): meanwhile the NIC's thread may have taken in what tells. */
static inline bool mpi_wait_suspects(const struct nic_wait *w)
{
    bool slept = w->since && !w->yields;
    return unlikely(mpi_modelled || slept || w->yields % MPI_SUSPECT_TURNS == 1);
}

/* Stops a request that would never be done, as its ranks disagree. */
static inline void mpi_req_stop_if_hopeless(struct fw_req *r)
{
    const struct mpi_request_class *class = mpi_request_class(r);
    if (unlikely(class != NULL) && class->is_open(r))
        class->stop_if_hopeless(r);
}

/* Between two looks that found nothing: a polling program whose ranks outnumber the cores must
 * let the others run.  Without the baton. */
void mpi_poll_pause(void);

#endif
