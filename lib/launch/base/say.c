/* Messages of the launcher. */
#include "launch/base/say.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

int write_whole(const char *path, const char *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return -errno;
    int rc = write_all(fd, data, size);
    return close(fd) < 0 && !rc ? -errno : rc;
}

int try_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0) {
        say_unwritten(path, errno);
        return 1;
    }
    close(fd);
    return 0;
}

/* How long one waits who is hurried; how often to look whether one is. */
#define LAST_WORDS (500 * MS_NS)
enum { LOOK_MS = 50 };

static struct {
    int64_t hurry_ns;           /* from when on somebody waits for our end; 0: nobody does */
    bool unheard;               /* and nobody has read what is said: nothing more is waited for */
    int error;
    bool within_line;           /* what a rank has written there last is no whole line */
} saying;

void say_hurry(int64_t from) { saying.hurry_ns = from; }

static bool is_hurried(void) { return saying.hurry_ns && now_ns() >= saying.hurry_ns; }

/* It is for others to take it. */
static bool is_asked_to_end(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0
           && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1
               || sigismember(&pending, SIGHUP) == 1);
}

/* Whether standard error takes a piece.  Who should read there may have stopped, and no signal is
 * taken meanwhile. */
static bool takes_piece(void)
{
    struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
    int64_t end = now_ns() + LAST_WORDS;

    while (poll(&p, 1, saying.unheard ? 0 : LOOK_MS) == 0) {
        saying.unheard |= is_asked_to_end() || (is_hurried() && now_ns() >= end);
        if (saying.unheard)
            return false;
    }
    return true;
}

void say_behind(char last) { saying.within_line = last != '\n'; }

void say_text(const char *text, size_t size)
{
    if (size && saying.within_line) {
        saying.within_line = false;
        say_text("\n", 1);
    }
    for (size_t done = 0, piece; done < size && !saying.error; done += piece) {
        piece = size - done < PIPE_BUF ? size - done : PIPE_BUF;
        saying.error = takes_piece() ? -write_all(STDERR_FILENO, text + done, piece) : EAGAIN;
    }
}

int say_error(void)
{
    return saying.error;
}

/* Descriptors that we were started without do not take a byte: see mpirun.c. */
const char *write_error(int error)
{
    return error == EBADF ? "it is closed" : strerror(error);
}

void say_unwritten(const char *what, int error)
{
    const char *slash = strrchr(what, '/');

    if (error == ENOENT && slash)
        say("cannot write %s: there is no folder %.*s", what, (int)(slash - what), what);
    else
        say("cannot write %s: %s", what, write_error(error));
}

int print_error(FILE *out)
{
    if (fflush(out) == 0 && !ferror(out))
        return 0;
    return errno ? errno : EIO;
}

static struct { char *text; size_t size; } kept;

void say_later(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    kept.text = need(realloc(kept.text, kept.size + (size_t)n + 1));
    memcpy(kept.text + kept.size, text, (size_t)n + 1);
    kept.size += (size_t)n + 1;
    free(text);
}

void say_kept(bool wanted)
{
    for (size_t at = 0; wanted && at < kept.size; at += strlen(kept.text + at) + 1)
        say("%s", kept.text + at);
    free(kept.text);
    kept.text = NULL;
    kept.size = 0;
}

static void say_tail(const char *tail, const char *format, va_list args)
{
    char *text, *line;
    int n = vasprintf(&text, format, args);

    if (n < 0)
        return;
    size_t most = 4 * (size_t)n + 1;    /* a byte takes at most four */
    char *shown = malloc(most);
    if (shown)
        printable(shown, most, text, "\n\t");
    n = shown ? asprintf(&line, "mpirun: %s\n%s", shown, tail) : -1;
    free(shown);
    free(text);
    if (n < 0)
        return;
    say_text(line, (size_t)n);
    free(line);
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_tail("", format, args);
    va_end(args);
}

int say_usage(const char *format, ...)
{
    va_list args;

    say_kept(true);
    va_start(args, format);
    say_tail("Try 'mpirun --help'.\n", format, args);
    va_end(args);
    return EXIT_USAGE;
}

void *need(void *memory)
{
    if (!memory) {
        say("out of memory");
        exit(1);
    }
    return memory;
}

int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
