/* No orphan is left.  Three nets, from the usual to the rare:
 * - descendants of ranks return to the launcher (subreaper) and are killed when the ranks have
 *   ended;
 * - ranks die with the launcher, however it dies (see spawn.c);
 * - if the launcher was killed, the guard kills whoever carries the job's mark in the
 * environment. */
#include "launch/ranks/family.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Reads a whole file of /proc, which has no size; NULL if it cannot be read. */
static char *read_proc(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t room = 0;
    char *text = NULL;
    ssize_t n = 1;

    *size = 0;
    while (fd >= 0 && n > 0) {
        if (room - *size < 4096)
            text = need(realloc(text, (room += 16384) + 1));
        n = read(fd, text + *size, room - *size);
        *size += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    if (text)
        text[*size] = 0;
    return text;
}

static bool has_mark(const char *pid, const char *mark)
{
    char path[64];
    size_t size;

    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    char *environment = read_proc(path, &size);
    bool found = false;
    for (const char *var = environment; var && !found && var < environment + size;
         var += strlen(var) + 1)
        found = strcmp(var, mark) == 0;
    free(environment);
    return found;
}

/* Kills all processes with the mark "NAME=VALUE" but this one; returns their number. */
static unsigned kill_marked(const char *mark)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    unsigned count = 0;

    while (proc && (entry = readdir(proc))) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid > 0 && pid != getpid() && has_mark(entry->d_name, mark)
            && call_signal(pid, SIGKILL) == 0)
            count++;
    }
    if (proc)
        closedir(proc);
    return count;
}

/* Closes the descriptors from `first` to `last`. */
static void close_from(unsigned first, unsigned last)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, last, 0u) == 0)
        return;
#endif
    for (unsigned fd = first; fd <= last && fd < 65536; fd++)
        close((int)fd);
}

/* The guard: waits for the launcher's end in a session of its own, where no signal of a terminal
 * and no kill of a process group reaches it.  It ends with the second pass in a row that finds
 * nobody, because a process may have been between fork and exec in the first. */
_Noreturn static void guard_run(int lifeline, const char *value)
{
    char mark[sizeof FAMILY_VAR + 64], byte;
    struct timespec pause = { .tv_nsec = 10 * MS_NS };

    setsid();
    if (lifeline > 0)
        close_from(0, (unsigned)lifeline - 1);
    close_from((unsigned)lifeline + 1, ~0u);
    snprintf(mark, sizeof mark, "%s=%s", FAMILY_VAR, value);
    while (read(lifeline, &byte, 1) < 0 && errno == EINTR)
        ;
    for (unsigned clean = 0, pass = 0; clean < 2 && pass < 500; pass++) {
        clean = kill_marked(mark) ? 0 : clean + 1;
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

/* Lists the children of this process, to be freed; NULL if the kernel does not tell. */
static pid_t *list_children(size_t *count)
{
    size_t size;
    char *text = read_proc("/proc/thread-self/children", &size), *next = text, *end;

    *count = 0;
    if (!text)
        return NULL;
    pid_t *list = need(calloc(size / 2 + 1, sizeof *list));     /* a number and a blank each */
    for (long pid = strtol(next, &end, 10); end > next; pid = strtol(next = end, &end, 10))
        list[(*count)++] = (pid_t)pid;
    free(text);
    return list;
}

static bool is_ours(const struct family *f, pid_t pid)
{
    for (size_t i = 0; i < f->strangers; i++)
        if (f->stranger[i] == pid)
            return false;
    return pid != f->guard;
}

/* Kills our children but the guard; returns their number,
 * or -1 if the kernel does not list them. */
static int kill_children(const struct family *f)
{
    size_t children;
    pid_t *child = list_children(&children);
    int count = 0;

    if (!child)
        return -1;
    for (size_t i = 0; i < children; i++)
        count += is_ours(f, child[i]) && call_signal(child[i], SIGKILL) == 0;
    free(child);
    return count;
}

void family_begin(struct family *f)
{
    int ends[2];

    snprintf(f->mark, sizeof f->mark, "%ld-%llx", (long)getpid(), (unsigned long long)now_ns());
    f->guard = 0;
    f->lifeline = -1;
    f->stranger = list_children(&f->strangers);
    f->adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    f->guard = fork();
    if (f->guard == 0) {
        close(ends[1]);
        guard_run(ends[0], f->mark);
    }
    f->lifeline = ends[1];
    close(ends[0]);
}

/* Waits for one of our children, -1: any, that is about to end.  False: there is none. */
static bool wait_for(pid_t pid)
{
    const struct timespec pause = { .tv_nsec = MS_NS };
    int status;
    pid_t ended = waitpid(pid, &status, 0);

    while (ended < 0 && errno == EINTR)
        ended = waitpid(pid, &status, 0);
    if (ended < 0 && call_refused(errno))
        while ((ended = call_wait(pid, &status)) == 0)
            nanosleep(&pause, NULL);
    return ended > 0;
}

/* Where no signal may be sent, the guard ends because its pipe does. */
static void end_guard(struct family *f)
{
    bool killed = f->guard > 0 && call_signal(f->guard, SIGKILL) == 0;

    if (f->lifeline >= 0 && !killed)
        close(f->lifeline);
    if (f->guard > 0)
        wait_for(f->guard);
    if (f->lifeline >= 0 && killed)
        close(f->lifeline);
    f->guard = 0;
    f->lifeline = -1;
    free(f->stranger);
    f->stranger = NULL;
    f->strangers = 0;
}

/* A child that is killed hands its own children to us before it can be waited for; so when no child
 * is left, no descendant is. */
void family_end(struct family *f)
{
    char mark[sizeof FAMILY_VAR + 64];
    int count;

    if (!f->mark[0])
        return;
    snprintf(mark, sizeof mark, "%s=%s", FAMILY_VAR, f->mark);
    /* of the ends of children: else those that have ended count for ever */
    bool told = true;
    while (told && (count = kill_children(f)) > 0)
        for (; told && count > 0; count--)
            told = wait_for(-1);
    end_guard(f);
    if (count < 0 || !f->adopts)
        kill_marked(mark);
    while (call_wait(-1, &count) > 0)
        ;
}
