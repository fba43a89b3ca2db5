/* Whether ranks are checked. */
#include "launch/ranks/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/findings.h"
#include "launch/ranks/preload.h"

#define ENV "MPILITE_CHECK"

int check_load(struct vars *vars, const char *wanted, int pipe)
{
    char number[16];

    if (!wanted)
        wanted = vars_get(vars, ENV);
    if (!wanted || !*wanted || !strcmp(wanted, "off") || !strcmp(wanted, "0"))
        return 0;
    if (preload(vars, "libmpilite_check.so", "--check"))
        return 1;
    vars_set(vars, ENV, wanted);
    snprintf(number, sizeof number, "%d", pipe);
    vars_set(vars, FINDINGS_ENV_FD, number);
    fcntl(pipe, F_SETFD, 0);
    return 0;
}
