/* Reports: one write each, so that those of several ranks do not mix; and the exit code. */
#define _GNU_SOURCE
#include "check/report.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/object.h"
#include "base/printable.h"
#include "check/caller.h"

enum { MOST = 20, EXIT_FOUND = 1 };

static _Atomic unsigned count;

/* -- places */

/* The first line that addr2line says; false: it says nothing.  It loads nothing that ranks do, and
 * asks no server for what is not here. */
static bool ask(const char *path, const char *address, char *line, size_t size)
{
    const char *argv[] = { "addr2line", "-e", path, address, NULL };
    const char *environment[] = { "DEBUGINFOD_URLS=", "LC_ALL=C", NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool asked = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv,
                              (char *const *)environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *in = asked ? fdopen(ends[0], "r") : NULL;
    bool said = in && fgets(line, (int)size, in);
    if (in)
        fclose(in);
    else
        close(ends[0]);
    if (asked)
        waitpid(pid, &status, 0);
    return said;
}

const char *check_place(const void *caller, char *text, size_t size)
{
    uintptr_t at = (uintptr_t)caller - 1;
    char address[32], line[1024], self[1024];
    Dl_info object;

    if (!caller || !dladdr((void *)at, &object)) {
        snprintf(text, size, "%p", caller);
        return text;
    }
    const char *path = object.dli_fname;
    ssize_t n = path && *path == '/' ? -1 : readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        path = self;
    }
    snprintf(address, sizeof address, "0x%zx", (size_t)(at - mpi_object_base(&object)));
    const char *folder = strrchr(path, '/'), *file = folder ? folder + 1 : path;
    char *known = ask(path, address, line, sizeof line) ? mpi_object_line(line) : NULL;
    if (known)
        snprintf(text, size, "%s (%s+%s)", known, file, address);
    else
        snprintf(text, size, "%s+%s", file, address);
    return text;
}

/* -- lines */

void check_report(const char *format, ...)
{
    char text[1024], shown[1200], line[1400];
    unsigned before = atomic_fetch_add(&count, 1);
    int rank = 0;
    va_list args;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printable(shown, sizeof shown, text, "");
    int n = before < MOST ? snprintf(line, sizeof line, "check: rank %d: %s\n", rank, shown)
            : before == MOST ? snprintf(line, sizeof line, "check: rank %d: and more\n", rank) : 0;
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        return;
}

/* Registered first, and so called when all that the program has registered is done. */
static void leave(int status, void *argument)
{
    (void)argument;
    if (status || !count)
        return;
    fflush(NULL);
    _exit(EXIT_FOUND);
}

__attribute__((constructor)) static void begin(void)
{
    on_exit(leave, NULL);
}
