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

/* The folder that names are relative to: that of -wdir, else our own; to be freed. */
static char *folder(const char *dir)
{
    char *here = dir && *dir == '/' ? need(strdup(dir)) : getcwd(NULL, 0), *path = here;

    if (!here)
        return need(strdup(dir ? dir : "the working directory"));
    if (dir && *dir != '/') {
        if (asprintf(&path, "%s/%s", here, dir) < 0)
            path = need(NULL);
        free(here);
    }
    return path;
}

/* The ending of a name that compilers take as text of a program; NULL: it has none. */
static const char *source_ending(const char *name)
{
    static const char *const endings[] = { ".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".F", ".f90",
                                           ".F90", ".f03", ".f08" };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return dot;
    return NULL;
}

static const char *compiler_of(const char *ending)
{
    return strcmp(ending, ".c") == 0 ? "mpicc" : strchr("fF", ending[1]) ? "mpifort" : "mpicxx";
}

/* The program is still text: it is it that was named, or it stands beside. */
static void hint_to_compile(int dir, const char *name)
{
    static const char *const beside[] = { ".c", ".cc", ".cpp", ".f90" };
    const char *ending = source_ending(name);
    char source[4096];

    for (size_t i = 0; !ending && i < sizeof beside / sizeof *beside; i++) {
        int n = snprintf(source, sizeof source, "%s%s", name, beside[i]);
        if (n > 0 && n < (int)sizeof source && faccessat(dir, source, R_OK, 0) == 0)
            ending = source_ending(source);
        else
            *source = 0;
    }
    if (!ending || (source_ending(name) && faccessat(dir, name, R_OK, 0) < 0))
        return;
    if (!source_ending(name))
        say("it is to be compiled first: %s -o %s %s", compiler_of(ending), name, source);
    else
        say("it is the text of a program, to be compiled first: %s -o %.*s %s",
            compiler_of(ending), (int)(ending - name), name, name);
}

/* Most often the text of a script. */
static void hint_to_allow(int dir, const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, 0) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & 0111))
        say("nobody may execute it: chmod +x %s, or name what runs it in front of it", name);
}

static int refuse(int dir, const char *name, const char *dir_name, int error)
{
    if (!*name) {
        say("cannot start a program without a name");
        return EXIT_NOT_FOUND;
    }
    if (error == ENOENT || error == ENOTDIR) {
        char *where = folder(dir_name);
        if (*name == '/')
            say("cannot start %s: there is no such file", name);
        else
            say(strchr(name, '/') ? "cannot start %s: there is no such file in %s"
                                  : "cannot start %s: not found in PATH nor in %s", name, where);
        free(where);
        hint_to_compile(dir, name);
        return EXIT_NOT_FOUND;
    }
    say("cannot start %s: %s", name, error == EISDIR ? "it is a folder" : strerror(error));
    if (error == EACCES && source_ending(name))
        hint_to_compile(dir, name);
    else if (error == EACCES)
        hint_to_allow(dir, name);
    return EXIT_NOT_EXECUTABLE;
}

static int find(int dir, const char *dir_name, const char *name, const char *path, char **found)
{
    int error = ENOENT;

    *found = strchr(name, '/') ? NULL : search(dir, name, path ? path : "/bin:/usr/bin", &error);
    if (*found)
        return 0;
    int here = *name ? check(dir, name) : ENOENT;
    if (here && !(here == ENOENT && error == EACCES))
        return refuse(dir, name, dir_name, here == EISDIR && !strchr(name, '/') ? ENOENT : here);
    if (here)
        return refuse(dir, name, dir_name, error);
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
    int rc = find(fd, dir, name, path, found);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* What cannot be read is for the shell to refuse. */
bool program_may_be_script(const char *path, const char *dir)
{
    char text[256];
    int folder = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);

    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    const char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
    return n <= 0 || !memchr(text, 0, end ? (size_t)(end - text) : (size_t)n);
}
