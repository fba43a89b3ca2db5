/* Pumping standard input. */
#include "launch/io/input.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 65536 };

int input_open(struct input *in, long reader, unsigned ranks)
{
    *in = (struct input){ .reader = reader, .terminal = isatty(STDIN_FILENO) };
    in->pumped = reader == STDIN_ALL || (reader >= 0 && in->terminal);
    in->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in->null < 0)
        return -errno;
    if (!in->pumped)
        return 0;
    in->targets = reader == STDIN_ALL ? ranks : 1;
    in->target = need(malloc(in->targets * sizeof *in->target));
    in->done = need(calloc(in->targets, sizeof *in->done));
    in->data = need(malloc(CHUNK));
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

static bool has_reader(const struct input *in)
{
    for (unsigned i = 0; i < in->targets; i++)
        if (in->target[i] >= 0)
            return true;
    return false;
}

bool input_paused(const struct input *in)
{
    return in->pumped && in->terminal && !in->ended && !in_foreground();
}

unsigned input_polls(const struct input *in)
{
    return in->pumped ? in->targets : 0;
}

unsigned input_prepare(struct input *in, struct pollfd *poll_fds)
{
    unsigned count = 0;

    if (!in->pumped || in->ended)
        return 0;
    if (!in->size) {
        if (in->terminal && !in_foreground())
            return 0;
        poll_fds[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
        return 1;
    }
    for (unsigned i = 0; i < in->targets; i++)
        if (in->target[i] >= 0 && in->done[i] < in->size)
            poll_fds[count++] = (struct pollfd){ .fd = in->target[i], .events = POLLOUT };
    return count;
}

static void end(struct input *in)
{
    in->ended = true;
    for (unsigned i = 0; i < in->targets; i++)
        drop(in, i);
}

/* Only called when standard input polls readable, so it does not block. */
static void fill(struct input *in)
{
    ssize_t n = read(STDIN_FILENO, in->data, CHUNK);

    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        end(in);
        return;
    }
    in->size = n > 0 ? (size_t)n : 0;
    for (unsigned i = 0; i < in->targets; i++)
        in->done[i] = 0;
}

/* Writes what one reader takes; true if it has all. */
static bool feed(struct input *in, unsigned target)
{
    while (in->target[target] >= 0 && in->done[target] < in->size) {
        ssize_t n = write(in->target[target], in->data + in->done[target],
                          in->size - in->done[target]);
        if (n > 0)
            in->done[target] += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            return false;
        else if (n < 0 && errno != EINTR)
            drop(in, target);
    }
    return true;
}

void input_move(struct input *in)
{
    bool all = true;

    if (!in->size)
        fill(in);
    for (unsigned i = 0; i < in->targets; i++)
        all &= feed(in, i);
    if (all)
        in->size = 0;
    if (!has_reader(in))
        end(in);
}
