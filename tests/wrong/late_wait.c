/* For LD_PRELOAD: who asks whether a child has ended gets to know it half a second late. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LATE_US = 500 * 1000 };

pid_t waitpid(pid_t pid, int *status, int options)
{
    pid_t (*const real)(pid_t, int *, int) = (pid_t (*)(pid_t, int *, int))dlsym(RTLD_NEXT,
                                                                                  "waitpid");
    const pid_t ended = real(pid, status, options);
    if (ended > 0)
        usleep(LATE_US);
    return ended;
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    int (*const real)(idtype_t, id_t, siginfo_t *, int) =
        (int (*)(idtype_t, id_t, siginfo_t *, int))dlsym(RTLD_NEXT, "waitid");
    const int rc = real(type, id, info, options);
    if (!rc && info->si_pid)
        usleep(LATE_US);
    return rc;
}
