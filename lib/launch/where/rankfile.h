/* A file that says for each rank which cores it has. */
#ifndef LAUNCH_RANKFILE_H
#define LAUNCH_RANKFILE_H

#include "launch/where/hosts.h"
#include "launch/where/machine.h"

struct rankfile {
    struct rankline { unsigned rank; char *slots; } *line;
    unsigned count;             /* 0: there is no such file */
};

/* Lines "rank 3=HOST slot=LIST"; # begins a comment.  The hosts are added to `hosts`.  0, or an
 * exit code. */
int rankfile_read(struct rankfile *file, const char *path, struct hosts *hosts);

/* What each rank of a job has of this machine, in *cores, which the caller frees.  0, or an exit
 * code. */
int rankfile_cores(const struct rankfile *file, const struct machine *machine, unsigned ranks,
                   struct cores **cores);

void rankfile_free(struct rankfile *file);

#endif
