/* Where ranks are: read once from the table that whoever made the segment has left there. */
#include "job/places.h"

#include <errno.h>
#include <stdlib.h>

#include "job/segment.h"

static const uint16_t *table(const struct nic_job *j)
{
    return (const uint16_t *)(j->base + j->layout.machines);
}

/* Returns how many are here. */
static unsigned number(struct nic_job *j, const uint16_t *machine_of)
{
    unsigned here = 0;
    for (unsigned r = 0; r < j->ranks; r++) {
        bool is_here = machine_of[r] == j->layout.machine;
        j->place[r] = is_here ? (uint16_t)here : NIC_ELSEWHERE;
        here += is_here;
        if (machine_of[r] >= j->machines)
            j->machines = machine_of[r] + 1u;
    }
    return here;
}

int nic_job_find_places(struct nic_job *j)
{
    j->machines = 1;
    if (!j->layout.machines)
        return 0;
    if (!(j->place = malloc(j->ranks * sizeof *j->place)))
        return -ENOMEM;
    return number(j, table(j)) == j->layout.here ? 0 : -EPROTO;
}

static unsigned part_of(const struct nic_job *j, unsigned rank)
{
    return (unsigned)((uint64_t)rank * j->parts / j->ranks);
}

int nic_job_divide(struct nic_job *j, unsigned parts, unsigned rank)
{
    if (!j->place && !(j->place = malloc(j->ranks * sizeof *j->place)))
        return -ENOMEM;
    j->parts = parts < j->ranks ? parts : j->ranks;
    for (unsigned r = 0; r < j->ranks; r++)
        j->place[r] = part_of(j, r) == part_of(j, rank) ? (uint16_t)r : NIC_ELSEWHERE;
    return 0;
}

unsigned nic_job_machines(const struct nic_job *job) { return job->machines; }

unsigned nic_job_machine(const struct nic_job *job, unsigned rank)
{
    if (rank >= job->ranks)
        return 0;
    return job->parts ? part_of(job, rank) : job->layout.machines ? table(job)[rank] : 0;
}

bool nic_job_is_here(const struct nic_job *job, unsigned rank)
{
    return rank < job->ranks && nic_job_here(job, rank);
}
