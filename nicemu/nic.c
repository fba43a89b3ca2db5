/* Opening and closing a NIC. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "core/callers.h"
#include "core/affinity.h"
#include "core/demand.h"
#include "core/doorbell.h"
#include "core/heap_blocks.h"
#include "core/nic.h"
#include "core/program.h"
#include "core/program_keys.h"
#include "core/scratchpad.h"
#include "core/thread.h"
#include "job/generation.h"
#include "job/places.h"
#include "job/protect.h"
#include "link/links.h"
#include "link/receive.h"
#include "model/open.h"
#include "units.h"
#include "wire/link.h"
#include "wire/stack.h"

#define LINK_ENTRY(name) &nic_link_##name,
static const struct nic_link_ops *const links[] = { NIC_LINKS(LINK_ENTRY) };

static const struct nic_link_ops *link_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (!strcmp(links[i]->name, name))
            return links[i];
    return NULL;
}

/* How many ranks share a core: by the job, unless tests want what only the other cases do. */
enum sharing { SHARED_BY_NONE, SHARED_BY_FEW, SHARED_BY_MANY };
enum { MANY = 16 };

static enum sharing sharing(const struct nic_job *job)
{
    const char *env = getenv("NICEMU_CROWDED");
    if (env && !strcmp(env, "no"))
        return SHARED_BY_NONE;
    if ((env && !strcmp(env, "yes")) || job->layout.here / job->layout.cores >= MANY)
        return SHARED_BY_MANY;
    return job->layout.here > job->layout.cores ? SHARED_BY_FEW : SHARED_BY_NONE;
}

static void point_into_job(struct nic *n, struct nic_job *job, unsigned rank)
{
    n->job = job;
    n->rank = rank;
    n->ranks = job->ranks;
    n->source_bits = nic_ring_source_bits(rank);
    n->publics = job->publics;
    n->own = &job->publics[rank];
    n->hosts = &nic_job_owned(job, rank)->note.hosts;
    n->inbox = nic_job_ring(job, rank);
    atomic_init(&n->head, atomic_load(&n->inbox->head));
    const enum sharing shared = sharing(job);
    n->oversubscribed = shared != SHARED_BY_NONE;
    n->crowded = shared == SHARED_BY_MANY;
    n->take_looks = n->oversubscribed ? 0 : NIC_TAKE_LOOKS;
    n->restart_lines = NIC_RESTART_LINES;
}

/* A number that another process' memory holds only by chance: probes compare it. */
static uint64_t token(const struct nic *n)
{
    return (nic_now() ^ (uint64_t)(uintptr_t)n) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

/* On pages of its own, zeroed: the NIC's thread writes there without the baton (nic_alone).  Not
 * where a page begins, as inboxes do: lines at the same place of their pages get into each other's
 * way (a stream of 8 bytes took 19.4 ns there, 18.5 at three others). */
enum { PAGE = 4096, PLACE = 17 * 64 };

static struct nic *new_nic(void)
{
    const size_t bytes = (PLACE + sizeof(struct nic) + PAGE - 1) & ~(size_t)(PAGE - 1);
    char *pages = aligned_alloc(PAGE, bytes);
    return pages ? (struct nic *)(void *)((char *)memset(pages, 0, bytes) + PLACE) : NULL;
}

static void delete_nic(struct nic *n) { free((char *)n - PLACE); }

static void release(struct nic *n)
{
    nic_units_close(n);
    nic_model_close(n);
    nic_heap_delete(n->heap);
    nic_spad_delete(n->spad);
    nic_program_keys_close(n);
    free(n->peer);
    delete_nic(n);
}

/* nic_open failed: the rank may be opened again. */
static int give_up(struct nic *n, int rc)
{
    atomic_store(&n->own->state, NIC_RANK_ABSENT);
    release(n);
    return rc;
}

/* A rank with a process of its own may have had another one before, with another program. */
static int claim(struct nic_job *job, unsigned rank, bool own_process)
{
    uint32_t absent = NIC_RANK_ABSENT;
    int rc = own_process && !job->opened ? nic_job_join(job, rank) : 0;
    if (rc)
        return rc;
    if (!atomic_compare_exchange_strong(&job->publics[rank].state, &absent, NIC_RANK_OPEN))
        return -EBUSY;
    if (own_process) {
        job->opened = true;
        nic_job_protect(job, rank);     /* before anything is written there */
    }
    return 0;
}

static int check_config(const struct nic_config *c, const struct nic_link_ops *link)
{
    nic_open_failed("%s", "");
    if (!link)
        nic_open_failed("there is no link '%s'", c->link);
    else if (!c->job || c->rank >= c->job->ranks)
        nic_open_failed("rank %u is not in the job", c->rank);
    else if (!nic_job_here(c->job, c->rank))
        nic_open_failed("rank %u is on another machine", c->rank);
    else if (c->job->machines > 1 && !c->directory)
        nic_open_failed("%s", "the job has several machines, and there is no directory");
    else if (!c->program)
        nic_open_failed("there is no control program");
    else
        return 0;
    return -EINVAL;
}

/* Where one machine is to count as several.  On the live clock: the model has a wire of its own,
 * and faults there (model/flow.h). */
static int divide(struct nic_job *job, const struct nic_link_ops *link, unsigned rank)
{
    unsigned parts = nic_wire_parts(job->ranks);
    bool can = job->machines == 1 && !nic_job_modelled(job)
               && !(link->flags & NIC_LINK_ONE_PROCESS);
    return can && parts ? nic_job_divide(job, parts, rank) : 0;
}

int nic_open(const struct nic_config *c, struct nic **nic)
{
    const struct nic_link_ops *link = link_by_name(c->link);
    int rc = check_config(c, link);
    struct nic *n = rc ? NULL : new_nic();
    if (!n)
        return rc ? rc : -ENOMEM;
    rc = nic_program_bind(n, c->program);
    if (!rc)
        rc = divide(c->job, link, c->rank);
    if (!rc)
        rc = claim(c->job, c->rank, !(link->flags & NIC_LINK_ONE_PROCESS));
    if (rc) {
        delete_nic(n);
        return rc;
    }
    point_into_job(n, c->job, c->rank);
    n->context = c->context;
    n->near_link = link;
    n->link = link = c->job->place ? &nic_link_wire : link;
    n->directory = c->directory;
    n->arm = link->arm;
    n->inbox_link = link->flags & NIC_LINK_INBOX;
    n->progress = c->progress;
    nic_hosts_open(n, &n->own->doorbell);
    n->asymmetric = nic_fence_register();
    n->probe_token = token(n);
    nic_cmdq_init(&n->cmdq);
    n->peer = calloc(n->ranks, sizeof *n->peer);
    n->spad = nic_spad_new(c->job->layout.scratchpad);
    n->heap = nic_heap_new(c->job->heap);
    for (unsigned r = 0; n->peer && r < n->ranks; r++)
        n->peer[r].ring = nic_job_here(n->job, r) ? nic_job_ring(n->job, r) : nic_wire_full_ring();
    nic_refresh_slow_reasons(n);
    if (!n->peer || !n->spad || !n->heap || nic_units_open(n))
        return give_up(n, -ENOMEM);
    if (nic_place_choose_cpus(n, c->thread_cpus))
        return give_up(n, -EINVAL);
    nic_place_memory(n);
    atomic_store(&n->own->pid, (int32_t)getpid());
    atomic_store(&n->own->probe_token, n->probe_token);
    const void *heap = c->job->heap ? nic_job_heap(c->job, c->rank) : NULL;
    atomic_store(&n->own->heap_address, (uint64_t)(uintptr_t)heap);
    rc = nic_model_open(n);
    if (!rc)
        rc = nic_program_keys_open(n, nic_profile_of(n));
    if (!rc)
        rc = link->open(n);
    if (rc)
        return give_up(n, rc);
    rc = n->program->attach ? n->program->attach(n, n->context) : 0;
    if (!rc && n->progress == NIC_PROGRESS_THREAD)      /* only now: it calls the program */
        rc = nic_thread_start(n);
    if (rc) {
        link->close(n);
        return give_up(n, rc);
    }
    *nic = n;
    return 0;
}

void nic_close(struct nic *n)
{
    nic_thread_stop(n);
    nic_units_quit(n);
    nic_model_close(n);
    n->link->close(n);
    atomic_store(&n->own->state, NIC_RANK_CLOSED);
    release(n);
}
