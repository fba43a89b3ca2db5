/* Finding a tool: in the build folder, in the installation that this program is of, or where it was
 * to be installed. */
#include "launch/ranks/preload.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/base/say.h"

#define LOADED "LD_PRELOAD"

static bool find(char *path, size_t size, const char *name)
{
    static const char *const folders[] = { "/../.libs/", "/../lib/" PACKAGE_TARNAME "/" };
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    self[n > 0 ? n : 0] = 0;
    if (strrchr(self, '/'))
        *strrchr(self, '/') = 0;
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        if ((size_t)snprintf(path, size, "%s%s%s", self, folders[i], name) < size
            && access(path, R_OK) == 0)
            return true;
    return (size_t)snprintf(path, size, PKGLIBDIR "/%s", name) < size && !access(path, R_OK);
}

int preload(struct vars *vars, const char *name, const char *option)
{
    char path[PATH_MAX + 64], list[2 * PATH_MAX + 128];
    const char *before = vars_get(vars, LOADED);

    if (!find(path, sizeof path, name)) {
        say("%s: there is no %s (it needs shared libraries)", option, name);
        return 1;
    }
    snprintf(list, sizeof list, "%s%s%s", path, before && *before ? ":" : "",
             before ? before : "");
    vars_set(vars, LOADED, list);
    return 0;
}
