/* Time that passes for a job. */
#include "launch/tick.h"
#include "launch/base/say.h"
#include "launch/ranks/end.h"
#include "launch/ranks/job.h"
#include "launch/report/loaded.h"
#include "launch/report/standing.h"
#include "launch/standstill.h"

#include <signal.h>
#include <stddef.h>

/* Who does not read what is said must not keep it from being noticed. */
void job_set_deadline(struct job *job, int64_t ns)
{
    job->deadline_ns = ns;
    if (!job->sent)
        say_hurry(ns);
}

void job_tick(struct job *job, int64_t now)
{
    if (!job->running)
        return;
    if (job->sent) {
        if (now >= job->escalate_ns)
            job_escalate(job);
        return;
    }
    loaded_tick(job, now);
    if (job->deadline_ns && now >= job->deadline_ns)
        job_fail(job,
                 (struct cause){ .kind = CAUSE_TIMEOUT, .text = standing_describe(job, false) },
                 SIGTERM);
    else if (job->options->watch_standstill && now >= job->look_ns)
        standstill_look(job, now);
}

int64_t tick_earlier(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

int64_t job_due(const struct job *job)
{
    int64_t due = loaded_due(job);

    if (!job->running)
        return -1;
    if (job->sent)
        return job->escalate_ns;
    if (job->options->watch_standstill)
        due = tick_earlier(due, job->look_ns);
    return tick_earlier(due, job->deadline_ns ? job->deadline_ns : -1);
}
