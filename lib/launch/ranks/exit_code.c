/* What mpirun ends with. */
#include "launch/ranks/exit_code.h"
#include "launch/ranks/job.h"
#include "nicemu/job.h"
#include "launch/base/say.h"
#include "launch/io/loss.h"

#include <errno.h>
#include <signal.h>

/* An exit code has 8 bits: a failure must not become 0 for want of them. */
static int low_byte(int code)
{
    return code && !(code & 255) ? 1 : code & 255;
}

static int start_code(int error)
{
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int exit_code_of_loss(int error)
{
    return error == EPIPE ? EXIT_SIGNAL + SIGPIPE : error ? 1 : 0;
}

/* A rank has said what it could not write, and why. */
static bool rank_lost(const struct job *job)
{
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (nic_job_lost(job->nic, i))
            return true;
    return false;
}

int job_exit_code(const struct job *job)
{
    int lost = exit_code_of_loss(output_error(&job->output));

    switch (job->cause.kind) {
    case CAUSE_NONE:
        /* A rank that --check has found something in ends with the code that it has anyway. */
        return lost ? lost : job->findings.wrong || rank_lost(job);
    case CAUSE_KILLED:
    case CAUSE_INTERRUPTED:
        return EXIT_SIGNAL + job->cause.code;
    case CAUSE_EXIT:
    case CAUSE_ABORTED:
        return low_byte(job->cause.code);
    case CAUSE_NOT_STARTED:
        return start_code(job->cause.code);
    case CAUSE_TIMEOUT:
        return EXIT_TIMEOUT;
    case CAUSE_UNFINISHED:
    case CAUSE_STANDSTILL:
    case CAUSE_OUTPUT:
    case CAUSE_REFUSED:
        break;
    }
    return 1;
}
