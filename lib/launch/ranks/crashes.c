/* The pipe for reports of crashes: ranks never wait for it for long, and what it may bring has a
 * limit. */
#include "launch/ranks/crashes.h"

#include "base/crash.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int crashes_open(struct crashes *c, unsigned ranks)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return call_failed("pipe2");
    ends[1] = call_raise(ends[1]);
    fcntl(ends[1], F_SETFD, 0);
    *c = (struct crashes){ .pipe = ends[0], .theirs = ends[1],
                           .most = (ranks + 16ul) * 2 * CRASH_BYTES };
    return 0;
}

static void stop(struct crashes *c)
{
    close(c->pipe);
    c->pipe = -1;
}

void crashes_read(struct crashes *c)
{
    while (c->pipe >= 0) {
        if (c->used + CRASH_BYTES > c->most) {
            stop(c);
            return;
        }
        c->text = need(realloc(c->text, c->used + CRASH_BYTES));
        ssize_t n = read(c->pipe, c->text + c->used, CRASH_BYTES);
        if (n > 0)
            c->used += (size_t)n;
        else if (n == 0 || errno != EINTR) {
            if (n == 0 || errno != EAGAIN)
                stop(c);
            return;
        }
    }
}

void crashes_close(struct crashes *c)
{
    if (c->theirs >= 0)
        close(c->theirs);
    if (c->pipe >= 0)
        stop(c);
    free(c->text);
    *c = (struct crashes){ .pipe = -1, .theirs = -1 };
}
