/* Processes between a launcher and this one, by what /proc says of them. */
#define _GNU_SOURCE
#include "pmi/kin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { ANCESTORS_MAX = 16, LINE = 4096 };

static pid_t parent_of(pid_t process)
{
    char path[48], text[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "re");
    const char *name_end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (!name_end || sscanf(name_end + 1, " %*c %d", &parent) != 1)
        parent = 0;
    if (file)
        fclose(file);
    return parent;
}

/* PMI: it has the same socket as this process under that number; the launcher has its other end. */
static bool shares_socket(pid_t process, const char *fd)
{
    char path[64], own[64], its[64];
    snprintf(path, sizeof path, "/proc/self/fd/%.10s", fd);
    ssize_t n = readlink(path, own, sizeof own);
    snprintf(path, sizeof path, "/proc/%d/fd/%.10s", (int)process, fd);
    return n > 0 && readlink(path, its, sizeof its) == n && !memcmp(own, its, (size_t)n);
}

/* PMIx: its environment names the same job. */
static bool shares_variable(pid_t process, const char *name, const char *value)
{
    char path[48], *entry = NULL;
    size_t room = 0, bytes = strlen(name);
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&entry, &room, 0, file) > 0)
        found = !strncmp(entry, name, bytes) && entry[bytes] == '='
                && !strcmp(entry + bytes + 1, value);
    free(entry);
    if (file)
        fclose(file);
    return found;
}

static bool is_rank(pid_t process)
{
    const char *fd = getenv("PMI_FD"), *job = getenv("PMIX_NAMESPACE");
    return fd ? shares_socket(process, fd) : job && shares_variable(process, "PMIX_NAMESPACE", job);
}

/* A library of MPI that is not this one. */
static bool uses_another_mpi(pid_t process)
{
    char path[48], line[LINE];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, "/libmpich.so") || strstr(line, "/libmpi.so.");
    if (file)
        fclose(file);
    return found;
}

bool mpi_pmi_is_helper(void)
{
    pid_t process = getppid();
    for (int i = 0; i < ANCESTORS_MAX && process > 1 && is_rank(process); i++) {
        if (uses_another_mpi(process))
            return true;
        process = parent_of(process);
    }
    return false;
}
