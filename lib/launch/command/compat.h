/* Options of other launchers that are none of ours: other spellings, and what has no effect or no
 * place here. */
#ifndef LAUNCH_COMPAT_H
#define LAUNCH_COMPAT_H

#include <stddef.h>

struct compat {
    const char *name;
    unsigned char values;
    enum {
        COMPAT_AS,              /* text: our option and its value, in which % is the one given */
        COMPAT_NOTHING,         /* text: why it has no effect */
        COMPAT_REFUSED,         /* text: why it cannot be done */
    } kind;
    const char *text;
};

/* By the name without its dashes; NULL: unknown. */
const struct compat *compat_find(const char *name, size_t length);

/* From 0; NULL: no more. */
const struct compat *compat_at(unsigned i);

#endif
