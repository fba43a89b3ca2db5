/* Starting one rank.  vfork, because the launcher's memory is not copied and because posix_spawn
 * can neither arrange for the child to die with its parent nor bind it. */
#include "launch/ranks/spawn.h"
#include "launch/base/calls.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A record is shorter than PIPE_BUF, so that those of several ranks do not mix. */
_Noreturn static void give_up(const struct spawn *s, char step)
{
    struct spawn_failure failure = { .rank = s->rank, .error = errno, .step = step };

    while (write(s->failures, &failure, sizeof failure) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* dup2 clears close-on-exec, and is no operation for the same number; standard descriptors are
 * never close-on-exec. */
static void arrange_descriptors(const struct spawn *s)
{
    if (call_dup(s->in, STDIN_FILENO) < 0 || call_dup(s->out, STDOUT_FILENO) < 0
        || call_dup(s->err, STDERR_FILENO) < 0)
        give_up(s, 'u');
}

/* The parent may have gone before the request to die with
 * it was in force; then its id is another one. */
static void die_with(pid_t parent)
{
    pid_t now;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent > 0 && (now = getppid()) >= 0 && now != parent)
        _exit(127);
}

/* The scheduler's automatic groups follow sessions (sched_autogroup_enabled), and ranks that share
 * one with the shell share its part of a busy machine.  No terminal is lost that a rank could have
 * read: it was in the background of the launcher's. */
static void leave_group(const struct spawn *s)
{
    if (!s->own_session || setsid() < 0)
        setpgid(0, 0);
}

/* Runs in the parent's memory: system calls only, no change to anything but the new process. */
_Noreturn static void become_rank(const struct spawn *s, pid_t parent)
{
    leave_group(s);
    die_with(parent);
    arrange_descriptors(s);
    if (s->files.rlim_max)          /* it is known what it was */
        setrlimit(RLIMIT_NOFILE, &s->files);
    if (s->cores)
        sched_setaffinity(0, sizeof *s->cores, s->cores->part);
    if (s->dir && chdir(s->dir) < 0)
        give_up(s, 'd');
    sigaction(SIGPIPE, &s->pipe_action, NULL);
    sigprocmask(SIG_SETMASK, &s->signal_mask, NULL);
    execve(s->path, s->argv, s->envp);
    if (errno == ENOEXEC)
        execve(s->shell_argv[0], s->shell_argv, s->envp);
    give_up(s, 'x');
}

pid_t spawn_rank(const struct spawn *s)
{
    pid_t parent = getpid(), pid = vfork();

    if (pid < 0 && call_refused(errno))
        pid = call_fork();
    if (pid == 0)
        become_rank(s, parent);
    if (pid < 0)
        return call_failed("vfork");
    return pid;
}
