/* mpirun: starts the ranks of a job on this machine, serves them and ends with them. */
#include "launch/base/calls.h"
#include "launch/cluster/cluster.h"
#include "launch/report/clock.h"
#include "launch/report/codes.h"
#include "launch/ranks/check.h"
#include "launch/ranks/end.h"
#include "launch/ranks/exit_code.h"
#include "launch/report/foreign.h"
#include "launch/report/loaded.h"
#include "launch/ranks/job.h"
#include "launch/ranks/layout.h"
#include "launch/ranks/seating.h"
#include "launch/loop.h"
#include "nicemu/job.h"
#include "launch/report/last_word.h"
#include "launch/timeline/timeline.h"
#include "launch/base/say.h"
#include "launch/ranks/start.h"
#include "launch/tick.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Descriptors 0 to 2 must be taken, else a pipe could get such a number.  Whatever is written to
 * one that was closed is refused as before, and so does not get lost unnoticed. */
static void open_standard(void)
{
    int fd;

    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
        fcntl(fd, F_SETFD, 0);
    if (fd >= 0)
        close(fd);
}

static bool is_ignored(int signal)
{
    struct sigaction action;

    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* From here on signals come through a descriptor.  Those that we were started to ignore (nohup,
 * background jobs of a script) stay ignored, by us and by the ranks. */
static int take_over_signals(struct before *before)
{
    static const int asked[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
    static const int always[] = { SIGCONT, SIGUSR1, SIGUSR2, SIGCHLD };
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t mask;

    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!is_ignored(asked[i]))
            sigaddset(&mask, asked[i]);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        sigaddset(&mask, always[i]);
    signal(SIGCHLD, SIG_DFL);
    sigaction(SIGPIPE, &ignore, &before->pipe_action);
    if (sigprocmask(SIG_BLOCK, &mask, &before->signal_mask) < 0)
        return call_failed("rt_sigprocmask");
    int fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? call_failed("signalfd4") : fd;
}

static void release(struct job *job)
{
    input_close(&job->input);
    output_close(&job->output);
    if (job->failures >= 0)
        close(job->failures);
    crashes_close(&job->crashes);
    findings_close(&job->findings);
    traced_close(&job->traced);
    if (job->nic)
        nic_job_close(job->nic);
    free(job->cause.text);
    for (unsigned i = 0; job->path && i < job->options->apps; i++)
        free(job->path[i]);
    free(job->path);
    free(job->rank);
}

/* As the signal does by itself: then a shell with a loop around us takes it for its own, too. */
static void die_of(int signal)
{
    struct sigaction standard = { .sa_handler = SIG_DFL };
    sigset_t mask;

    fflush(NULL);
    sigaction(signal, &standard, NULL);
    raise(signal);
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

/* A job of which not all ranks could be started is ended before it is served. */
static int run(const struct options *options, const struct layout *layout)
{
    struct job job = { .options = options, .failures = -1, .input.null = -1,
                       .crashes = { .pipe = -1, .theirs = -1 },
                       .findings = { .pipe = -1, .theirs = -1 },
                       .family.lifeline = -1, .traced.fd = -1 };
    struct before before;
    int signals = take_over_signals(&before);

    if (signals < 0) {
        say("cannot take signals: %s: %s", call_noted(), strerror(-signals));
        return 1;
    }
    bool told = foreign_tell(options);
    int rc = start_job(&job, &before, layout);
    if (rc) {
        job_signal(&job, SIGKILL);
        family_end(&job.family);
    } else {
        job_set_deadline(&job, options->timeout_ns ? now_ns() + options->timeout_ns : 0);
        if (!told && options->ranks > 1 && !options->quiet)
            loaded_begin(&job, now_ns());
        loop_run(&job, signals);
        traced_end(&job.traced);
        bool written = clock_report(&job);
        written &= timeline_write(&job);
        report_print(&job);
        if (options->print_codes)
            codes_print(&job);
        if (!told)
            foreign_warn(&job);
        check_warn(&job);
        rc = job_exit_code(&job);
        rc = rc || written ? rc : 1;
    }
    bool by_user = job.cause.kind == CAUSE_INTERRUPTED && job.cause.code == SIGINT;
    release(&job);
    close(signals);
    if (by_user)
        die_of(SIGINT);
    return rc;
}

/* Where it is to run is known before anything is started. */
static int lay_out_and_run(struct options *options)
{
    struct layout layout;
    int rc = layout_look(&layout, options);

    if (!rc)
        rc = layout_make(&layout, options);
    if (!rc)
        rc = seating_tell(&layout, options);
    if (!rc && !options->dry_run)
        rc = run(options, &layout);
    layout_free(&layout);
    return rc;
}

int main(int argc, char **argv)
{
    struct options options;

    (void)argc;
    open_standard();
    int rc = options_parse(&options, argv);
    if (rc < 0)
        rc = options.hosts.elsewhere ? cluster_run(&options) : lay_out_and_run(&options);
    options_free(&options);
    return rc ? rc : exit_code_of_loss(say_error());
}
