/* What the ranks of a job leave about their messages, in its segment, for the launcher. */
#include "job/critical_path.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "job/segment.h"
#include "time/critical_path.h"

/* Of each rank.  done: 1 when all the rest is there. */
struct area { _Atomic uint32_t done; uint32_t count; struct nic_explained_rank rank; struct nic_explained slowest[]; };

#define PART_NAME(NAME, name, text) #name,
#define UNIT_NAME(NAME, name) #name,
static const char *const part_names[] = { NIC_PARTS(PART_NAME) }, *const unit_names[] = { NIC_UNITS(UNIT_NAME) };

const char *nic_part_name(unsigned part) { return part < NIC_PART_COUNT ? part_names[part] : "?"; }
const char *nic_unit_name(unsigned unit) { return unit < NIC_UNIT_COUNT ? unit_names[unit] : "?"; }

uint64_t nic_explain_bytes(unsigned keep)
{
    return keep ? (sizeof(struct area) + keep * sizeof(struct nic_explained) + 63) & ~UINT64_C(63) : 0;
}

unsigned nic_job_explains(const struct nic_job *j) { return j->header->explain; }

static struct area *area_of(const struct nic_job *j, unsigned rank)
{
    return (struct area *)(j->base + j->header->explained + rank * nic_explain_bytes(j->header->explain));
}

static int compare(const void *a, const void *b) { return nic_explain_compare(a, b); }

void nic_explain_store(const struct nic_job *j, const struct nic_explained_rank *rank, const struct nic_explained *slowest, unsigned count, unsigned number)
{
    struct area *a = area_of(j, number);
    a->rank = *rank;
    a->count = count;
    memcpy(a->slowest, slowest, count * sizeof *slowest);
    atomic_store(&a->done, 1);
}

bool nic_job_explained_rank(const struct nic_job *j, unsigned rank, struct nic_explained_rank *explained)
{
    if (rank >= j->ranks || !nic_job_explains(j) || !atomic_load(&area_of(j, rank)->done))
        return false;
    *explained = area_of(j, rank)->rank;
    return true;
}

/* The ranks are not trusted: one that runs wild may have written anything. */
static unsigned count_of(const struct nic_job *j, unsigned rank)
{
    const struct area *a = area_of(j, rank);
    return !atomic_load(&a->done) ? 0 : a->count < j->header->explain ? a->count : j->header->explain;
}

int nic_job_explained(const struct nic_job *j, struct nic_explained *slowest, unsigned most)
{
    size_t all = 0, at = 0;
    for (unsigned r = 0; r < j->ranks && nic_job_explains(j); r++)
        all += count_of(j, r);
    struct nic_explained *sorted = malloc((all + 1) * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    for (unsigned r = 0; r < j->ranks && at < all; r++) {
        size_t count = count_of(j, r), left = all - at;
        count = count < left ? count : left;
        memcpy(sorted + at, area_of(j, r)->slowest, count * sizeof *sorted);
        at += count;
    }
    all = at;
    for (size_t i = 0; i < all; i++)
        sorted[i].how[sizeof sorted[i].how - 1] = 0;
    qsort(sorted, all, sizeof *sorted, compare);
    if (most > all)
        most = (unsigned)all;
    memcpy(slowest, sorted, most * sizeof *sorted);
    free(sorted);
    return (int)most;
}
