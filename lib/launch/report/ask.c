/* Asking another program: no shell, no terminal, no network, never for long, and for no longer than
 * until somebody wants mpirun to end. */
#include "launch/report/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "launch/base/calls.h"
#include "launch/base/say.h"

enum { ANSWER_SIZE = 4096, ANSWER_MOST = 1 << 20 };
#define REAP_NS (100 * MS_NS)
#define LOOK_NS (50 * MS_NS)

_Noreturn static void become(int out, const char *const *argv)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setenv("DEBUGINFOD_URLS", "", 1);       /* it would ask servers for what is not here */
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0
        || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
}

static pid_t start(const char *const *argv, int *answer)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        become(ends[1], argv);
    close(ends[1]);
    *answer = ends[0];
    if (pid < 0)
        close(ends[0]);
    return pid;
}

/* Somebody wants mpirun to end, which will take that signal when it has answered or given up. */
static bool is_to_end(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0
           && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM)
               || sigismember(&pending, SIGHUP));
}

static bool readable(int fd, int64_t until)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    for (int64_t left; (left = until - now_ns()) > 0 && !is_to_end();) {
        int n = poll(&p, 1, left < LOOK_NS ? (int)(left / MS_NS) + 1 : (int)(LOOK_NS / MS_NS));
        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0;
    }
    return false;
}

/* The first line, without its end; nothing comes, or not in time: an empty one. */
static void read_line(int fd, char *line, size_t size, int64_t until)
{
    size_t used = 0;

    line[0] = 0;
    while (used < size - 1 && !strchr(line, '\n') && readable(fd, until)) {
        ssize_t n = read(fd, line + used, size - 1 - used);
        if (n <= 0)
            break;
        line[used += (size_t)n] = 0;
    }
    line[strchr(line, '\n') ? strcspn(line, "\n") : 0] = 0;
}

/* A program that the kernel does not let go is left to whoever inherits it. */
static void end(pid_t pid)
{
    const struct timespec pause = { .tv_nsec = MS_NS };
    int status;

    call_signal(pid, SIGKILL);
    for (int64_t until = now_ns() + REAP_NS; call_wait(pid, &status) == 0 && now_ns() < until;)
        nanosleep(&pause, NULL);
}

void ask_line(const char *const *argv, char *line, size_t size, int64_t until)
{
    int answer;
    pid_t pid = start(argv, &answer);

    line[0] = 0;
    if (pid < 0)
        return;
    read_line(answer, line, size, until);
    close(answer);
    end(pid);
}

/* To be freed. */
static char *read_all(int fd, int64_t until)
{
    size_t used = 0, room = ANSWER_SIZE;
    char *text = need(malloc(room));

    while (used < ANSWER_MOST && readable(fd, until)) {
        if (used + 1 == room)
            text = need(realloc(text, room *= 2));
        ssize_t n = read(fd, text + used, room - used - 1);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    text[used] = 0;
    return text;
}

char *ask_all(const char *const *argv, int64_t until)
{
    int answer;
    pid_t pid = start(argv, &answer);

    if (pid < 0)
        return NULL;
    char *text = read_all(answer, until);
    close(answer);
    end(pid);
    return text;
}
