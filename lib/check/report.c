/* Reports: one write each, so that those of several ranks do not mix; and the exit code. */
#define _GNU_SOURCE
#include "check/report.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/findings.h"
#include "base/object.h"
#include "base/printable.h"
#include "check/shadowed.h"
#include "mpi/door.h"
#include "nicemu/job.h"

/* Lines of each kind; of them alike. */
enum { MOST = 20, ALIKE = 3, EXIT_FOUND = 1 };

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

/* addr2line takes milliseconds, and a loop names the same places again and again. */
struct known { struct known *next; char *at, *line; };
static struct known *places;
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

/* "" where nothing is known. */
static const char *line_of(const char *path, const char *address)
{
    char at[1200], line[1024];
    struct known *k = places;

    snprintf(at, sizeof at, "%s+%s", path, address);
    while (k && strcmp(k->at, at))
        k = k->next;
    if (k)
        return k->line;
    const char *known = ask(path, address, line, sizeof line) ? mpi_object_line(line) : NULL;
    if (!(k = calloc(1, sizeof *k)) || !(k->at = strdup(at))
        || !(k->line = strdup(known ? known : "")))
        abort();
    k->next = places;
    places = k;
    return k->line;
}

const char *check_place(const void *caller, char *text, size_t size)
{
    uintptr_t at = (uintptr_t)caller - 1;
    char address[32], self[1024];
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
    pthread_mutex_lock(&places_lock);
    const char *line = line_of(path, address);
    if (*line)
        snprintf(text, size, "%s (%s+%s)", line, file, address);
    else
        snprintf(text, size, "%s+%s", file, address);
    pthread_mutex_unlock(&places_lock);
    return text;
}

/* -- lines */

/* The pipe to mpirun, which says once what several ranks say.  A program may have closed what it
 * does not know, and opened something else. */
static struct { bool looked; int fd; dev_t device; ino_t inode; } told = { .fd = -1 };

/* A program that a rank has started, which took the job's variables away: it has a job of its own,
 * and no rank that mpirun knows. */
static bool is_stranger;

static void find_pipe(void)
{
    const char *text = getenv(FINDINGS_ENV_FD);
    struct stat st;
    int fd = text ? mpi_door.nic_fd_find(text) : -1;

    told.looked = true;
    if (fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        told.fd = fd;
        told.device = st.st_dev;
        told.inode = st.st_ino;
    }
}

/* It is looked for when it is needed: a shell that a rank is started by loads this library, too. */
static bool pipe_is_open(void)
{
    struct stat st;

    if (!told.looked)
        find_pipe();
    return !is_stranger && told.fd >= 0 && fstat(told.fd, &st) == 0 && S_ISFIFO(st.st_mode)
           && st.st_dev == told.device && st.st_ino == told.inode;
}

/* Something wrong that mpirun has not got: nobody else makes the job fail. */
static atomic_bool untold;

static void tell(unsigned rank, char mark, const char *said)
{
    char line[FINDING_BYTES - 1];
    int n = snprintf(line, sizeof line, "%u %c %s\n", rank, mark, said);

    if (pipe_is_open() && write(told.fd, line, (size_t)n) == n)
        return;
    if (mark == FINDING_WRONG)
        untold = true;
    if (is_stranger)
        n = snprintf(line, sizeof line, "check: %s: %s\n", program_invocation_short_name, said);
    else
        n = snprintf(line, sizeof line, "check: rank %u: %s\n", rank, said);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        return;
}

void check_report_here(void)
{
    char line[32];
    unsigned rank = mpi_door.nic_rank(mpi_door.nic());
    int n = snprintf(line, sizeof line, "%u %c \n", rank, FINDING_NONE);

    if (pipe_is_open() && write(told.fd, line, (size_t)n) < 0)
        return;
}

/* What has been said, of each kind, and how often. */
struct said { unsigned lines, texts; struct { char *text; unsigned times; } text[MOST]; };
static struct said wrong, remarks;
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned times_of(struct said *s, const char *text)
{
    for (unsigned i = 0; i < s->texts; i++)
        if (!strcmp(s->text[i].text, text))
            return ++s->text[i].times;
    if (s->texts < MOST && (s->text[s->texts].text = strdup(text)))
        s->text[s->texts++].times = 1;
    return 1;
}

/* NULL: nothing more is said of it. */
static const char *words_for(struct said *s, const char *text, const char **before)
{
    unsigned times = times_of(s, text);

    if (times > ALIKE + 1 || s->lines > MOST)
        return NULL;
    *before = times > ALIKE ? "more than three times: " : "";
    return s->lines++ < MOST ? text : "and more";
}

static void say(char mark, const char *head, struct said *s, const char *format, va_list args)
{
    char text[1400], shown[1600], line[1700];
    const char *before = "";

    vsnprintf(text, sizeof text, format, args);
    printable_short(shown, sizeof shown, text);
    pthread_mutex_lock(&said_lock);
    const char *words = words_for(s, shown, &before);
    pthread_mutex_unlock(&said_lock);
    if (!words)
        return;
    snprintf(line, sizeof line, "%s%s%s", head, words == shown ? before : "", words);
    tell(mpi_door.nic_rank(mpi_door.nic()), mark, line);
}

void check_report(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(FINDING_WRONG, "", &wrong, format, args);
    va_end(args);
}

void check_note(const char *format, ...)
{
    va_list args;

    if (findings_wants(getenv(CHECK_ENV), CHECK_ERRORS))
        return;
    va_start(args, format);
    say(FINDING_REMARK, "note: ", &remarks, format, args);
    va_end(args);
}

/* mpirun fails the job of what it was told when all ranks have ended: a rank that failed here would
 * have the others ended, which may be about to write their results.
 *
 * Registered first, and so called when all that the program has registered is done.  A child that
 * the program forks inherits it, and what was said; but it has said nothing. */
static void leave(int status, void *argument)
{
    if (status || !untold || (uintptr_t)getpid() != (uintptr_t)argument)
        return;
    fflush(NULL);
    _exit(EXIT_FOUND);
}

__attribute__((constructor)) static void begin(void)
{
    char text[1024];
    const char *rank = getenv(NIC_ENV_RANK);

    is_stranger = getenv(FINDINGS_ENV_FD) && !rank;
    if (check_look_for_others(text, sizeof text))
        tell(rank ? (unsigned)atoi(rank) : 0, FINDING_REMARK, text);
    on_exit(leave, (void *)(uintptr_t)getpid());
}
