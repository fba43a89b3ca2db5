/* The command line of mpirun. */
#ifndef LAUNCH_OPTIONS_H
#define LAUNCH_OPTIONS_H

#include "launch/command/asked.h"

/* Reads the command line, and the environment for what that does not say of placement.  Returns -1
 * to go on, or the exit code if all is said already (help, version, a wrong argument).  Changes
 * argv. */
int options_parse(struct options *options, char **argv);

/* A program without a number of ranks gets `ranks` if it is
 * the only one, else 1.  0, or an exit code. */
int options_count_ranks(struct options *options, unsigned ranks);

void options_free(struct options *options);

#endif
