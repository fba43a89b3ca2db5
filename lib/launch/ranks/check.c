/* Whether ranks are checked. */
#include "launch/ranks/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/findings.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"
#include "launch/ranks/job.h"
#include "launch/ranks/preload.h"
#include "nicemu/job.h"

int check_load(struct vars *vars, const char *wanted, int pipe)
{
    char name[NIC_FD_NAME];

    if (!wanted)
        wanted = vars_get(vars, CHECK_ENV);
    if (!wanted || !*wanted || !strcmp(wanted, "off") || !strcmp(wanted, "0"))
        return 0;
    if (preload(vars, "libmpilite_check.so", "--check"))
        return 1;
    vars_set(vars, CHECK_ENV, wanted);
    nic_fd_name(pipe, name, sizeof name);
    vars_set(vars, FINDINGS_ENV_FD, name);
    fcntl(pipe, F_SETFD, 0);
    return 0;
}

void check_warn(const struct job *job)
{
    const struct options *o = job->options;
    bool *unseen = need(calloc(o->ranks, sizeof *unseen));
    unsigned count = 0;
    char *list = NULL;
    size_t size;

    for (unsigned i = 0; i < o->ranks; i++) {
        const struct rank *r = &job->rank[i];
        unseen[i] = r->pid && !r->status && !r->without_nic && !job->findings.here[i];
        count += unseen[i];
    }
    if (count && debugging_is_checked(&o->debugging) && !o->quiet) {
        FILE *out = need(open_memstream(&list, &size));
        ranklist_print(out, unseen, o->ranks);
        fclose(out);
        say("warning: rank%s %s: not checked, as the checks see programs of MPI that are linked "
            "with the shared library and get the environment and the descriptors of mpirun",
            count > 1 ? "s" : "", list);
    }
    free(list);
    free(unseen);
}
