/* Files that take what ranks write. */
#ifndef LAUNCH_FILES_H
#define LAUNCH_FILES_H

#include "launch/io/style.h"

/* Opens the file of a rank's standard output (0) or standard error (1), empty.  Its descriptor, -1
 * if there is none to be, or -2 if it cannot be written, which has been said. */
int files_open(const struct output_style *style, unsigned rank, unsigned ranks, unsigned stream);

/* How many a rank has. */
unsigned files_each(const struct output_style *style);

#endif
