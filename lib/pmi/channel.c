/* The connection to a launcher's server.  Nothing is believed of what comes: texts are bounded, and
 * fields are looked up by their keys, as servers differ in the order and in what they add. */
#define _GNU_SOURCE
#include "pmi/channel.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pmi/why.h"

enum { LENGTH_DIGITS = 6 };

static int gone(int error)
{
    if (error == EPIPE || error == ECONNRESET)
        return mpi_pmi_failed(-EPIPE, "the launcher is gone: its connection is closed");
    return mpi_pmi_failed(-error, "the launcher's connection fails: %s", strerror(error));
}

/* Without a signal where nobody reads any more. */
static ssize_t write_some(int fd, const char *data, size_t bytes)
{
    ssize_t n = send(fd, data, bytes, MSG_NOSIGNAL);
    return n < 0 && errno == ENOTSOCK ? write(fd, data, bytes) : n;
}

static int write_all(int fd, const char *data, size_t bytes)
{
    for (ssize_t n; bytes; data += n, bytes -= (size_t)n) {
        n = write_some(fd, data, bytes);
        if (n < 0 && errno != EINTR)
            return gone(errno);
        n = n < 0 ? 0 : n;
    }
    return 0;
}

int mpi_pmi_send(struct pmi_channel *c, const char *format, ...)
{
    char text[PMI_MESSAGE_MAX];
    size_t head = c->framed ? LENGTH_DIGITS : 0, room = sizeof text - head - 1;
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text + head, room, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= room)
        return mpi_pmi_failed(-EMSGSIZE, "a message to the launcher would be too long");
    size_t bytes = head + (size_t)n;
    if (c->framed) {
        char length[LENGTH_DIGITS + 2];
        snprintf(length, sizeof length, "%6u", (unsigned)n % 1000000u);
        memcpy(text, length, LENGTH_DIGITS);
    } else {
        text[bytes++] = '\n';
    }
    return write_all(c->fd, text, bytes);
}

/* -- receiving */

static int read_more(struct pmi_channel *c)
{
    ssize_t n;
    do
        n = read(c->fd, c->buffer + c->have, sizeof c->buffer - c->have);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return gone(n ? errno : EPIPE);
    c->have += (size_t)n;
    return 0;
}

/* Where the first message in the buffer begins and how many bytes it has; *used: with all that goes
 * with it.  False: it is not there in whole. */
static bool find_line(const struct pmi_channel *c, size_t *begin, size_t *bytes, size_t *used)
{
    const char *end = memchr(c->buffer, '\n', c->have);
    *begin = 0;
    *bytes = end ? (size_t)(end - c->buffer) : 0;
    *used = *bytes + 1;
    return end;
}

/* The length that stands in front, filled up with spaces on either side; -1: none does. */
static int length_of(const char *text)
{
    int n = 0, i = 0, digits = 0;
    for (; i < LENGTH_DIGITS && text[i] == ' '; i++)
        ;
    for (; i < LENGTH_DIGITS && isdigit((unsigned char)text[i]); i++, digits++)
        n = 10 * n + text[i] - '0';
    for (; i < LENGTH_DIGITS && text[i] == ' '; i++)
        ;
    return i == LENGTH_DIGITS && digits && n < PMI_MESSAGE_MAX - LENGTH_DIGITS ? n : -1;
}

static int find_framed(const struct pmi_channel *c, size_t *begin, size_t *bytes, size_t *used)
{
    int n = c->have < LENGTH_DIGITS ? 0 : length_of(c->buffer);
    if (n < 0)
        return mpi_pmi_failed(-EPROTO, "a message of the launcher has no length");
    *begin = LENGTH_DIGITS;
    *bytes = (size_t)n;
    *used = *begin + *bytes;
    return c->have >= LENGTH_DIGITS && c->have >= *used;
}

/* 1: there is a message; 0: not in whole. */
static int find(const struct pmi_channel *c, size_t *begin, size_t *bytes, size_t *used)
{
    return c->framed ? find_framed(c, begin, bytes, used) : find_line(c, begin, bytes, used);
}

int mpi_pmi_receive(struct pmi_channel *c, char *text, size_t size)
{
    size_t begin = 0, bytes = 0, used = 0;
    int rc;
    while (!(rc = find(c, &begin, &bytes, &used))) {
        rc = c->have == sizeof c->buffer
             ? mpi_pmi_failed(-EPROTO, "a message of the launcher has no end") : read_more(c);
        if (rc)
            return rc;
    }
    if (rc < 0)
        return rc;
    if (bytes >= size || memchr(c->buffer + begin, 0, bytes))
        return mpi_pmi_failed(-EPROTO, "a message of the launcher is no text");
    memcpy(text, c->buffer + begin, bytes);
    text[bytes] = 0;
    c->have -= used;
    memmove(c->buffer, c->buffer + used, c->have);
    return 0;
}

/* -- fields */

/* Its value begins here; NULL: there is none. */
static const char *find_field(const char *text, char separator, const char *key)
{
    const char between[] = { separator, 0 };
    size_t bytes = strlen(key);
    while (*(text += strspn(text, between))) {
        if (!strncmp(text, key, bytes) && text[bytes] == '=')
            return text + bytes + 1;
        text += strcspn(text, between);
    }
    return NULL;
}

bool mpi_pmi_field(const char *text, char separator, const char *key, char *value, size_t room)
{
    const char end[] = { separator, 0 }, *at = find_field(text, separator, key);
    size_t bytes = at ? strcspn(at, end) : 0;
    if (!at || bytes >= room)
        return false;
    memcpy(value, at, bytes);
    value[bytes] = 0;
    return true;
}

bool mpi_pmi_field_number(const char *text, char separator, const char *key, int low, int high,
                          int *number)
{
    char value[16], *end;
    if (!mpi_pmi_field(text, separator, key, value, sizeof value))
        return false;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (errno || end == value || *end || n < low || n > high)
        return false;
    *number = (int)n;
    return true;
}

bool mpi_pmi_field_is(const char *text, char separator, const char *key, const char *value)
{
    char found[64];
    return mpi_pmi_field(text, separator, key, found, sizeof found) && !strcmp(found, value);
}
