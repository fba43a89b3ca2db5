/* Finding a standstill: the ranks' NICs know whether anything is under way, the kernel which
 * threads are outside of MPI. */
#include "launch/standstill.h"
#include "launch/ranks/end.h"
#include "launch/ranks/job.h"
#include "nicemu/job.h"
#include "nicemu/model.h"
#include "launch/base/say.h"
#include "launch/report/standing.h"
#include "base/tasks.h"

#include <signal.h>

#define INTERVAL (250 * MS_NS)
#define NUDGE_TAKES (20 * MS_NS)
/* On the model clock the job knows by itself, and one look is enough. */
#define INTERVAL_MODELLED (10 * MS_NS)

/* The NICs' answer counts open NICs only.  A rank that runs without one, before MPI_Init or after
 * MPI_Finalize, may still come to the aid of the others: then nothing is certain. */
static bool all_open(const struct job *job)
{
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (job->rank[i].running && nic_job_rank_state(job->nic, i) != NIC_RANK_OPEN)
            return false;
    return true;
}

/* What a running rank says of its threads; false: it has ended. */
static bool rank_threads(const struct job *job, unsigned rank, struct nic_rank_threads *t)
{
    return job->rank[rank].running && nic_job_rank_threads(job->nic, rank, t);
}

/* From when on the NICs' threads that never sleep have to find nothing to do. */
static void note_idle(struct job *job)
{
    struct nic_rank_threads t;

    for (unsigned i = 0; i < job->options->ranks; i++)
        if (rank_threads(job, i, &t))
            job->rank[i].idle = t.idle;
}

/* A thread that was at work then has counted since, and has looked at everything once more. */
static bool was_idle(const struct nic_rank_threads *t, uint32_t before)
{
    return !t->polls || t->idle - before >= 2;
}

/* A rank that was woken, but has not had a core since, looks to the NICs as if it slept; so does
 * one that is stopped, and one of which another thread is outside of MPI, where it may do
 * anything. */
static bool all_wait(const struct job *job)
{
    struct nic_rank_threads t;

    for (unsigned i = 0; i < job->options->ranks; i++)
        if (rank_threads(job, i, &t)
            && (!was_idle(&t, job->rank[i].idle) || !mpi_tasks_all_wait(&t, job->rank[i].pid)))
            return false;
    return true;
}

static bool all_alone(const struct job *job)
{
    struct nic_rank_threads t;

    for (unsigned i = 0; i < job->options->ranks; i++)
        if (rank_threads(job, i, &t)
            && mpi_tasks_count(&t, mpi_tasks_process(&t, job->rank[i].pid)) > 1)
            return false;
    return true;
}

static void fail(struct job *job)
{
    struct cause cause = { .kind = CAUSE_STANDSTILL, .text = standing_describe(job, true) };

    cause.code = (int)(job->options->ranks - job->running);
    job_fail(job, cause, SIGTERM);
}

/* Ranks that are at a standstill on the model clock stay there.  Those with other threads, which
 * must not call MPI but may end the job, have as much time for that as on the live clock. */
static void look_modelled(struct job *job, int64_t now)
{
    job->look_ns = now + INTERVAL_MODELLED;
    if (!nic_job_stands(job->nic))
        return;
    if (!job->stands_ns)
        job->stands_ns = now;
    bool patient = !all_alone(job);
    if (patient)
        job->look_ns = now + INTERVAL;
    if ((!patient || now - job->stands_ns >= 2 * INTERVAL) && all_wait(job))
        fail(job);
}

/* What stands may not know why: a rank that gave the wrong answer rings nobody.  So all look once
 * more; what they find then is better than the report of a standstill.  A nudge is good as long as
 * nothing comes of it; where something has, what stands now is another standstill. */
static bool nudge(struct job *job, int64_t now)
{
    uint64_t progress = nic_job_progress(job->nic);

    if (progress == job->nudged)
        return false;
    nic_job_nudge(job->nic);
    job->nudged = progress;
    job->look_ns = now + NUDGE_TAKES;
    job->still[0] = job->still[1] = 0;
    return true;
}

void standstill_look(struct job *job, int64_t now)
{
    if (nic_job_modelled(job->nic)) {
        look_modelled(job, now);
        return;
    }
    uint64_t answer = all_open(job) ? nic_job_standstill(job->nic) : 0;

    job->look_ns = now + INTERVAL;
    if (answer && answer != job->still[0] && nudge(job, now))
        return;
    if (answer && answer == job->still[0] && answer == job->still[1] && all_wait(job)
        && nic_job_standstill(job->nic) == answer) {
        fail(job);
        return;
    }
    if (answer != job->still[0])
        note_idle(job);
    job->still[1] = job->still[0];
    job->still[0] = answer;
}
