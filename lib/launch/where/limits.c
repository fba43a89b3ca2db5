/* Limits, read and tried. */
#include "launch/where/limits.h"
#include "launch/base/calls.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- control groups */

static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, size - 1, file) : 0;

    text[n] = 0;
    if (file)
        fclose(file);
}

/* A file has a number, or "max". */
static uint64_t limit_in(const char *folder, const char *file)
{
    char path[PATH_MAX + 32], text[64];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    read_text(path, text, sizeof text);
    return *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

/* The least value of a file such as memory.max in the control group (version 2) of this process and
 * in those that hold it; 0: there is no limit.  `membership` is the text of /proc/self/cgroup. */
static uint64_t group_limit(const char *membership, const char *file)
{
    static const char root[] = "/sys/fs/cgroup";
    const char *line = strncmp(membership, "0::/", 4) == 0 ? membership + 3
                       : strstr(membership, "\n0::/");
    char folder[PATH_MAX];
    uint64_t least = 0;

    if (!line)
        return 0;
    line += *line == '\n' ? 4 : 0;
    int n = snprintf(folder, sizeof folder, "%s%.*s", root, (int)strcspn(line, "\n"), line);
    if (n < 0 || (size_t)n >= sizeof folder)
        return 0;
    for (char *end = folder + n; end; end = strlen(folder) > strlen(root) ? strrchr(folder, '/')
                                            : NULL) {
        *end = 0;
        uint64_t limit = limit_in(folder, file);
        if (limit && (!least || limit < least))
            least = limit;
    }
    return least;
}

/* -- what is printed */

static void print_bytes(FILE *out, uint64_t bytes)
{
    if (bytes >= UINT64_C(10) << 30)
        fprintf(out, "%" PRIu64 " GiB", bytes >> 30);
    else
        fprintf(out, "%" PRIu64 " MiB", bytes >> 20);
}

static void print_memory(FILE *out, const char *membership)
{
    uint64_t limit = group_limit(membership, "memory.max");

    fputs("  memory       ", out);
    print_bytes(out, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    fputs(", control group: ", out);
    if (limit)
        print_bytes(out, limit);
    else
        fputs("no limit", out);
    fputc('\n', out);
}

static void print_shm(FILE *out)
{
    struct statvfs st;

    fputs("  /dev/shm     ", out);
    if (statvfs("/dev/shm", &st) < 0) {
        fprintf(out, "%s\n", strerror(errno));
        return;
    }
    print_bytes(out, (uint64_t)st.f_bavail * st.f_frsize);
    fputs(" free of ", out);
    print_bytes(out, (uint64_t)st.f_blocks * st.f_frsize);
    fputs(" (not needed while memfd_create works)\n", out);
}

/* A child of ours, as a rank is no parent of another one; 0 or an errno. */
static int try_copy(void)
{
    static char there = 1;
    char here = 0;
    struct iovec from = { &there, 1 }, to = { &here, 1 };
    pid_t parent = getpid(), child;
    int status = 0;

#ifdef PR_SET_PTRACER
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
#endif
    if ((child = call_fork()) < 0)
        return errno;
    if (child == 0)
        _exit(process_vm_readv(parent, &to, 1, &from, 1, 0) == 1 ? 0 : errno ? errno : EIO);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void print_copy(FILE *out)
{
    int error = try_copy();
    char scope[8];

    read_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
    scope[strcspn(scope, "\n")] = 0;
    fprintf(out, "  kernel copy  process_vm_readv %s", error ? strerror(error) : "works");
    fprintf(out, *scope ? ", yama %s\n" : "%s\n", scope);
}

static void print_limit(FILE *out, const char *name, int resource)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) < 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY)
        fprintf(out, " %s unlimited", name);
    else
        fprintf(out, " %s %llu", name, (unsigned long long)limit.rlim_cur);
}

static void print_limits(FILE *out, const char *membership)
{
    uint64_t tasks = group_limit(membership, "pids.max");

    fputs("  limits      ", out);
    print_limit(out, "-n", RLIMIT_NOFILE);
    print_limit(out, "-u", RLIMIT_NPROC);
    print_limit(out, "-v", RLIMIT_AS);
    print_limit(out, "-l", RLIMIT_MEMLOCK);
    print_limit(out, "-f", RLIMIT_FSIZE);
    print_limit(out, "-c", RLIMIT_CORE);
    if (tasks)
        fprintf(out, ", control group: %" PRIu64 " tasks", tasks);
    fputc('\n', out);
}

void limits_print(FILE *out)
{
    char membership[PATH_MAX + 256];

    read_text("/proc/self/cgroup", membership, sizeof membership);
    print_memory(out, membership);
    print_limits(out, membership);
    print_shm(out);
    print_copy(out);
}
