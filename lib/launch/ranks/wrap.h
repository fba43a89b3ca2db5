/* Another program around that of a rank. */
#ifndef LAUNCH_WRAP_H
#define LAUNCH_WRAP_H

#include "launch/command/options.h"

struct wrap { char *path, **argv, *text; };     /* path NULL: there is none */

/* For this program, which was found at `program`, with folders that are looked through as in PATH.
 * 0, or an exit code, and the reason is said. */
int wrap_make(struct wrap *wrap, const struct options *o, const struct app *app,
              const char *program, const char *folders);
void wrap_free(struct wrap *wrap);

#endif
