/* Installation, machine, environment. */
#include "launch/command/about.h"
#include "launch/command/built.h"
#include "launch/where/limits.h"
#include "launch/where/topology.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#define LIBC "glibc", gnu_get_libc_version()
#else
#define LIBC "another C library", ""
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

extern char **environ;

static void print_installation(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    printf("mpirun (libmpi-lite) %s\n", BUILT_VERSION);
    printf("  program      %.*s\n", n < 0 ? 0 : (int)n, path);
    printf("  configured   %s\n", *BUILT_ARGUMENTS ? BUILT_ARGUMENTS : "without options");
    printf("  compiler     %s, %s\n", COMPILER, BUILT_FLAGS);
    printf("  built with   %s\n", BUILT_HAS);
}

static void print_system(void)
{
    struct utsname system;

    if (uname(&system) == 0)
        printf("  system       %s %s, %s, %s %s\n", system.sysname, system.release, system.machine,
               LIBC);
}

/* The first line of /proc/cpuinfo that says "model name". */
static void print_processor(void)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line = NULL;
    size_t size = 0;

    while (file && getline(&line, &size, file) > 0)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            printf("  processor   %s", strchr(line, ':') + 1);
            break;
        }
    free(line);
    if (file)
        fclose(file);
}

/* Those that have threads: threads of one object stand beside each other. */
static void print_count(const struct machine *m, enum level level)
{
    unsigned count = 0;

    for (unsigned i = 0; i < m->count; i++)
        count += !i || m->thread[i].in[level] != m->thread[i - 1].in[level];
    printf("%u %s%s", count, level_name(level), count == 1 ? "" : "s");
}

static void print_cores(void)
{
    struct cores allowed;
    struct machine machine = { 0 };
    char text[256];
    unsigned quota = cores_quota_own();

    cores_allowed(&allowed);
    cores_print(&allowed, text, sizeof text);
    topology_read(&allowed, &machine);
    fputs("  machine      ", stdout);
    print_count(&machine, LEVEL_SOCKET);
    fputs(", ", stdout);
    print_count(&machine, LEVEL_CORE);
    printf(", %u processor%s, of which %u may be used (%s)", machine.count,
           machine.count == 1 ? "" : "s", cores_count(&allowed), text);
    if (quota)
        printf("; control group: time of %u", quota);
    putchar('\n');
    machine_free(&machine);
}

/* Ours, those of launchers around this one, and what the dynamic linker reads. */
static bool is_telling(const char *var)
{
    static const char *const begin[] = { "MPILITE_", "NICEMU_", "SHMEM_", "PMI_", "PMIX_", "LD_",
                                         "OMPI_", "MPICH_", "SLURM_JOB_ID=", "FI_", "OMP_" };

    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(var, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static void print_variables(void)
{
    unsigned count = 0;

    for (char **var = environ; *var; var++)
        if (is_telling(*var))
            printf("  %s%s\n", count++ ? "             " : "variables    ", *var);
    if (!count)
        puts("  variables    none");
}

void about_print(void)
{
    print_installation();
    print_system();
    print_processor();
    print_cores();
    limits_print(stdout);
    print_variables();
}
