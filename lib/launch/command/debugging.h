/* Options for those who look for a mistake. */
#ifndef LAUNCH_DEBUGGING_H
#define LAUNCH_DEBUGGING_H

#include <stdbool.h>
#include <stddef.h>

struct debugging {
    const char *wrapper;        /* words in front of the program; NULL: none */
    const char *ranks;          /* a list of those that have it; NULL: all */
    const char *attach;         /* a list of those that wait for a debugger; NULL: none */
    const char *check;          /* the value of MPILITE_CHECK; NULL: not said */
    bool interactive;           /* the wrapper is a debugger that wants a terminal */
    bool xterm;                 /* each in a window */
    bool stacks;                /* reports have stacks */
    bool pass_quit;             /* SIGQUIT is for the ranks */
};

enum debugging_option { DEBUGGING_GDB, DEBUGGING_LLDB, DEBUGGING_VALGRIND, DEBUGGING_WRAPPER,
                        DEBUGGING_XTERM, DEBUGGING_ATTACH, DEBUGGING_STACKS, DEBUGGING_CHECK,
                        DEBUGGING_QUIT };

/* value: NULL, if there is none.  0, or an exit code. */
int debugging_set(struct debugging *d, enum debugging_option option, const char *value);

/* Whether all ranks that are named are among so many.  0, or an exit code. */
int debugging_check_ranks(const struct debugging *d, unsigned long ranks);

/* Whether the rank gets the wrapper.  stdin_rank: the one at the terminal. */
bool debugging_wraps(const struct debugging *d, unsigned rank, long stdin_rank);

/* Sends wait for their receives. */
bool debugging_is_synchronous(const struct debugging *d);
/* Ranks load the checks. */
bool debugging_is_checked(const struct debugging *d);

/* The wrapper, word by word: puts them, which point into *text, to be freed, into an array for
 * debugging_words_most.  Returns how many there are. */
size_t debugging_words(const struct debugging *d, char **words, char **text);
size_t debugging_words_most(const struct debugging *d);

#endif
