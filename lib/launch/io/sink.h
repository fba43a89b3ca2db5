/* A sink: standard output or standard error of the launcher, through which the lines of all ranks
 * go.  Nothing here waits: what the reader does not take is kept, and the owner must not add more
 * until it is gone. */
#ifndef LAUNCH_SINK_H
#define LAUNCH_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
    int fd;                     /* where to write */
    int own;                    /* descriptor to close at the end, or -1 */
    enum { SINK_FILE, SINK_NONBLOCKING, SINK_SOCKET, SINK_PIECES } kind;
    bool beside_said;           /* what the launcher itself says comes there; the owner says so */
    int error;                  /* 0, or the errno that ended it; nothing is kept from then on */
    char *data;                 /* what is not yet written: data[done..used) */
    size_t done, used, room;
};

/* Closed by sink_close. */
void sink_open(struct sink *sink, int fd);
void sink_close(struct sink *sink);

/* Adds bytes; sink_flush writes what the reader takes. */
void sink_put(struct sink *sink, const char *data, size_t size);
void sink_flush(struct sink *sink);

/* Bytes that are not yet written. */
static inline size_t sink_pending(const struct sink *sink)
{
    return sink->used - sink->done;
}

/* Whether two descriptors write to one place, where their lines must not mix. */
bool sink_same(int fd, int other);

#endif
