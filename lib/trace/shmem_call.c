/* Calls of SHMEM: those that all wrappers are made of, and those by which it begins and ends. */
#include "trace/shmem_call.h"

#include "trace/life.h"

#pragma weak pshmem_init
#pragma weak pshmem_init_thread
#pragma weak pshmem_finalize
#pragma weak pshmem_n_pes
#pragma weak pshmem_ctx_get_team
#pragma weak pshmem_team_translate_pe

/* PEs are ranks of the job; where communicators have names theirs is one that none of MPI has. */
enum { WORLD_ID = 3 };

bool trace_shmem_up;

static uint32_t collectives, pes;

/* -- wrappers */

static void tell(const struct trace_record *record, bool idle)
{
    struct trace_record r = *record;

    r.end = trace_now();
    if (!trace_wanted())
        return;
    r.lane = trace_lane();
    trace_count(r.what, r.begin, r.end);
    if (r.kind == TRACE_COLL)
        r.number = ++collectives;
    else if (r.peer >= 0)
        trace_count_sent(r.peer, r.bytes);
    if (idle)
        trace_add_idle(&r);
    else
        trace_add(&r);
    trace_over();
}

void trace_shmem_called(unsigned call, uint64_t begin, uint64_t bytes)
{
    tell(&(struct trace_record){ .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                                 .bytes = bytes, .peer = -1, .tag = -1 }, false);
}

/* PEs of a context are those of its team. */
static int rank_of(shmem_ctx_t ctx, int pe)
{
    shmem_team_t team;

    if (ctx != SHMEM_CTX_DEFAULT)
        pe = pshmem_ctx_get_team(ctx, &team) ? -1
             : pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
    return pe >= 0 && (uint32_t)pe < pes ? pe : -1;
}

void trace_shmem_moved(unsigned call, uint64_t begin, shmem_ctx_t ctx, int pe, uint64_t bytes)
{
    tell(&(struct trace_record){ .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                                 .bytes = bytes, .peer = trace_store.region ? rank_of(ctx, pe) : -1,
                                 .tag = -1 }, false);
}

void trace_shmem_looked(unsigned call, uint64_t begin, bool found)
{
    tell(&(struct trace_record){ .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                                 .peer = -1, .tag = -1 }, !found);
}

void trace_shmem_together(unsigned call, uint64_t begin, shmem_team_t team, int root,
                          uint64_t bytes)
{
    if (team == SHMEM_TEAM_WORLD)
        tell(&(struct trace_record){ .kind = TRACE_COLL, .what = (uint16_t)call, .begin = begin,
                                     .comm = WORLD_ID, .bytes = bytes, .peer = root, .tag = -1,
                                     .times = pes }, false);
    else
        trace_shmem_called(call, begin, bytes);
}

/* -- begin and end */

static void began(unsigned call, uint64_t since)
{
    pes = (uint32_t)pshmem_n_pes();
    trace_shmem_up = true;
    trace_life_began(call, since);
}

void shmem_init(void)
{
    trace_store_open();
    uint64_t since = trace_now();

    pshmem_init();
    began(TRACE_shmem_init, since);
}

int shmem_init_thread(int requested, int *provided)
{
    trace_store_open();
    uint64_t since = trace_now();
    int rc = pshmem_init_thread(requested, provided);

    if (!rc)
        began(TRACE_shmem_init_thread, since);
    return rc;
}

void shmem_finalize(void)
{
    uint64_t since = trace_now();

    trace_life_ends(since);
    pshmem_finalize();
    trace_shmem_up = false;
    trace_shmem_called(TRACE_shmem_finalize, since, 0);
    trace_life_ends(trace_now());
}
