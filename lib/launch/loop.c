/* Serving a job: signals, output, input, time. */
#include "launch/loop.h"
#include "launch/base/calls.h"
#include "launch/ranks/end.h"
#include "launch/ranks/job.h"
#include "launch/ranks/reap.h"
#include "launch/base/say.h"
#include "launch/report/standing.h"
#include "launch/tick.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* How long the output of a job that was told to end may take. */
#define LAST_WORDS (500 * MS_NS)

enum { SLOT_SIGNALS, SLOT_CRASHES, SLOT_FINDINGS, SLOT_OUTPUT, SLOT_INPUT = SLOT_OUTPUT + 2 };

struct loop {
    struct job *job;
    int signals;
    struct pollfd *slots;
    bool interrupted;           /* the user asked for the end */
};

/* With the two lines around it, what fits where somebody wants to stop. */
enum { BRIEF_LINES = 8 };

static void tell(const char *head, char *standing)
{
    if (standing)
        say("%s:\n%.*s", head, (int)strlen(standing) - 1, standing);
    free(standing);
}

/* Ctrl-\: where the ranks stand; they go on. */
static void tell_standing(const struct job *job)
{
    char *standing = job->running ? standing_describe(job, false) : NULL;

    if (!standing)
        say("no rank has called MPI_Init yet");
    tell("the ranks stand here, and go on", standing);
}

/* The first request is passed on and leaves time to react; the next one is meant. */
static void interrupt(struct loop *l, int signal)
{
    l->interrupted = true;
    say_hurry(now_ns());
    if (l->job->sent) {
        job_signal(l->job, SIGKILL);
        l->job->sent = SIGKILL;
    } else {
        struct cause cause = { .kind = CAUSE_INTERRUPTED, .code = signal };
        if (signal == SIGINT && !l->job->options->quiet)
            tell("the job is being ended (Ctrl-C once more: at once); the ranks stood here",
                 standing_brief(l->job, BRIEF_LINES));
        cause.text = signal == SIGQUIT ? standing_describe(l->job, false) : NULL;
        job_fail(l->job, cause, signal);
    }
}

static bool is_pending(int signal)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

/* Stops the ranks and then this process; when it goes on, SIGCONT is pending and is handled like
 * any other.  One that has come already is meant, too: to stop would discard it, and nobody would
 * send another. */
static void suspend(struct loop *l)
{
    int64_t begin = now_ns();

    job_signal(l->job, SIGSTOP);
    if (!is_pending(SIGCONT))
        raise(SIGSTOP);
    if (l->job->deadline_ns)
        job_set_deadline(l->job, l->job->deadline_ns + now_ns() - begin);
}

static void take_signal(struct loop *l, int signal)
{
    switch (signal) {
    case SIGCHLD:
        job_reap(l->job);
        break;
    case SIGTSTP:
        suspend(l);
        break;
    case SIGCONT:
    case SIGUSR1:
    case SIGUSR2:
        job_signal(l->job, signal);
        break;
    case SIGQUIT:
        if (!l->job->options->debugging.pass_quit) {
            tell_standing(l->job);
            break;
        }
        /* fall through */
    default:
        interrupt(l, signal);
    }
}

/* One by one: what suspend looks for must not have been read with the SIGTSTP before it. */
static void take_signals(struct loop *l)
{
    struct signalfd_siginfo info;

    while (read(l->signals, &info, sizeof info) == sizeof info)
        take_signal(l, (int)info.ssi_signo);
}

static void wait_for(struct loop *l, unsigned slots, int64_t ns)
{
    l->slots[SLOT_SIGNALS] = (struct pollfd){ .fd = l->signals, .events = POLLIN };
    l->slots[SLOT_CRASHES] = (struct pollfd){ .fd = l->job->crashes.pipe, .events = POLLIN };
    l->slots[SLOT_FINDINGS] = (struct pollfd){ .fd = l->job->findings.pipe, .events = POLLIN };
    int n = call_poll(l->slots, slots, ns);
    if (n < 0 && call_refused(errno))
        job_give_up(l->job, errno);
    for (unsigned i = 0; n <= 0 && i < slots; i++)
        l->slots[i].revents = 0;
}

static bool any_ready(const struct pollfd *slots, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (slots[i].revents)
            return true;
    return false;
}

/* One turn while ranks are running. */
static void turn(struct loop *l)
{
    struct job *job = l->job;
    int64_t now = now_ns(), due = job_due(job), wait = due < 0 ? -1 : due > now ? due - now : 0;

    wait = tick_earlier(wait, output_prepare(&job->output, l->slots + SLOT_OUTPUT, now));
    int64_t said = findings_due(&job->findings);
    wait = tick_earlier(wait, said < 0 ? -1 : said > now ? said - now : 0);
    wait = tick_earlier(wait, input_paused(&job->input) ? 250 * MS_NS : -1);
    unsigned inputs = input_prepare(&job->input, l->slots + SLOT_INPUT);
    wait_for(l, SLOT_INPUT + inputs, wait);
    now = now_ns();
    output_move(&job->output, l->slots + SLOT_OUTPUT, now);
    job_look_at_output(job);
    if (l->slots[SLOT_CRASHES].revents)
        crashes_read(&job->crashes);
    if (l->slots[SLOT_FINDINGS].revents)
        findings_read(&job->findings, now);
    findings_print(&job->findings, now);
    if (any_ready(l->slots + SLOT_INPUT, inputs))
        input_move(&job->input, l->slots + SLOT_INPUT, inputs);
    if (l->slots[SLOT_SIGNALS].revents)
        take_signals(l);
    job_tick(job, now);
}

/* All writers are gone; what they wrote waits for our reader,
 * for as long as the user has patience. */
static void drain(struct loop *l)
{
    bool hurried = l->interrupted || l->job->cause.kind == CAUSE_TIMEOUT;
    int64_t end = now_ns() + LAST_WORDS;

    while (!output_drain(&l->job->output) && !l->job->helpless) {
        int64_t now = now_ns();
        if (hurried && now >= end)
            return;
        l->interrupted = false;
        output_prepare(&l->job->output, l->slots + SLOT_OUTPUT, now);
        wait_for(l, SLOT_INPUT, hurried ? end - now : -1);
        if (l->slots[SLOT_SIGNALS].revents)
            take_signals(l);
        if (l->interrupted)
            return;
    }
}

void loop_run(struct job *job, int signals)
{
    struct loop l = { .job = job, .signals = signals };

    l.slots = need(calloc(SLOT_INPUT + input_polls(&job->input) + 1, sizeof *l.slots));
    job->look_ns = now_ns();
    while (job->running && !job->helpless)
        turn(&l);
    family_end(&job->family);
    crashes_read(&job->crashes);
    findings_read(&job->findings, now_ns());
    drain(&l);
    findings_print(&job->findings, INT64_MAX);
    free(l.slots);
}
