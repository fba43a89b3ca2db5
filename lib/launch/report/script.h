/* Programs that a shell's `-c` names. */
#ifndef LAUNCH_SCRIPT_H
#define LAUNCH_SCRIPT_H

#include <stdbool.h>

/* Called for each word that stands where a command does, until it returns true. */
typedef bool script_fn(const char *word, void *context);

/* False: that is no shell with a script as its argument, or nobody wanted any of its words.  Of the
 * shell's language no more is known than where commands begin: no word is expanded but "$0" to "$9"
 * and "$@". */
bool script_commands(char *const *argv, script_fn *fn, void *context);

#endif
