/* Ranks that look after each other, from inside of long waits. */
#include "pmi/patrol.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nicemu/job.h"
#include "nicemu/threads.h"
#include "pmi/deadlock.h"
#include "pmi/pmi.h"

#define EVERY_NS (UINT64_C(250) * 1000 * 1000)
/* Looks in which a launcher has the time to end the ranks of an aborted job. */
enum { GRACE_LOOKS = 4 };

static struct {
    struct nic_job *job;
    struct mpi_pmi *pmi;
    unsigned rank, ranks, aborted_looks;
    bool check_finalize, watch_deadlock;
} patrol;

static bool is_off(const char *variable)
{
    const char *text = getenv(variable);
    return text && !strcmp(text, "off");
}

_Noreturn static void leave(int code)
{
    fflush(stdout);
    mpi_pmi_abort(patrol.pmi, code, "a rank has failed");
    _exit(code && !(code & 255) ? 1 : code);
}

/* The first one who finds it says it. */
_Noreturn static void end_job(const char *text)
{
    if (nic_job_set_abort(patrol.job, patrol.rank, 1))
        fprintf(stderr, "Fatal error: %s\n", text);
    leave(1);
}

/* Whether it has gone without closing its NIC. */
static bool has_died(unsigned rank)
{
    return nic_job_rank_state(patrol.job, rank) == NIC_RANK_OPEN
           && !nic_job_held(patrol.job, rank)
           && nic_job_rank_state(patrol.job, rank) == NIC_RANK_OPEN;
}

static void look_for_dead(void)
{
    struct nic_rank_threads t = { 0 };
    char text[160];
    for (unsigned r = 0; r < patrol.ranks; r++) {
        if (r == patrol.rank || !has_died(r))
            continue;
        nic_job_rank_threads(patrol.job, r, &t);
        snprintf(text, sizeof text, "rank %u (process %d) has ended without MPI_Finalize; the "
                 "launcher knows how", r, t.process);
        end_job(text);
    }
}

static void look(void *argument)
{
    int code = 1;
    (void)argument;
    if (nic_job_aborted(patrol.job, NULL, &code)) {
        if (++patrol.aborted_looks > GRACE_LOOKS)
            leave(code);
        return;
    }
    if (mpi_pmi_gone(patrol.pmi))
        end_job("the launcher is gone");
    if (patrol.check_finalize)
        look_for_dead();
    char *text = patrol.watch_deadlock ? mpi_pmi_deadlock(patrol.job, patrol.rank) : NULL;
    if (text)
        end_job(text);
}

void mpi_pmi_patrol_begin(struct nic *nic, struct nic_job *job, struct mpi_pmi *pmi)
{
    patrol.job = job;
    patrol.pmi = pmi;
    patrol.rank = mpi_pmi_rank(pmi);
    patrol.ranks = mpi_pmi_size(pmi);
    patrol.check_finalize = !is_off("MPILITE_FINALIZE");
    patrol.watch_deadlock = !is_off("MPILITE_DEADLOCK");
    nic_on_long_wait(nic, EVERY_NS, look, NULL);
}
