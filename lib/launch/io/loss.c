/* Output that could not be written. */
#include "launch/io/loss.h"
#include "launch/base/say.h"
#include "launch/io/output.h"

#include <errno.h>

int output_error(const struct output *o)
{
    int first = 0;

    for (unsigned i = 0; i < o->outlets; i++) {
        int error = o->outlet[i].sink.error;
        if (error && (!first || first == EPIPE))
            first = error;
    }
    if (o->file_error && (!first || first == EPIPE))
        first = o->file_error;
    return first;
}

void output_say_lost(const struct output *o)
{
    static const char *const name[] = { "standard output", "standard error" };

    for (unsigned i = 0; i < o->outlets; i++) {
        int error = o->outlet[i].sink.error;
        if (error && error != EPIPE)
            say("output was lost: %s: %s", name[i], write_error(error));
    }
    if (o->file_error)
        say("output was lost: the file of rank %u's %s: %s", o->unwritten->rank,
            name[(o->unwritten - o->stream) % 2], write_error(o->file_error));
}
