/* What ranks that crash tell the launcher, see base/crash.h. */
#ifndef LAUNCH_CRASHES_H
#define LAUNCH_CRASHES_H

#include <stddef.h>

struct crashes {
    int pipe;                   /* -1: nothing comes any more */
    int theirs;                 /* the end that ranks inherit, or find here; -1: there is none */
    char *text;                 /* reports, one behind the other; not ended by 0 */
    size_t used, most;
};

/* 0 or -errno. */
int crashes_open(struct crashes *crashes, unsigned ranks);
/* Takes what has come. */
void crashes_read(struct crashes *crashes);
void crashes_close(struct crashes *crashes);

#endif
