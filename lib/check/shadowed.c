/* Who has functions of MPI besides the library and this one, by what the loader finds. */
#define _GNU_SOURCE
#include "check/shadowed.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/other_mpi.h"
#include "mpi/door.h"

bool check_is_aside;

static const char *file_of(const Dl_info *object)
{
    const char *slash = strrchr(object->dli_fname, '/');
    return slash ? slash + 1 : object->dli_fname;
}

/* In which object the loader finds the name, from here on or at all; false: in none. */
static bool find(void *from, const char *name, Dl_info *object)
{
    void *at = dlsym(from, name);
    return at && dladdr(at, object);
}

/* Of a name that the program takes from somewhere else. */
static bool is_before(const char *name, const Dl_info *own, Dl_info *other)
{
    return find(RTLD_DEFAULT, name, other) && other->dli_fbase != own->dli_fbase;
}

/* Of a name that was somebody's before the checks were loaded.  Tools of this library know of each
 * other. */
static bool is_behind(const char *name, Dl_info *other)
{
    Dl_info library;
    char twin[128];

    snprintf(twin, sizeof twin, "P%s", name);
    return find(RTLD_NEXT, name, other) && find(RTLD_NEXT, twin, &library)
           && other->dli_fbase != library.dli_fbase && !strstr(other->dli_fname, "libmpilite_");
}

bool check_look_for_others(char *text, size_t size)
{
    Dl_info own, other;
    const char *const *behind = NULL, *mpi = other_mpi(&mpi_door);

    if (mpi) {
        check_is_aside = true;
        snprintf(text, size, "nothing is checked, as the program's MPI is %s", mpi);
        return true;
    }
    if (!dladdr(&check_is_aside, &own))
        return false;
    for (const char *const *name = check_watched; *name; name++) {
        if (is_before(*name, &own, &other)) {
            check_is_aside = true;
            snprintf(text, size, "nothing is checked, as %s has its own %s, which the checks "
                     "do not see (a profiling wrapper?)", file_of(&other), *name);
            return true;
        }
        if (!behind && is_behind(*name, &other))
            behind = name;
    }
    if (behind && is_behind(*behind, &other))
        snprintf(text, size, "%s of %s is not called, as the checks stand before it", *behind,
                 file_of(&other));
    return behind;
}
