/* Asking addr2line: no shell, no terminal, no network, and never for long. */
#include "launch/report/source.h"

#include <ctype.h>
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

#include "base/printable.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"

enum { NAME_SIZE = 256, ANSWER_SIZE = 4096, ANSWER_MOST = 1 << 20, DIGITS_MAX = 16 };
#define REAP_NS (100 * MS_NS)

/* -- the file */

/* The path in a line of /proc/PID/maps, if the file is still there. */
static char *mapped_path(char *line)
{
    static const char gone[] = " (deleted)";
    char *path = strchr(line, '/');
    size_t size = path ? strcspn(path, "\n") : 0;

    if (!path)
        return NULL;
    path[size] = 0;
    return size >= sizeof gone && !strcmp(path + size - (sizeof gone - 1), gone) ? NULL : path;
}

/* The path of a file of that name that the process has mapped, to be freed; NULL: it has none. */
static char *find_file(pid_t process, const char *name)
{
    char maps[64], *line = NULL, *path = NULL;
    size_t room = 0;

    snprintf(maps, sizeof maps, "/proc/%d/maps", (int)process);
    FILE *in = process > 0 ? fopen(maps, "re") : NULL;
    while (in && !path && getline(&line, &room, in) > 0) {
        char *found = mapped_path(line);
        if (found && !strcmp(strrchr(found, '/') + 1, name))
            path = strdup(found);
    }
    if (in)
        fclose(in);
    free(line);
    return path;
}

/* -- the program */

_Noreturn static void become_addr2line(int out, const char *const *argv)
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
    execvp("addr2line", (char *const *)argv);
    _exit(127);
}

static pid_t start(const char *const *argv, int *answer)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        become_addr2line(ends[1], argv);
    close(ends[1]);
    *answer = ends[0];
    if (pid < 0)
        close(ends[0]);
    return pid;
}

static bool readable(int fd, int64_t until)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    for (int64_t left; (left = until - now_ns()) > 0;) {
        int n = poll(&p, 1, (int)(left / MS_NS) + 1);
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

/* One that the kernel does not let go is left to whoever inherits it. */
static void end(pid_t pid)
{
    const struct timespec pause = { .tv_nsec = MS_NS };
    int status;

    call_signal(pid, SIGKILL);
    for (int64_t until = now_ns() + REAP_NS; call_wait(pid, &status) == 0 && now_ns() < until;)
        nanosleep(&pause, NULL);
}

static void ask(const char *path, uint64_t address, char *line, size_t size, int64_t until)
{
    char text[32];
    const char *argv[] = { "addr2line", "-e", path, text, NULL };
    int answer;

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    pid_t pid = start(argv, &answer);
    line[0] = 0;
    if (pid < 0)
        return;
    read_line(answer, line, size, until);
    close(answer);
    end(pid);
}

/* All that comes, to be freed, until it ends or time is over. */
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

char *source_frames(const char *path, char *const *addresses, unsigned count, int64_t *left_ns)
{
    static const char *const options[] = { "addr2line", "-a", "-f", "-C", "-i", "-e" };
    enum { OPTIONS = sizeof options / sizeof *options };
    const char **argv = need(calloc(OPTIONS + count + 2, sizeof *argv));
    char *text = NULL;
    int64_t begin = now_ns();
    int answer;

    memcpy(argv, options, sizeof options);
    argv[OPTIONS] = path;
    memcpy(argv + OPTIONS + 1, addresses, count * sizeof *argv);
    pid_t pid = *left_ns > 0 ? start(argv, &answer) : -1;
    if (pid >= 0) {
        text = read_all(answer, begin + *left_ns);
        close(answer);
        end(pid);
    }
    *left_ns -= now_ns() - begin;
    free(argv);
    return text;
}

/* -- the answer */

/* "/home/me/solver.c:42 (discriminator 3)" becomes "solver.c:42". */
char *source_place(char *line)
{
    char *colon = strrchr(line, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

    if (!digits || line[0] == '?' || strspn(colon + 1, "0") == digits)
        return NULL;
    colon[1 + digits] = 0;
    char *folder = strrchr(line, '/');
    return folder ? folder + 1 : line;
}

/* Prints where that is; false: nobody knows. */
static bool print_place(FILE *out, pid_t process, const char *name, uint64_t address,
                        int64_t *left_ns)
{
    char line[ANSWER_SIZE], plain[NAME_SIZE], *place = NULL;
    int64_t begin = now_ns();
    char *path = *left_ns > 0 ? find_file(process, name) : NULL;

    if (path) {
        ask(path, address, line, sizeof line, begin + *left_ns);
        *left_ns -= now_ns() - begin;
        place = source_place(line);
    }
    free(path);
    if (place)
        fputs(printable(plain, sizeof plain, place, ""), out);
    return place;
}

/* -- texts */

/* "NAME+0xADDRESS" at the beginning of a text: how long it is, 0: there is none.  One that ends
 * where the text does may have been cut off. */
static size_t parse(const char *text, char *name, uint64_t *address)
{
    const char *plus = strstr(text, "+0x"), *digits = plus ? plus + 3 : NULL;
    size_t count = plus ? strspn(digits, "0123456789abcdef") : 0;

    if (!count || count > DIGITS_MAX || (size_t)(plus - text) >= NAME_SIZE || !digits[count]
        || isalnum((unsigned char)digits[count]) || digits[count] == '.')
        return 0;
    memcpy(name, text, (size_t)(plus - text));
    name[plus - text] = 0;
    *address = strtoull(digits, NULL, 16);
    return (size_t)(digits + count - text);
}

void source_print(FILE *out, const char *text, pid_t process, int64_t *left_ns)
{
    static const char made[] = ", made at ";
    char name[NAME_SIZE];
    uint64_t address;

    for (const char *at; (at = strstr(text, made)); text = at) {
        at += sizeof made - 1;
        fwrite(text, 1, (size_t)(at - text), out);
        size_t size = parse(at, name, &address);
        if (size && print_place(out, process, name, address, left_ns)) {
            fprintf(out, " (%.*s)", (int)size, at);
            at += size;
        }
    }
    fputs(text, out);
}
