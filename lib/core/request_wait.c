/* Waiting until a request is done. */
#include "core/request_wait.h"

#include <sched.h>

#include "core/wait_reason.h"

static void wait_done(struct fw_req *r, struct nic_wait *w)
{
    const bool may_disagree = mpi_request_class(r) != NULL;
    while (!fw_req_done(r)) {
        nic_wait_turn(mpi_nic, w);
        if (unlikely(may_disagree) && mpi_wait_suspects(w))
            mpi_req_stop_if_hopeless(r);
    }
}

void mpi_req_wait(struct fw_req *r, const char *call)
{
    struct mpi_reason_call reason = { call, r };
    wait_done(r, &(struct nic_wait){ .note = mpi_reason_call, .argument = &reason });
}

void mpi_req_wait_in(struct fw_req *r, const char *call, const MPI_Request *requests, int count)
{
    struct mpi_reason_list reason = { .call = call, .requests = requests, .count = count };
    wait_done(r, &(struct nic_wait){ .note = mpi_reason_list, .argument = &reason });
}

void mpi_req_wait_for(struct fw_req *r, mpi_note *note, void *argument)
{
    wait_done(r, &(struct nic_wait){ .note = note, .argument = argument });
}

void mpi_poll_pause(void)
{
    if (nic_oversubscribed(mpi_nic))
        sched_yield();
}
