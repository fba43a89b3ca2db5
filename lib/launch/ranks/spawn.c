/* Starting one rank.  vfork, because the launcher's memory is not copied and because posix_spawn
 * can neither arrange for the child to die with its parent nor bind it.
 *
 * The launcher has two pipes from each rank that runs.  A copy of its table of descriptors for each
 * rank, most of which close at exec, would take time with the square of the ranks: of 4,096 more
 * than a quarter of all.  So a child shares the table, until it takes a copy of the lowest
 * descriptors only. */
#include "launch/ranks/spawn.h"
#include "launch/base/calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The address sanitizer takes a stack that it does not know for a mistake. */
#ifdef __SANITIZE_ADDRESS__
enum { MAY_SHARE = 0 };
#else
enum { MAY_SHARE = 1 };
#endif

enum { UNSHARE = 2, STACK_BYTES = 1 << 16 };    /* CLOSE_RANGE_UNSHARE */

/* -- few descriptors */

/* This process, or a child that shares its descriptors, has those below `first` only, and they are
 * its own. */
static int keep_below(unsigned first)
{
#ifdef SYS_close_range
    return (int)syscall(SYS_close_range, first, UINT_MAX, UNSHARE);
#else
    return errno = ENOSYS, -1;
#endif
}

/* Valgrind around the launcher ends it for a call of clone that is no vfork. */
static bool may_share(void)
{
    const char *loaded = getenv("LD_PRELOAD");

    return MAY_SHARE && !(loaded && strstr(loaded, "vgpreload"));
}

/* -1: nobody knows. */
static int highest_open(void)
{
    DIR *open = opendir("/proc/self/fd");
    const struct dirent *entry;
    int highest = -1;

    if (!open)
        return -1;
    while ((entry = readdir(open)))
        if (atoi(entry->d_name) > highest)
            highest = atoi(entry->d_name);
    closedir(open);
    return highest;
}

void spawn_end(struct spawn *s)
{
    for (int i = 0; i < 3; i++) {
        if (s->low[i] >= 0)
            close(s->low[i]);
        s->low[i] = -1;
    }
    s->limit = 0;
}

/* Where the kernel knows no such call, or must not make it, the limit stays 0. */
void spawn_begin(struct spawn *s)
{
    bool taken = may_share();
    int highest;

    for (int i = 0; i < 3; i++) {
        s->low[i] = taken ? fcntl(s->failures, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
        taken = s->low[i] >= 0;
    }
    highest = taken ? highest_open() : -1;
    s->limit = highest < 0 || keep_below(UINT_MAX) < 0 ? 0 : (unsigned)highest + 1;
    if (!s->limit)
        spawn_end(s);
}

/* The launcher's copies of them go with the next rank's, or with spawn_end. */
static bool put_low(const struct spawn *s)
{
    return s->limit && dup3(s->in, s->low[0], O_CLOEXEC) >= 0
           && dup3(s->out, s->low[1], O_CLOEXEC) >= 0 && dup3(s->err, s->low[2], O_CLOEXEC) >= 0;
}

/* -- the child */

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
static void arrange_descriptors(const struct spawn *s, bool shares)
{
    const int own[] = { s->in, s->out, s->err }, *from = shares ? s->low : own;

    if (shares && keep_below(s->limit) < 0)
        give_up(s, 'u');
    for (int i = 0; i < 3; i++)
        if (call_dup(from[i], i) < 0)
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
_Noreturn static void become_rank(const struct spawn *s, pid_t parent, bool shares)
{
    leave_group(s);
    die_with(parent);
    arrange_descriptors(s, shares);
    if (s->files.rlim_max)          /* it is known what it was */
        setrlimit(RLIMIT_NOFILE, &s->files);
    if (s->cores)
        sched_setaffinity(0, sizeof *s->cores, s->cores->part);
    if (s->dir && chdir(s->dir) < 0)
        give_up(s, 'd');
    sigaction(SIGPIPE, &s->pipe_action, NULL);
    sigprocmask(SIG_SETMASK, &s->signal_mask, NULL);
    execve(s->path, s->argv, s->envp);
    if (errno == ENOEXEC && s->shell_argv)
        execve(s->shell_argv[0], s->shell_argv, s->envp);
    give_up(s, 'x');
}

struct child { const struct spawn *spawn; pid_t parent; };

static int begin(void *argument)
{
    const struct child *c = argument;

    become_rank(c->spawn, c->parent, true);
}

/* As vfork, with a shared table of descriptors, which no child may change. */
static pid_t fork_sharing(const struct spawn *s)
{
    static _Alignas(64) char stack[STACK_BYTES];
    struct child child = { s, getpid() };

    return clone(begin, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD,
                 &child);
}

pid_t spawn_rank(const struct spawn *s)
{
    pid_t parent = getpid(), pid = put_low(s) ? fork_sharing(s) : -1;

    if (pid > 0)
        return pid;
    pid = vfork();
    if (pid < 0 && call_refused(errno))
        pid = call_fork();
    if (pid == 0)
        become_rank(s, parent, false);
    if (pid < 0)
        return call_failed("vfork");
    return pid;
}
