/* Writes what is asked for, and says how much of it there is. */
#include "launch/timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/base/say.h"
#include "launch/ranks/job.h"
#include "launch/timeline/cause.h"
#include "launch/timeline/chrome.h"
#include "launch/timeline/page.h"
#include "launch/timeline/pair.h"
#include "launch/timeline/view.h"

typedef void write_view(FILE *out, const struct view *view);

static bool write_file(const char *name, write_view *write, const struct view *view)
{
    FILE *out = fopen(name, "we");
    int rc = out ? 0 : errno;

    if (out) {
        errno = 0;
        write(out, view);
        rc = print_error(out);
        if (fclose(out) && !rc)
            rc = errno;
    }
    if (rc)
        say_unwritten(name, rc);
    return !rc;
}

static void say_limits(const struct view *v)
{
    if (v->silent)
        say("--trace, --report: %u rank%s recorded nothing: what is seen are calls of MPI and "
            "SHMEM in the shared libraries, from MPI_Init or shmem_init on, without those that "
            "profiling wrappers pass on (PMPI)", v->silent, v->silent > 1 ? "s" : "");
    if (v->hidden)
        say("--trace, --report: the program has its own %s, so calls of that are not seen (a "
            "profiling wrapper?)", call_name(v->hidden - 1));
    if (v->shift)
        say("--trace, --report: there was more than there is room for: kept is 1 of %" PRIu64
            " slices of %.3g us, and all sums", UINT64_C(1) << v->shift, (double)v->slice * 1e-6);
    if (v->lost)
        say("--trace, --report: %" PRIu64 " records found no room and are missing", v->lost);
    if (v->unnumbered)
        say("--trace, --report: %" PRIu64 " ends of messages have no arrow: there are too many "
            "kinds of messages (communicator, peer, tag)", v->unnumbered);
}

bool timeline_write(const struct job *job)
{
    const struct tracing *t = &job->options->tracing;
    struct view view;
    char *page = NULL;
    bool written = true;

    if (!tracing_wanted(t))
        return true;
    view_open(&view, job);
    pair_messages(&view);
    cause_find(&view);
    if (!job->options->quiet)
        say_limits(&view);
    if (t->file)
        written = write_file(t->file, chrome_write, &view);
    if (t->folder && asprintf(&page, "%s/index.html", t->folder) >= 0)
        written &= write_file(page, page_write, &view);
    free(page);
    view_close(&view);
    return written;
}
