/* The options --trace and --report. */
#ifndef LAUNCH_TRACING_H
#define LAUNCH_TRACING_H

#include <stdbool.h>

struct tracing {
    const char *file;           /* for the time line; NULL: none */
    const char *folder;         /* for the page; NULL: none */
};

static inline bool tracing_wanted(const struct tracing *t) { return t->file || t->folder; }

/* 0, or an exit code. */
int tracing_set_file(struct tracing *tracing, const char *file);
int tracing_set_folder(struct tracing *tracing, const char *folder);
/* Before anything is started: that they can be written.  checked: the ranks load another tool. */
int tracing_try(const struct tracing *tracing, bool checked);

#endif
