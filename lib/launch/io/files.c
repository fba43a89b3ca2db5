/* Names of files, and the folders above them. */
#include "launch/io/files.h"
#include "launch/base/say.h"
#include "launch/io/pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

unsigned files_each(const struct output_style *style)
{
    unsigned files = 0;

    for (unsigned i = 0; i < (style->merged ? 1 : 2); i++)
        files += style->dir || style->file[i];
    return files;
}

/* "DIR/1/rank.07/stdout", as Open MPI lays them out: its first job is 1. */
static bool print_name(char *name, const struct output_style *style, unsigned rank, unsigned ranks,
                       unsigned stream)
{
    int width = snprintf(NULL, 0, "%u", ranks), n;

    if (style->file[stream])
        return pattern_expand(name, PATTERN_ROOM, style->file[stream], rank) < PATTERN_ROOM - 1;
    n = snprintf(name, PATTERN_ROOM, "%s/1/rank.%0*u/%s", style->dir, width, rank,
                 stream ? "stderr" : "stdout");
    return n > 0 && n < PATTERN_ROOM;
}

/* All folders above a file, as far as they are missing. */
static int make_folders(char *name)
{
    for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int rc = mkdir(name, 0777);
        *slash = '/';
        if (rc < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}

int files_open(const struct output_style *style, unsigned rank, unsigned ranks, unsigned stream)
{
    char name[PATTERN_ROOM];
    int fd, rc = 0;

    if (!style->file[stream] && !style->dir)
        return -1;
    if (!print_name(name, style, rank, ranks, stream)) {
        say_unwritten(style->dir ? style->dir : style->file[stream], ENAMETOOLONG);
        return -2;
    }
    if (!style->file[stream])
        rc = make_folders(name);
    /* several ranks may have one file */
    fd = rc < 0 ? -1 : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0)
        return fd;
    say_unwritten(name, rc < 0 ? -rc : errno);
    return -2;
}
