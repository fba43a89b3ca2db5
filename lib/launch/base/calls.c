/* System calls that a filter may refuse.  Each is tried first as everybody does it, so nothing is
 * asked in advance. */
#include "launch/base/calls.h"
#include "launch/base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *noted = "";

bool call_refused(int error)
{
    return error == EPERM || error == ENOSYS || error == EACCES;
}

int call_failed(const char *call)
{
    noted = call;
    return -errno;
}

const char *call_noted(void)
{
    return noted;
}

static int poll_timeout(int64_t ns)
{
    int64_t ms = (ns + MS_NS - 1) / MS_NS;

    return ns < 0 ? -1 : ms > INT_MAX ? INT_MAX : (int)ms;
}

int call_poll(struct pollfd *fds, unsigned count, int64_t ns)
{
    struct timespec limit = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    int n = poll(fds, count, poll_timeout(ns));

    if (n < 0 && call_refused(errno))
        n = ppoll(fds, count, ns < 0 ? NULL : &limit, NULL);
    if (n < 0)
        call_failed("poll");
    return n;
}

/* Puts together what waitpid would have given. */
static int status_of(const siginfo_t *info)
{
    if (info->si_code == CLD_EXITED)
        return (info->si_status & 255) << 8;
    return info->si_status | (info->si_code == CLD_DUMPED ? 128 : 0);
}

pid_t call_wait(pid_t pid, int *status)
{
    siginfo_t info = { 0 };
    pid_t ended = waitpid(pid, status, WNOHANG);

    if (ended >= 0 || !call_refused(errno))
        return ended;
    if (waitid(pid < 0 ? P_ALL : P_PID, (id_t)pid, &info, WEXITED | WNOHANG) < 0) {
        if (call_refused(errno))
            call_failed("wait4");
        return -1;
    }
    *status = status_of(&info);
    return info.si_pid;
}

pid_t call_peek(int *status)
{
    siginfo_t info = { 0 };

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return call_refused(errno) ? call_wait(-1, status) : -1;
    *status = status_of(&info);
    return info.si_pid;
}

static int signal_by_descriptor(pid_t pid, int signal)
{
#ifdef SYS_pidfd_send_signal
    int fd = (int)syscall(SYS_pidfd_open, pid, 0u);
    int rc = fd < 0 ? -1 : (int)syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0u);

    if (fd >= 0)
        close(fd);
    return rc;
#else
    (void)pid, (void)signal;
    return -1;
#endif
}

int call_signal(pid_t pid, int signal)
{
    if (kill(pid, signal) == 0)
        return 0;
    if (!call_refused(errno))
        return -1;
    if (signal_by_descriptor(pid, signal) == 0 || syscall(SYS_tgkill, pid, pid, signal) == 0)
        return 0;
    call_failed("kill");
    return -1;
}

int call_dup(int fd, int to)
{
    int rc = fd == to ? to : dup2(fd, to);

    return rc < 0 && call_refused(errno) ? dup3(fd, to, 0) : rc;
}

int call_raise(int fd)
{
    enum { LEAST = 64 };        /* as of the job's, see nicemu/job/create.c */
    int flags = fcntl(fd, F_GETFD);
    int high = flags < 0 ? -1 : fcntl(fd, flags ? F_DUPFD_CLOEXEC : F_DUPFD, LEAST);

    if (high < 0)
        return fd;
    close(fd);
    return high;
}

pid_t call_fork(void)
{
    pid_t pid = fork();

    if (pid < 0)
        call_failed("fork");
    return pid;
}
