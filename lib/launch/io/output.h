/* Output of the ranks: each has a stream for standard output and one for standard error, which go
 * to sinks in whole lines. */
#ifndef LAUNCH_OUTPUT_H
#define LAUNCH_OUTPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/io/reports.h"
#include "launch/io/sink.h"
#include "launch/io/style.h"

struct outlet;

/* The reading end of one rank's pipe. */
struct stream {
    int fd;                     /* -1: closed */
    unsigned rank;
    bool midline;               /* the last byte passed on was no end of line */
    int file;                   /* takes it too, or instead; -1: none */
    bool hidden;                /* instead */
    struct outlet *outlet;
    char *tail;                 /* read, but not passed on: the line is not complete */
    size_t length, room;
};

/* A sink with the streams that lead to it. */
struct outlet {
    struct sink sink;
    int epoll;                  /* all open streams */
    /* the stream in the middle of a long line: nobody else writes meanwhile */
    struct stream *holder;
    int64_t heard_ns;           /* when the holder last had something to say */
    struct reports reports;     /* of ranks that wait for others like them */
};

struct output {
    struct outlet outlet[2];
    unsigned outlets;           /* 1 if standard output and standard error are the same */
    struct stream *stream;      /* 2 per rank */
    unsigned streams;
    const char *prefix;         /* a pattern in front of each line; NULL: nothing */
    bool merged;
    const struct stream *unwritten;     /* whose file could not be written; NULL: none */
    int file_error;
    int64_t now;                /* when bytes are moved that may be a report */
    /* a rank that talks to a terminal: unfinished lines are shown after a while; or -1 */
    long prompting;
};

/* Returns 0 or -errno, or 1 if a file cannot be written, which has been said.  Released by
 * output_close.  The style's texts must outlive it. */
int output_open(struct output *output, unsigned ranks, const struct output_style *style,
                long prompting);
void output_close(struct output *output);

/* Makes the pipes of a rank; ends[0] and ends[1] are for the rank as standard output and error, to
 * be closed by the caller when the rank is started.  Returns 0 or -errno. */
int output_connect(struct output *output, unsigned rank, int ends[2]);

/* Says what to wait for, one entry per outlet; returns the time
 * until something is due in any case, -1: none. */
int64_t output_prepare(struct output *output, struct pollfd poll_fds[2], int64_t now);

/* Moves what is there, and never waits. */
void output_move(struct output *output, const struct pollfd poll_fds[2], int64_t now);

/* When nobody writes any more: moves all that is left, and the unfinished last lines.  True when
 * done; if not, wait as output_prepare says and call again. */
bool output_drain(struct output *output);

#endif
