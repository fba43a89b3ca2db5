/* One program after the other in the same job: each set of programs, one per rank, is a generation.
 *
 * A rank whose program has left (its NIC is closed) and that starts another waits here until all
 * ranks have come so far.  Then nobody is in the segment, and one of them, whoever is first to take
 * the generation's number on, makes all of it as it was in the beginning.  So no state of a program
 * is ever seen by the next one, and a rank of the next one never meets one of the last.
 *
 * A rank that waits shows it in its public line; a process that is killed here leaves that behind,
 * and the next one of that rank takes it over. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "job/generation.h"
#include "job/modelled.h"
#include "job/proxy_box.h"
#include "job/segment.h"
#include "time/governor.h"

enum { LOOK_NS = 50 * 1000 * 1000 };

bool nic_job_has_ended(const struct nic_job *j, unsigned rank)
{
    return rank < j->ranks && atomic_load(&j->ended[rank]) == 1;
}

unsigned nic_job_programs(const struct nic_job *j)
{
    return atomic_load(&j->state->generation) / 2 + 1;
}

void nic_job_rank_ended(struct nic_job *job, unsigned rank)
{
    if (rank >= job->ranks)
        return;
    atomic_store(&job->ended[rank], 1);     /* before its state: see all_wait */
    if (atomic_exchange(&job->publics[rank].state, NIC_RANK_CLOSED) != NIC_RANK_CLOSED)
        nic_job_model_ended(job, rank);
}

static bool any_ended(const struct nic_job *j)
{
    for (unsigned r = 0; r < j->ranks; r++)
        if (nic_job_has_ended(j, r))
            return true;
    return false;
}

static bool all_wait(const struct nic_job *j)
{
    for (unsigned r = 0; r < j->ranks; r++)
        if (atomic_load(&j->publics[r].state) != NIC_RANK_WAITING)
            return false;
    return !any_ended(j);
}

/* -- making it anew */

static bool punch(const struct nic_job *j, uint64_t from, uint64_t to)
{
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return !fallocate(j->fd, mode, (off_t)from, (off_t)(to - from));
}

/* Heaps are as they may be: nobody counts on what is in a block that he has just got. */
static void clear(struct nic_job *j)
{
    const struct nic_job_header *h = &j->layout;
    memset(j->base + h->owned, 0, h->state - h->owned);
    uint64_t end = h->governor + nic_governor_bytes(j->ranks)
                   + nic_proxy_boxes_bytes(j->ranks);
    memset(j->base + h->publics, 0, end - h->publics);
    for (unsigned r = 0; r < j->ranks; r++) {
        if (!nic_job_here(j, r))
            continue;
        memset(nic_job_ring(j, r), 0, sizeof(struct nic_ring));
        memset(nic_job_scratchpad(j, r), 0, h->scratchpad);
    }
}

/* All but what belongs to the whole job; the pages go back to the machine. */
static void make_anew(struct nic_job *j)
{
    const struct nic_job_header *h = &j->layout;
    if (nic_job_modelled(j))
        nic_job_model_fold(j);
    if (!punch(j, h->owned, h->state) || !punch(j, h->publics, h->total))
        clear(j);
    if (nic_job_modelled(j))
        nic_governor_init(nic_job_governor(j));
}

/* -- waiting */

static void wait_on(_Atomic uint32_t *word, uint32_t value)
{
    const struct timespec look = { .tv_nsec = LOOK_NS };
    syscall(SYS_futex, word, FUTEX_WAIT, value, &look, NULL, 0);
}

static void begin(struct nic_job *j, uint32_t generation)
{
    make_anew(j);
    atomic_store(&j->state->generation, generation + 2);        /* after all that it stands for */
    syscall(SYS_futex, &j->state->generation, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The number is odd while somebody is at work. */
static int await(struct nic_job *j, uint32_t generation)
{
    _Atomic uint32_t *number = &j->state->generation;
    for (;;) {
        uint32_t now = generation;
        if (all_wait(j) && atomic_compare_exchange_strong(number, &now, generation + 1)) {
            begin(j, generation);
            return 0;
        }
        /* Before the look at the number: who ended after it has moved was part of the new one. */
        bool ended = any_ended(j);
        now = atomic_load(number);
        if (now != generation && !(now & 1))
            return 0;
        if (ended || nic_job_aborted(j, NULL, NULL))
            return ended ? -ESRCH : -ECANCELED;
        wait_on(number, now);
    }
}

int nic_job_join(struct nic_job *j, unsigned rank)
{
    struct nic_public *own = &j->publics[rank];
    uint32_t generation = atomic_load(&j->state->generation) & ~UINT32_C(1);
    uint32_t state = atomic_load(&own->state);
    if (state != NIC_RANK_CLOSED && state != NIC_RANK_WAITING)
        return 0;
    if (j->machines > 1)        /* nobody tells what the ranks elsewhere do */
        return -EBUSY;
    nic_job_set_note(j, rank, "begins another program, and waits until all ranks do");
    /* The other one was left by a process that died here: others may be counting on it already. */
    if (state == NIC_RANK_CLOSED)
        atomic_store(&own->state, NIC_RANK_WAITING);
    return await(j, generation);
}
