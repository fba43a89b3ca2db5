/* Options with a value of their own kind.  Each function returns 0 or an exit code. */
#ifndef LAUNCH_VALUES_H
#define LAUNCH_VALUES_H

#include <stdint.h>

#include "launch/command/asked.h"

int option_set_ranks(struct app *app, const char *text);
int option_set_ranks_per_node(struct app *app, const char *text);
int option_set_time(int64_t *ns, const char *what, const char *text);
int option_set_stdin(struct options *o, const char *text);
int option_set_size(struct options *o, const char *name, const char *text);
int option_set_var(struct vars *vars, char **value);
int option_set_inherit(struct inherit *inherit, int kind, const char *list);
int option_set_launcher(const struct options *o, const char *text);
bool option_is_offload(const char *text);
int option_set_offload(struct options *o, const char *text);
int option_set_errhandler(struct options *o, const char *text);
int option_export_var(struct options *o, struct app *app, char *text);

#endif
