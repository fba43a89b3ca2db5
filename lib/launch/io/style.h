/* How the ranks' lines look on their way out, and which files take them. */
#ifndef LAUNCH_STYLE_H
#define LAUNCH_STYLE_H

#include <stdbool.h>

struct output_style {
    const char *prefix;         /* a pattern in front of each line; NULL: nothing */
    /* patterns of the files that take standard output and standard error; NULL: none */
    const char *file[2];
    const char *dir;            /* a folder with a file for each stream; NULL: none */
    bool hidden[2];             /* what goes to a file does not go to mpirun's own besides */
    bool merged;                /* standard error goes where standard output goes */
};

#endif
