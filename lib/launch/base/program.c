/* Finding a program. */
#include "launch/base/program.h"
#include "launch/base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 if the path is a file that may be executed, else an errno. */
static int check(int dir, const char *path)
{
    struct stat st;

    if (fstatat(dir, path, &st, 0) < 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (faccessat(dir, path, X_OK, AT_EACCESS) == 0)
        return 0;
    /* Filters that are older than faccessat2 refuse it; execve has the last word anyway. */
    return errno == EPERM ? (faccessat(dir, path, X_OK, 0) < 0 && errno != EPERM ? errno : 0)
           : errno;
}

/* Tries each folder of PATH; an empty entry is the current folder.  `worst` keeps the error worth
 * telling: a file that is there but must not be executed. */
static char *search(int dir, const char *name, const char *path, int *worst)
{
    while (path) {
        size_t length = strcspn(path, ":");
        char *candidate;
        if (asprintf(&candidate, "%.*s%s%s", (int)length, path, length ? "/" : "./", name) < 0)
            return need(NULL);
        int error = check(dir, candidate);
        if (!error)
            return candidate;
        if (error == EACCES)
            *worst = EACCES;
        free(candidate);
        path = path[length] ? path + length + 1 : NULL;
    }
    return NULL;
}

static int refuse(const char *name, int error)
{
    if (error == ENOENT || error == ENOTDIR) {
        say(strchr(name, '/') ? "cannot start %s: there is no such file"
                              : "cannot start %s: not found in PATH nor in the working directory",
                                  name);
        return EXIT_NOT_FOUND;
    }
    say("cannot start %s: %s", name, error == EISDIR ? "it is a folder" : strerror(error));
    return EXIT_NOT_EXECUTABLE;
}

static int find(int dir, const char *name, const char *path, char **found)
{
    int error = ENOENT;

    *found = strchr(name, '/') ? NULL : search(dir, name, path ? path : "/bin:/usr/bin", &error);
    if (*found)
        return 0;
    int here = *name ? check(dir, name) : ENOENT;
    if (here && !(here == ENOENT && error == EACCES))
        return refuse(name, here == EISDIR && !strchr(name, '/') ? ENOENT : here);
    if (here)
        return refuse(name, error);
    if (asprintf(found, "%s%s", strchr(name, '/') ? "" : "./", name) < 0)
        need(NULL);
    return 0;
}

int program_find(const char *name, const char *dir, const char *path, char **found)
{
    int fd = AT_FDCWD;

    if (dir && (fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
        say("cannot use the working directory %s: %s", dir, strerror(errno));
        return EXIT_USAGE;
    }
    int rc = find(fd, name, path, found);
    if (fd >= 0)
        close(fd);
    return rc;
}
