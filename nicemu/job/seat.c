/* Where ranks sit: told by the launcher, read by all. */
#include <errno.h>

#include "job/segment.h"

int nic_job_set_seat(struct nic_job *j, unsigned rank, const struct nic_seat *seat)
{
    if (rank >= j->ranks)
        return -EINVAL;
    j->seats[rank] = (struct nic_job_seat){ .seat = *seat, .told = 1 };
    return 0;
}

int nic_job_seat(const struct nic_job *j, unsigned rank, struct nic_seat *seat)
{
    if (rank >= j->ranks || !j->seats[rank].told)
        return -ENOENT;
    *seat = j->seats[rank].seat;
    return 0;
}
