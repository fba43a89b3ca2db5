/* Starting one rank. */
#ifndef LAUNCH_SPAWN_H
#define LAUNCH_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "launch/where/cores.h"

/* What a rank is started with.  Descriptors are all close-on-exec;
 * `in` may be standard input itself. */
struct spawn {
    unsigned rank;
    const char *path, *dir;         /* dir: NULL to stay */
    char *const *argv;
    /* for a file that only /bin/sh can run: shell, path, arguments; NULL: it is none */
    char *const *shell_argv;
    char *const *envp;
    int in, out, err;
    const struct cores *cores;      /* NULL: not bound */
    bool own_session;
    int failures;                   /* takes a struct spawn_failure if the program does not start */
    /* What the launcher changed for itself and its children get back. */
    sigset_t signal_mask;
    struct sigaction pipe_action;
    struct rlimit files;
    /* spawn_begin: what every rank needs lies below `limit`, its standard descriptors in `low`;
     * limit 0: a rank gets all that the launcher has, and closes it */
    unsigned limit;
    int low[3];
};

struct spawn_failure {
    unsigned rank;
    int error;
    /* 'd': the working directory, 'u': descriptors, 'x': the program */
    char step;
};

/* Before the first rank, and with nothing open but what ranks get or all of them need; and behind
 * the last one. */
void spawn_begin(struct spawn *spawn);
void spawn_end(struct spawn *spawn);
/* Starts the rank in a process group of its own, to be killed when this process ends.  A file
 * without a known format is run by /bin/sh.  Returns the process, or -errno. */
pid_t spawn_rank(const struct spawn *spawn);

#endif
