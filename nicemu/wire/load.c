/* Loads the module: beside the library that this code is in, or in the installation or build that
 * the program belongs to, so that both may be moved; else where it was to be installed.  What has
 * been loaded stays: providers leave threads and handlers behind. */
#define _GNU_SOURCE
#include "wire/load.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libnicemu_ofi.so"
enum { LEVELS = 6 };            /* folders above the program that are looked into */

static bool is_there(const char *path) { return access(path, R_OK) == 0; }

/* Cuts the last name off; false: there is none. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash;
}

static bool beside_library(char *path, size_t room)
{
    Dl_info info;
    char own[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)nic_wire_load, &info) || !info.dli_fname
        || !realpath(info.dli_fname, own) || !go_up(own))
        return false;
    return (size_t)snprintf(path, room, "%s/" NIC_PACKAGE "/" NAME, own) < room && is_there(path);
}

static bool above_program(char *path, size_t room)
{
    char base[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", base, sizeof base - 1);
    base[n < 0 ? 0 : n] = '\0';
    for (unsigned level = 0; level < LEVELS && go_up(base); level++)
        if ((size_t)snprintf(path, room, "%s/lib/" NIC_PACKAGE "/" NAME, base) < room
            && is_there(path))
            return true;
    return false;
}

static const char *find(char *path, size_t room)
{
    if (beside_library(path, room) || above_program(path, room))
        return path;
    return NIC_MODULES_DIR "/" NAME;
}

const struct nic_wire_ops *nic_wire_load(char *why, size_t room)
{
    static const struct nic_wire_ops *ops;
    char path[PATH_MAX];
    if (ops)
        return ops;
    void *module = dlopen(find(path, sizeof path), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct nic_wire_ops *found = module ? dlsym(module, NIC_WIRE_MODULE) : NULL;
    if (!found)
        snprintf(why, room, "no module for other machines: %s", dlerror());
    else if (found->version != NIC_WIRE_VERSION)
        snprintf(why, room, "the module for other machines is of another version");
    else
        ops = found;
    return ops;
}
