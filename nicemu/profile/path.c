/* Where profiles lie.  A program finds those of the installation or build that it belongs to by its
 * own place, so that both may be moved. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/path.h"

/* folders above the program that are looked into: bin/, examples/papers/, tests/unit/.libs/ ... */
enum { LEVELS = NIC_PROFILE_FOLDERS - 2 };

/* The folder `level` levels above that of the running program. */
static bool above_program(unsigned level, char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    if (n <= 0)
        return false;
    path[n] = '\0';
    for (unsigned i = 0; i <= level; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

bool nic_profile_folder(unsigned number, char *path, size_t room)
{
    const char *named = getenv("NICEMU_PROFILES");
    if (named && *named && number-- == 0)
        return (size_t)snprintf(path, room, "%s", named) < room;
    if (number < LEVELS) {
        char base[PATH_MAX];
        if (!above_program(number, base, sizeof base))
            return (size_t)snprintf(path, room, "%s", NIC_PROFILES_DIR) < room;
        return (size_t)snprintf(path, room, "%s/share/%s/profiles", base, NIC_PACKAGE) < room;
    }
    return number == LEVELS && (size_t)snprintf(path, room, "%s", NIC_PROFILES_DIR) < room;
}

int nic_profile_path(const char *name, char *path, size_t room)
{
    char folder[PATH_MAX];
    for (unsigned i = 0; i < NIC_PROFILE_FOLDERS && nic_profile_folder(i, folder, sizeof folder);
         i++)
        if ((size_t)snprintf(path, room, "%s/%s.conf", folder, name) < room
            && access(path, R_OK) == 0)
            return 0;
    return -ENOENT;
}

static int is_profile(const struct dirent *e)
{
    const size_t bytes = strlen(e->d_name);
    return bytes > 5 && !strcmp(e->d_name + bytes - 5, ".conf");
}

/* Returns how many it has. */
static int describe(const char *folder, char *text, size_t room)
{
    struct dirent **entry;
    const int count = scandir(folder, &entry, is_profile, alphasort);
    size_t n = count > 0 ? (size_t)snprintf(text, room, "%s has ", folder) : 0;
    for (int i = 0; i < count; i++) {
        const int bytes = (int)strlen(entry[i]->d_name) - 5;
        if (n < room)
            n += (size_t)snprintf(text + n, room - n, "%s%.*s", i ? ", " : "", bytes,
                                  entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return count;
}

void nic_profiles_describe(char *text, size_t room)
{
    char folder[PATH_MAX];
    snprintf(text, room, "no folder has any");
    for (unsigned i = 0; i < NIC_PROFILE_FOLDERS && nic_profile_folder(i, folder, sizeof folder);
         i++)
        if (describe(folder, text, room) > 0)
            return;
}
