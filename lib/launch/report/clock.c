/* The model clock's report. */
#include "launch/report/clock.h"
#include "launch/report/explain.h"
#include "launch/ranks/job.h"
#include "nicemu/job.h"
#include "nicemu/model.h"
#include "launch/base/say.h"

#include <inttypes.h>
#include <string.h>

/* What the ranks could not write to their logs is missing in the whole. */
static bool report_log(const struct job *job, const char *log)
{
    unsigned ranks = job->options->ranks;
    int rc = nic_model_log_merge(log, ranks, nic_job_programs(job->nic));

    if (rc)
        say_unwritten(log, -rc);
    for (unsigned rank = 0; rank < ranks && !rc; rank++)
        if ((rc = nic_job_log_error(job->nic, rank)))
            say("cannot write %s.%u: %s", log, rank, strerror(-rc));
    return !rc;
}

/* In the unit in which it is a small number. */
static void say_time(const struct model *m, uint64_t ps)
{
    static const char *const unit[] = { "ns", "us", "ms", "s" };
    unsigned u = 0;
    double time = (double)ps * 1e-3;

    for (; time >= 1000 && u < 3; u++)
        time /= 1000;
    say("%.4g %s of virtual time on %s; --explain says where it went", time, unit[u], m->name);
}

/* For who has asked for the clock and for nothing that tells the time. */
static bool wants_time(const struct job *job)
{
    const struct model *m = &job->options->model;

    return m->profile && m->said_name && !m->hash && !m->explain.most && !job->options->quiet
        && job->cause.kind == CAUSE_NONE;
}

bool clock_report(const struct job *job)
{
    const struct model *m = &job->options->model;
    struct nic_model_result result;
    bool written = !m->log || report_log(job, m->log);

    if (m->profile && m->compute == NIC_COMPUTE_MEASURED && !job->options->quiet)
        say("--compute measured: the times of this run will not be the same in another one");
    written &= explain_report(job);
    if (written && wants_time(job) && nic_job_model_result(job->nic, &result))
        say_time(m, result.time);
    if (!m->hash)
        return written;
    if (job->cause.kind != CAUSE_ABORTED && nic_job_model_result(job->nic, &result))
        say("model hash %016" PRIx64 ", %" PRIu64 " events, %.12g s", result.hash, result.events,
            (double)result.time * 1e-12);
    else
        say("there is no model hash: not all ranks ended with MPI_Finalize, or one has written "
            "over what another left");
    return written;
}
