/* The host sees that a request is done.  On the model clock that takes time, and the message's
 * critical path ends there. */
#ifndef MPI_REQUEST_NOTICE_H
#define MPI_REQUEST_NOTICE_H

#include "core/world.h"

void mpi_req_notice_slow(struct fw_req *r);

static inline bool mpi_notice_counts(void)
{
    return unlikely(((struct nic_fast_path *)mpi_nic)->slow_reasons & NIC_SLOW_MODEL);
}

static inline void mpi_req_notice(struct fw_req *r)
{
    if (mpi_notice_counts())
        mpi_req_notice_slow(r);
}

/* The same, and the work of a wait for it. */
static inline void mpi_req_waited(struct fw_req *r)
{
    if (!mpi_notice_counts())
        return;
    mpi_req_notice_slow(r);
    nic_work_slow(mpi_nic, NIC_WORK_WAIT);
}

#endif
