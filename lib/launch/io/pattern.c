/* Patterns. */
#include "launch/io/pattern.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *pattern_fault(const char *pattern)
{
    while ((pattern = strchr(pattern, '%'))) {
        if (!pattern[1] || !strchr("rhtgp%", pattern[1]))
            return pattern;
        pattern += 2;
    }
    return NULL;
}

static void print_host(char *word, size_t room)
{
    if (gethostname(word, room) < 0)
        snprintf(word, room, "localhost");
    word[room - 1] = 0;
}

/* Of the day, with microseconds. */
static void print_time(char *word, size_t room)
{
    struct timespec now;
    struct tm day;

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &day);
    snprintf(word, room, "%02d:%02d:%02d.%06ld", day.tm_hour, day.tm_min, day.tm_sec,
             now.tv_nsec / 1000);
}

/* One word for "%x": there is one proxy here, and one process group. */
static void print_word(char *word, size_t room, char letter, unsigned rank)
{
    if (letter == 'r')
        snprintf(word, room, "%u", rank);
    else if (letter == 'h')
        print_host(word, room);
    else if (letter == 't')
        print_time(word, room);
    else
        snprintf(word, room, "%c", letter == '%' ? '%' : '0');
}

size_t pattern_expand(char *text, size_t room, const char *pattern, unsigned rank)
{
    size_t used = 0;
    char word[HOST_NAME_MAX + 1];

    while (*pattern && used + 1 < room) {
        if (*pattern != '%' || !pattern[1]) {
            text[used++] = *pattern++;
            continue;
        }
        print_word(word, sizeof word, pattern[1], rank);
        size_t bytes = strlen(word);
        bytes = bytes < room - used ? bytes : room - used - 1;
        memcpy(text + used, word, bytes);
        used += bytes;
        pattern += 2;
    }
    text[used] = 0;
    return used;
}
