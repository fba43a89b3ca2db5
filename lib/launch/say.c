/* Messages of the launcher. */
#include "say.h"
#include "../printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
    write_all(STDERR_FILENO, line, (size_t)n);
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
