/* Reading /proc about the threads of ranks.  Nothing is believed of what ranks say of themselves
 * but which of their threads are not the program's; a wrong number among these names a thread that
 * is not there. */
#include "base/tasks.h"
#include "nicemu/job.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT_SIZE = 4096, ANCESTORS_MAX = 64 };

/* Reads the beginning of a file of a process, or of a thread of it unless that is 0.  False: the
 * kernel does not tell. */
static bool read_text(pid_t process, int task, const char *name, char *text, size_t size)
{
    char path[96];

    if (task)
        snprintf(path, sizeof path, "/proc/%ld/task/%d/%s", (long)process, task, name);
    else
        snprintf(path, sizeof path, "/proc/%ld/%s", (long)process, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return n >= 0;
}

/* The state's letter, S: sleeps, Z and X: has ended, and the parent, which stand behind the name
 * in brackets.  0: unknown. */
static char read_stat(pid_t process, int task, pid_t *parent)
{
    char text[TEXT_SIZE], state;
    long id;

    if (!read_text(process, task, "stat", text, sizeof text))
        return 0;
    const char *name_end = strrchr(text, ')');
    if (!name_end || sscanf(name_end + 1, " %c %ld", &state, &id) != 2)
        return 0;
    if (parent)
        *parent = (pid_t)id;
    return state;
}

static bool has_ended(char state) { return state == 'Z' || state == 'X'; }

pid_t mpi_tasks_process(const struct nic_rank_threads *t, pid_t started)
{
    pid_t process = t->process;

    for (int i = 0; i < ANCESTORS_MAX && process > 1; i++) {
        if (process == started)
            return t->process;
        if (!read_stat(process, 0, &process))
            break;
    }
    return 0;
}

static bool is_programs(const struct nic_rank_threads *t, pid_t process, int task)
{
    return task && task != t->nic && task != t->watch && task != t->runtime
           && !has_ended(read_stat(process, task, NULL));
}

/* Adds a number; false: there is no memory, and nothing is left. */
static bool add(int **tasks, size_t *room, size_t *count, int task)
{
    if (*count == *room) {
        int *more = realloc(*tasks, (*room * 2 + 4) * sizeof *more);
        if (!more) {
            free(*tasks);
            *tasks = NULL;
            *count = 0;
            return false;
        }
        *tasks = more;
        *room = *room * 2 + 4;
    }
    (*tasks)[(*count)++] = task;
    return true;
}

/* Numbers of the threads that run the program; to be freed.  NULL: the kernel does not tell. */
static int *list(const struct nic_rank_threads *t, pid_t process, size_t *count)
{
    char path[64];
    size_t room = 0;
    int *tasks = NULL;
    struct dirent *entry;

    *count = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        int task = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (is_programs(t, process, task) && !add(&tasks, &room, count, task))
            break;
    }
    if (dir)
        closedir(dir);
    return tasks;
}

size_t mpi_tasks_count(const struct nic_rank_threads *t, pid_t process)
{
    size_t count = 0;

    if (process)
        free(list(t, process, &count));
    return count;
}

/* Sleeps in a wait of its NIC.  The kernel names the system call and where its futex is, if it
 * lets us know; else a sleeper is one of those that the rank has counted. */
static bool waits(const struct nic_rank_threads *t, pid_t process, int task)
{
    char text[TEXT_SIZE];
    unsigned long long word;
    long call;
    char state = read_stat(process, task, NULL);

    if (state && state != 'S')
        return false;
    if (!read_text(process, task, "syscall", text, sizeof text))
        return t->waiting > 0;
    if (strncmp(text, "running", 7) == 0)
        return false;
    return sscanf(text, "%ld %llx", &call, &word) == 2 && call == SYS_futex && word == t->word;
}

/* The number behind "NAME:" in the status of a process; 0 if there is none. */
static unsigned long long status_field(const char *status, const char *name, int base)
{
    const char *line = strstr(status, name);

    return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

static bool is_caught(unsigned long long set, int signal) { return set >> (signal - 1) & 1; }

/* Somebody other than MPI may make it go on: a debugger, or a timer that the program has made or
 * has a handler for.  A process that catches all signals does so for a tool (valgrind), and
 * nothing is known of the program's handlers. */
static bool has_help(pid_t process)
{
    char text[TEXT_SIZE];

    if (read_text(process, 0, "status", text, sizeof text)) {
        unsigned long long caught = status_field(text, "\nSigCgt:", 16);
        if (status_field(text, "\nTracerPid:", 10))
            return true;
        if (is_caught(caught, SIGALRM) && !is_caught(caught, SIGRTMAX))
            return true;
    }
    return read_text(process, 0, "timers", text, sizeof text) && text[0];
}

static bool is_asleep(pid_t process, int task)
{
    char state = task ? read_stat(process, task, NULL) : 0;

    return !state || state == 'S' || has_ended(state);
}

/* The NIC's own thread may have a packet in hand, and the one that sleeps on the wire may have been
 * woken, and have had no processor since.  A NIC's thread that never sleeps counts the turns in
 * which it finds nothing to do, and standstill_look compares them. */
bool mpi_tasks_nic_sleeps(const struct nic_rank_threads *t, pid_t process)
{
    return (t->polls || is_asleep(process, t->nic)) && is_asleep(process, t->watch);
}

/* None is outside, and as many wait as there are. */
static bool all_in_list_wait(const struct nic_rank_threads *t, pid_t process)
{
    size_t count, waiting = 0;
    int *tasks = list(t, process, &count);

    while (waiting < count && waits(t, process, tasks[waiting]))
        waiting++;
    free(tasks);
    return count && waiting == count && waiting == t->waiting;
}

bool mpi_tasks_all_wait(const struct nic_rank_threads *t, pid_t started)
{
    pid_t process = mpi_tasks_process(t, started);

    if (!process)
        return t->one && t->waiting > 0;
    if (has_help(process) || !mpi_tasks_nic_sleeps(t, process))
        return false;
    return t->one ? waits(t, process, t->one) : all_in_list_wait(t, process);
}

/* -- for reports */

/* The state of a thread that runs, or else of the first one. */
static char least_idle(const struct nic_rank_threads *t, pid_t process)
{
    size_t count;
    int *tasks = list(t, process, &count);
    char found = 0;

    for (size_t i = 0; i < count && found != 'R'; i++) {
        char state = read_stat(process, tasks[i], NULL);
        found = state == 'R' || !found ? state : found;
    }
    free(tasks);
    return found;
}

void mpi_tasks_print(FILE *out, const struct nic_rank_threads *t, pid_t process)
{
    char state = process ? least_idle(t, process) : 0;

    switch (state) {
    case 'R':
        fputs("computes, or asks MPI without waiting", out);
        break;
    case 'T':
        fputs("is stopped by a signal", out);
        break;
    case 't':
        fputs("is stopped by a debugger", out);
        break;
    case 'S':
    case 'D':
        fputs(t->inside ? "is in MPI, ahead of other ranks in virtual time" : "waits outside MPI",
              out);
        break;
    default:
        fputs("computes or waits outside MPI", out);
    }
}
