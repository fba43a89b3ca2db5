/* Writing without ever being stuck.  The open file behind a standard descriptor is shared with
 * other programs, so it must not be set to non-blocking; a pipe or terminal is opened once more
 * instead. */
#include "launch/io/sink.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void sink_open(struct sink *s, int fd)
{
    struct stat st;
    char path[64];

    *s = (struct sink){ .fd = fd, .own = -1, .kind = SINK_FILE };
    if (fstat(fd, &st) < 0)
        return;
    if (S_ISSOCK(st.st_mode))
        s->kind = SINK_SOCKET;
    if (!S_ISFIFO(st.st_mode) && !isatty(fd))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    s->own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    s->kind = s->own < 0 ? SINK_PIECES : SINK_NONBLOCKING;
    if (s->own >= 0)
        s->fd = s->own;
}

void sink_close(struct sink *s)
{
    if (s->own >= 0)
        close(s->own);
    free(s->data);
    *s = (struct sink){ .fd = -1, .own = -1 };
}

/* Room grows to what one read of each of the few streams that
 * are handled between two flushes can bring. */
static void make_room(struct sink *s, size_t size)
{
    if (s->done) {
        memmove(s->data, s->data + s->done, sink_pending(s));
        s->used -= s->done;
        s->done = 0;
    }
    if (s->room - s->used >= size)
        return;
    s->room = (s->used + size) * 2;
    s->data = need(realloc(s->data, s->room));
}

void sink_put(struct sink *s, const char *data, size_t size)
{
    if (s->error || !size)
        return;
    if (s->room - s->used < size)
        make_room(s, size);
    memcpy(s->data + s->used, data, size);
    s->used += size;
}

/* A pipe that polls writable takes a piece of PIPE_BUF bytes without blocking. */
static ssize_t write_piece(int fd, const char *data, size_t size)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

    if (call_poll(&poll_fd, 1, 0) == 1)
        return write(fd, data, size < PIPE_BUF ? size : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

static ssize_t write_some(const struct sink *s)
{
    const char *data = s->data + s->done;
    size_t size = sink_pending(s);

    switch (s->kind) {
    case SINK_SOCKET:
        return send(s->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    case SINK_PIECES:
        return write_piece(s->fd, data, size);
    default:
        return write(s->fd, data, size);
    }
}

void sink_flush(struct sink *s)
{
    while (sink_pending(s)) {
        ssize_t n = write_some(s);
        if (n > 0) {
            s->done += (size_t)n;
            if (s->beside_said)
                say_behind(s->data[s->done - 1]);
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else if (n < 0 && errno != EINTR) {
            s->error = errno;
            break;
        }
    }
    s->done = s->used = 0;
}

bool sink_same(int fd, int other)
{
    struct stat a, b;

    if (fstat(fd, &a) || fstat(other, &b))
        return false;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_rdev == b.st_rdev;
}
