/* What another program says, with nothing to read and no words on standard error. */
#ifndef LAUNCH_ASK_H
#define LAUNCH_ASK_H

#include <stddef.h>
#include <stdint.h>

/* Its first line, without the end of it; an empty one, if nothing comes until then. */
void ask_line(const char *const *argv, char *line, size_t size, int64_t until);

/* All that it says until then, to be freed; NULL: it cannot be started. */
char *ask_all(const char *const *argv, int64_t until);

#endif
