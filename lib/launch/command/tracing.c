/* What is to be written about a run. */
#include "launch/command/tracing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "launch/base/say.h"

int tracing_set_file(struct tracing *t, const char *file)
{
    if (!*file)
        return say_usage("--trace needs the name of a file");
    t->file = file;
    return 0;
}

int tracing_set_folder(struct tracing *t, const char *folder)
{
    if (!*folder)
        return say_usage("--report needs the name of a folder");
    t->folder = folder;
    return 0;
}

static int try_folder(const char *folder)
{
    char *page = NULL;
    int rc = 1;

    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        say("--report: cannot make the folder %s: %s", folder, strerror(errno));
    else if (asprintf(&page, "%s/index.html", folder) >= 0)
        rc = try_file(page);
    free(page);
    return rc;
}

int tracing_try(const struct tracing *t, bool checked)
{
    if (tracing_wanted(t) && checked)
        return say_usage("--check goes with neither --trace nor --report: each takes the place of "
                         "MPI's functions");
    if (t->file && try_file(t->file))
        return 1;
    return t->folder ? try_folder(t->folder) : 0;
}
