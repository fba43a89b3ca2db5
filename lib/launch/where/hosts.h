/* Host names of the command line. */
#ifndef LAUNCH_HOSTS_H
#define LAUNCH_HOSTS_H

#include <stdbool.h>

enum { HOST_SLOTS_MAX = 1 << 20 };

struct host {
    char *name;
    unsigned slots;             /* 0: not said */
};

struct hosts {
    struct host *host;
    unsigned count;
    const char *elsewhere;      /* the first that is not this machine; NULL: none */
};

/* Each returns 0, or says what is wrong and returns an exit code. */
int hosts_add_list(struct hosts *hosts, const char *list);      /* "host[:n],host..." */
/* one "host[:n] [slots=n]" per line, # starts a comment */
int hosts_add_file(struct hosts *hosts, const char *path);

void hosts_free(struct hosts *hosts);

#endif
