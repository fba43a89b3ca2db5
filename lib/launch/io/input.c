/* Pumping standard input. */
#include "launch/io/input.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"
#include "launch/io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 65536 };

int input_open(struct input *in, long reader, unsigned ranks)
{
    *in = (struct input){ .reader = reader, .terminal = isatty(STDIN_FILENO) };
    in->echoed = in->terminal && sink_same(STDIN_FILENO, STDERR_FILENO);
    in->pumped = reader == STDIN_ALL || (reader >= 0 && in->terminal);
    in->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in->null < 0)
        return -errno;
    if (!in->pumped)
        return 0;
    in->targets = reader == STDIN_ALL ? ranks : 1;
    in->target = need(malloc(in->targets * sizeof *in->target));
    in->done = need(calloc(in->targets, sizeof *in->done));
    for (unsigned i = 0; i < in->targets; i++)
        in->target[i] = -1;
    return 0;
}

static void drop(struct input *in, unsigned target)
{
    if (in->target[target] >= 0)
        close(in->target[target]);
    in->target[target] = -1;
}

void input_close(struct input *in)
{
    for (unsigned i = 0; i < in->targets; i++)
        drop(in, i);
    if (in->null >= 0)
        close(in->null);
    free(in->target);
    free(in->done);
    free(in->data);
    *in = (struct input){ .null = -1 };
}

int input_connect(struct input *in, unsigned rank, int *fd, bool *owned)
{
    int ends[2];

    *owned = false;
    *fd = in->reader == (long)rank ? STDIN_FILENO : in->null;
    if (!in->pumped || (in->reader != STDIN_ALL && in->reader != (long)rank))
        return 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return call_failed("pipe2");
    *owned = true;
    *fd = ends[0];
    in->target[in->reader == STDIN_ALL ? rank : 0] = ends[1];
    return fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0 ? call_failed("fcntl") : 0;
}

/* A program in the background must leave the terminal's input alone; reading would stop it. */
static bool in_foreground(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* A reader that has taken all there is.  Where there is none to read on would fill memory. */
static bool is_wanted(const struct input *in)
{
    for (unsigned i = 0; i < in->targets; i++)
        if (in->target[i] >= 0 && in->done[i] == in->size)
            return true;
    return false;
}

bool input_paused(const struct input *in)
{
    return in->pumped && in->terminal && !in->ended && !in_foreground();
}

unsigned input_polls(const struct input *in)
{
    return in->pumped ? in->targets + 1 : 0;
}

unsigned input_prepare(struct input *in, struct pollfd *poll_fds)
{
    unsigned count = 0;

    if (!in->pumped)
        return 0;
    if (!in->ended && is_wanted(in) && (!in->terminal || in_foreground()))
        poll_fds[count++] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
    for (unsigned i = 0; i < in->targets; i++)
        if (in->target[i] >= 0 && in->done[i] < in->size)
            poll_fds[count++] = (struct pollfd){ .fd = in->target[i], .events = POLLOUT };
    return count;
}

/* Only called when standard input polls readable, so it does not block. */
static void fill(struct input *in)
{
    if (in->room - in->size < CHUNK) {
        in->room = 2 * in->room + CHUNK;
        in->data = need(realloc(in->data, in->room));
    }
    ssize_t n = read(STDIN_FILENO, in->data + in->size, CHUNK);
    if (n > 0) {
        in->size += (size_t)n;
        if (in->echoed)
            say_behind(in->data[in->size - 1]);
    } else {
        in->ended = n == 0 || (errno != EINTR && errno != EAGAIN);
    }
}

/* Writes what one reader takes, and closes its pipe behind the last byte. */
static void feed(struct input *in, unsigned target)
{
    while (in->target[target] >= 0 && in->done[target] < in->size) {
        ssize_t n = write(in->target[target], in->data + in->done[target],
                          in->size - in->done[target]);
        if (n > 0)
            in->done[target] += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            return;
        else if (n < 0 && errno != EINTR)
            drop(in, target);
    }
    if (in->ended)
        drop(in, target);
}

/* Forgets what all have taken, once that is half of it, so that few bytes are moved. */
static void shrink(struct input *in)
{
    size_t least = in->size;

    for (unsigned i = 0; i < in->targets; i++)
        if (in->target[i] >= 0 && in->done[i] < least)
            least = in->done[i];
    if (least < in->size - least)
        return;
    in->size -= least;
    if (in->size)
        memmove(in->data, in->data + least, in->size);
    for (unsigned i = 0; i < in->targets; i++)
        in->done[i] -= in->target[i] >= 0 ? least : 0;
}

void input_move(struct input *in, const struct pollfd *poll_fds, unsigned count)
{
    if (count && poll_fds[0].fd == STDIN_FILENO && poll_fds[0].revents)
        fill(in);
    for (unsigned i = 0; i < in->targets; i++)
        feed(in, i);
    shrink(in);
}
