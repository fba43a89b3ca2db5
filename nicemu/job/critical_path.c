/* What the ranks of a job leave about their messages, in its segment, for the launcher. */
#include "job/critical_path.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "job/segment.h"
#include "time/critical_path.h"
#include "time/slowest.h"

/* Of each rank, behind what else it owns.  done: 1 when all the rest is there. */
struct area {
    _Atomic uint32_t done;
    uint32_t count;
    uint64_t rank_check, slowest_check;     /* of `rank`, of the first `count` of `slowest` */
    struct nic_explained_rank rank;
    struct nic_explained slowest[];
};

#define PART_NAME(NAME, name, text) #name,
static const char *const part_names[] = { NIC_PARTS(PART_NAME) };
#define UNIT_NAME(NAME, name) #name,
static const char *const unit_names[] = { NIC_UNITS(UNIT_NAME) };
static_assert(sizeof unit_names / sizeof *unit_names == NIC_UNIT_COUNT, "a name for each");

const char *nic_part_name(unsigned part) { return part < NIC_PART_COUNT ? part_names[part] : "?"; }
const char *nic_unit_name(unsigned unit) { return unit < NIC_UNIT_COUNT ? unit_names[unit] : "?"; }

uint64_t nic_explain_bytes(unsigned keep)
{
    return keep ? (sizeof(struct area) + keep * sizeof(struct nic_explained) + 63) & ~UINT64_C(63)
           : 0;
}

unsigned nic_job_explains(const struct nic_job *j) { return (unsigned)j->layout.explain; }

static struct area *area_of(const struct nic_job *j, unsigned rank)
{
    return (struct area *)(nic_job_owned(j, rank) + 1);
}

/* Of what rank `number` leaves: a rank that writes where it should not may have spoilt it, and then
 * it must not be told as true. */
static uint64_t check_of(const void *data, size_t bytes, unsigned number)
{
    uint64_t hash = number + UINT64_C(1), word;
    for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
        memcpy(&word, (const char *)data + at, sizeof word);
        hash = nic_clock_mix(hash, word);
    }
    return hash;
}

static_assert(sizeof(struct nic_explained_rank) % 8 == 0, "whole words are checked");
static_assert(sizeof(struct nic_explained) % 8 == 0, "whole words are checked");

static int compare(const void *a, const void *b) { return nic_explain_compare(a, b); }

void nic_explain_store(const struct nic_job *j, const struct nic_explained_rank *rank,
                       const struct nic_explained *slowest, unsigned count, unsigned number)
{
    struct area *a = area_of(j, number);
    a->rank = *rank;
    a->count = count;
    memcpy(a->slowest, slowest, count * sizeof *slowest);
    a->rank_check = check_of(rank, sizeof *rank, number);
    a->slowest_check = check_of(slowest, count * sizeof *slowest, number);
    atomic_store(&a->done, 1);
}

bool nic_job_explained_rank(const struct nic_job *j, unsigned rank,
                            struct nic_explained_rank *explained)
{
    if (rank >= j->ranks || !nic_job_explains(j) || atomic_load(&area_of(j, rank)->done) != 1)
        return false;
    const struct area *a = area_of(j, rank);
    *explained = a->rank;
    if (check_of(explained, sizeof *explained, rank) != a->rank_check)
        return false;
    for (unsigned i = 0; i < NIC_EXPLAINED_OWN; i++) {
        explained->own[i].name[NIC_EXPLAINED_NAME - 1] = 0;
        nic_text_make_plain(explained->own[i].name);
    }
    for (unsigned i = 0; i < NIC_EXPLAINED_CHARGES; i++) {
        explained->charge[i].key[NIC_EXPLAINED_NAME - 1] = 0;
        nic_text_make_plain(explained->charge[i].key);
    }
    return true;
}

/* Puts a rank's at *sorted, behind the *all that are there already; `sorted` grows as is needed. */
static int add_rank(const struct nic_job *j, unsigned rank, struct nic_explained **sorted,
                    size_t *all)
{
    const struct area *a = area_of(j, rank);
    uint64_t check = a->slowest_check;
    uint32_t count = a->count;
    if (atomic_load(&a->done) != 1)
        return 0;
    if (count > nic_job_explains(j))
        return -EPROTO;
    struct nic_explained *more = realloc(*sorted, (*all + count + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    *sorted = more;
    memcpy(more + *all, a->slowest, count * sizeof *more);
    if (check_of(more + *all, count * sizeof *more, rank) != check)
        return -EPROTO;
    for (; count; count--, ++*all) {
        more[*all].how[sizeof more->how - 1] = 0;
        nic_text_make_plain(more[*all].how);
    }
    return 0;
}

int nic_job_explained(const struct nic_job *j, struct nic_explained *slowest, unsigned most)
{
    struct nic_explained *sorted = NULL;
    size_t all = 0;
    int rc = 0;
    for (unsigned r = 0; r < j->ranks && nic_job_explains(j) && !rc; r++)
        rc = add_rank(j, r, &sorted, &all);
    if (!rc && all) {
        qsort(sorted, all, sizeof *sorted, compare);
        most = most > all ? (unsigned)all : most;
        memcpy(slowest, sorted, most * sizeof *sorted);
    }
    free(sorted);
    return rc ? rc : all ? (int)most : 0;
}
