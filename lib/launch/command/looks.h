/* Options that say how output looks and where it goes. */
#ifndef LAUNCH_LOOKS_H
#define LAUNCH_LOOKS_H

#include "launch/io/style.h"

struct looks {
    bool tag, timestamp;        /* a line begins with its rank, with the time */
    const char *pattern;        /* ... with this; NULL: not said */
    char *made[3];              /* owned: patterns that were put together */
};

/* Each returns 0 or an exit code.  The texts must outlive the style. */
int looks_set_prefix(struct looks *looks, const char *text);
int looks_set_file(struct output_style *style, unsigned stream, const char *option,
                   const char *text);
int looks_set_folder(struct output_style *style, const char *option, char *text);
/* Of --output: words with commas between them, or a folder. */
int looks_set_output(struct looks *looks, struct output_style *style, char *text);

/* When all options are read. */
void looks_finish(struct looks *looks, struct output_style *style);
void looks_free(struct looks *looks);

#endif
