/* Standard input of the ranks. */
#ifndef LAUNCH_INPUT_H
#define LAUNCH_INPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/* In place of the rank that reads. */
enum { STDIN_ALL = -1, STDIN_NONE = -2 };

/* One rank reads what this process would: it gets the descriptor itself, unless that is a terminal
 * (which a process group in the background must not read) or several ranks read.  Then bytes are
 * pumped through a pipe per reader, as fast as the fastest reader takes them: what others have not
 * taken yet is kept, as they may wait for the fastest one meanwhile. */
struct input {
    long reader;                /* a rank, STDIN_ALL or STDIN_NONE */
    bool pumped, terminal;
    bool echoed;                /* what is typed is seen where the launcher's own words come */
    bool ended;                 /* no more is read */
    int null;                   /* /dev/null for all other ranks */
    int *target;                /* pumped: the pipe of each reader, -1 when closed; else NULL */
    size_t *done;               /* bytes of data that it has taken */
    unsigned targets;
    char *data;
    size_t size, room;          /* bytes in data, and what it has place for */
};

/* Returns 0 or -errno.  Released by input_close. */
int input_open(struct input *input, long reader, unsigned ranks);
void input_close(struct input *input);

/* Standard input for a rank, in *fd; *owned says that the caller closes it when the rank is
 * started.  Returns 0 or -errno. */
int input_connect(struct input *input, unsigned rank, int *fd, bool *owned);

/* Fills in what to wait for and returns the number of entries, at most input_polls(). */
unsigned input_polls(const struct input *input);
unsigned input_prepare(struct input *input, struct pollfd *poll_fds);

/* Whether input waits in a terminal that belongs to another
 * program for now: look again in a while. */
bool input_paused(const struct input *input);

/* Moves what is there, and never waits.  As input_prepare has filled them in, after a poll. */
void input_move(struct input *input, const struct pollfd *poll_fds, unsigned count);

#endif
