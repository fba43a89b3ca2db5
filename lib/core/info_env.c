/* What this process was started as, for MPI_INFO_ENV. */
#define _GNU_SOURCE
#include "core/info_env.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/thread_level.h"
#include "core/world.h"
#include "mpi.h"

struct start { int argc; char *const *argv; bool of_job; };
typedef bool value_fn(const struct start *s, char *value, size_t room);

/* The command line as the system knows it: null characters between arguments.  Its length, 0: not
 * known. */
static size_t command_line(char *line, size_t room)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, room - 1);
    if (fd >= 0)
        close(fd);
    n = n < 0 ? 0 : n;
    line[n] = 0;
    return (size_t)n;
}

static bool command(const struct start *s, char *value, size_t room)
{
    if (s->argc > 0) {
        snprintf(value, room, "%s", s->argv[0]);
        return true;
    }
    return command_line(value, room) > 0;
}

/* All arguments behind the first, with blanks between them. */
static bool arguments(const struct start *s, char *value, size_t room)
{
    char line[MPI_MAX_INFO_VAL];
    size_t used = 0, n = s->argc > 0 ? 0 : command_line(line, sizeof line);
    *value = 0;
    for (int i = 1; i < s->argc && used < room; i++)
        used += (size_t)snprintf(value + used, room - used, "%s%s", i > 1 ? " " : "", s->argv[i]);
    for (size_t at = n ? strlen(line) + 1 : 0; at < n && used < room; at += strlen(line + at) + 1)
        used += (size_t)snprintf(value + used, room - used, "%s%s", used ? " " : "", line + at);
    return *value;
}

static bool maxprocs(const struct start *s, char *value, size_t room)
{
    const char *size = getenv("MPILITE_SIZE");
    if (s->of_job && mpi_state_now() == MPI_STATE_INIT)
        snprintf(value, room, "%u", nic_ranks(mpi_nic));
    else
        snprintf(value, room, "%s", size ? size : "1");
    return true;
}

static bool host(const struct start *s, char *value, size_t room)
{
    (void)s;
    bool known = !gethostname(value, room);
    value[room - 1] = 0;
    return known;
}

static bool arch(const struct start *s, char *value, size_t room)
{
    struct utsname u;
    (void)s;
    if (uname(&u) < 0)
        return false;
    snprintf(value, room, "%s", u.machine);
    return true;
}

static bool wdir(const struct start *s, char *value, size_t room)
{
    (void)s;
    return getcwd(value, room);
}

static bool thread_level(const struct start *s, char *value, size_t room)
{
    if (!s->of_job || mpi_state != MPI_STATE_INIT)
        return false;
    snprintf(value, room, "%s", mpi_thread_level_name());
    return true;
}

static const struct { const char *key; value_fn *value; } keys[] = {
    { "command", command }, { "argv", arguments }, { "maxprocs", maxprocs }, { "host", host },
    { "arch", arch }, { "wdir", wdir }, { "thread_level", thread_level },
};

const char *mpi_info_env_key(unsigned i)
{
    return i < sizeof keys / sizeof *keys ? keys[i].key : NULL;
}

bool mpi_info_env_value(unsigned i, int argc, char *const *argv, bool of_job, char *value,
                        size_t room)
{
    struct start s = { argv ? argc : 0, argv, of_job };
    return keys[i].value(&s, value, room);
}
