/* The time line as Chrome trace events, which Perfetto and chrome://tracing open. */
#ifndef LAUNCH_CHROME_H
#define LAUNCH_CHROME_H

#include <stdio.h>

#include "launch/timeline/view.h"

void chrome_write(FILE *out, const struct view *view);
/* A string in quotes, as JSON has it and HTML leaves it alone; bytes that are no UTF-8 become the
 * characters of their numbers. */
void json_string(FILE *out, const char *text);

#endif
