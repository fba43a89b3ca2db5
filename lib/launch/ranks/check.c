/* Finding the tool: in the build folder, in the installation that this program is of, or where it
 * was to be installed. */
#include "launch/ranks/check.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/findings.h"
#include "launch/base/say.h"

#define FILE_NAME "libmpilite_check.so"
#define ENV "MPILITE_CHECK"
#define LOADED "LD_PRELOAD"

static bool find(char *path, size_t size)
{
    static const char *const folders[] = { "/../.libs/", "/../lib/" PACKAGE_TARNAME "/" };
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    self[n > 0 ? n : 0] = 0;
    if (strrchr(self, '/'))
        *strrchr(self, '/') = 0;
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        if ((size_t)snprintf(path, size, "%s%s" FILE_NAME, self, folders[i]) < size
            && access(path, R_OK) == 0)
            return true;
    return (size_t)snprintf(path, size, PKGLIBDIR "/" FILE_NAME) < size && !access(path, R_OK);
}

int check_load(struct vars *vars, const char *wanted, int pipe)
{
    char path[PATH_MAX + 64], list[2 * PATH_MAX + 128], number[16];
    const char *before = vars_get(vars, LOADED);

    if (!wanted)
        wanted = vars_get(vars, ENV);
    if (!wanted || !*wanted || !strcmp(wanted, "off") || !strcmp(wanted, "0"))
        return 0;
    if (!find(path, sizeof path)) {
        say("--check: there is no " FILE_NAME " (it needs shared libraries)");
        return 1;
    }
    snprintf(list, sizeof list, "%s%s%s", path, before && *before ? ":" : "",
             before ? before : "");
    vars_set(vars, LOADED, list);
    vars_set(vars, ENV, wanted);
    snprintf(number, sizeof number, "%d", pipe);
    vars_set(vars, FINDINGS_ENV_FD, number);
    fcntl(pipe, F_SETFD, 0);
    return 0;
}
