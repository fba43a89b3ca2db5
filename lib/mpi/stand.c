/* Waits that end by themselves. */
#include "mpi/stand.h"

#include "core/match.h"
#include "core/wait_reason.h"
#include "core/world.h"
#include "mpi/completion.h"
#include "mpi/probe.h"
#include "nicemu/threads.h"

/* The watch needs three looks at ranks that sleep all the time, of 250 ms each, all of them at
 * once.  Between two stands a rank loops for half a second: three that stood for 1.5 s fell into a
 * step in which they never stood together for so long. */
enum { STANDS_MS = 60 * 1000, SLEEPS_MS = 500 };
#define MS_PS UINT64_C(1000000000)

uint64_t mpi_stand_since(void)
{
    nic_enter(mpi_nic);
    uint64_t moves = nic_moves(mpi_nic);
    nic_leave(mpi_nic);
    return moves;
}

/* Baton held. */
static bool goes_on(uint64_t since, uint64_t end)
{
    return nic_moves(mpi_nic) == since && nic_moment(mpi_nic) < end;
}

static bool some_done(int count, const MPI_Request *requests)
{
    struct mpi_census n = mpi_census(count, requests);

    return n.bad >= 0 || n.done >= 0 || !n.open;
}

void mpi_stand_requests(const char *call, int count, const MPI_Request *requests, bool any,
                        uint64_t since)
{
    struct mpi_reason_list reason = { call, requests, count, any };
    struct nic_wait w = { .note = mpi_reason_list, .argument = &reason,
                          .most_ns = SLEEPS_MS * UINT64_C(1000000) };

    nic_enter(mpi_nic);
    uint64_t end = nic_moment(mpi_nic) + STANDS_MS * MS_PS;
    while (!some_done(count, requests) && goes_on(since, end))
        nic_wait_turn(mpi_nic, &w);
    nic_leave(mpi_nic);
}

struct wanted { const char *call; const struct mpi_comm *c; uint64_t match, mask; };

static const char *reason(void *argument, char *text, size_t size)
{
    const struct wanted *p = argument;

    mpi_reason_receive(text, size, p->call, p->match, p->mask, p->c);
    mpi_reason_add_arrived(text, size, p->match);
    return text;
}

void mpi_stand_probe(const char *call, int source, int tag, MPI_Comm comm, uint64_t since)
{
    struct wanted p = { .call = call, .c = mpi_comm_get(comm) };
    struct nic_wait w = { .note = reason, .argument = &p,
                          .most_ns = SLEEPS_MS * UINT64_C(1000000) };
    uint64_t found;
    size_t bytes;

    if (!p.c || source == MPI_PROC_NULL)
        return;
    nic_enter(mpi_nic);
    mpi_match_recv(p.c, source, tag, &p.match, &p.mask);
    uint64_t end = nic_moment(mpi_nic) + STANDS_MS * MS_PS;
    while (!mpi_fw_probe(mpi_fw, p.match, p.mask, &found, &bytes) && goes_on(since, end))
        nic_wait_turn(mpi_nic, &w);
    nic_leave(mpi_nic);
}
