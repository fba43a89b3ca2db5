/* unfair COMMAND...: runs a command on a machine whose scheduler is not fair.
 *
 * One thread per processor burns time, in bursts; meanwhile threads of the command and of all that
 * it starts are taken by chance and put behind everything else for some time (SCHED_IDLE), so that
 * any of them can fall behind any other by a good part of a second, at any point.  What a test
 * takes for granted about who is first shows this way in minutes, not in hundreds of runs.
 *
 *   -s SEED      of the choice (default: the time)
 *   -o ONE_IN    of how many threads one is behind at a time (default 6)
 *   -l MS        for how long at most (default 300)
 *
 * Needs the right to raise a thread again (root, or RLIMIT_NICE).  Exits as the command does. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BEHIND = 512, TICK_US = 10000 };

static struct {
    pid_t thread;
    long until; /* ms */
} behind[MAX_BEHIND];
static int n_behind;
static unsigned long long state;
static int one_in = 6, longest = 300;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % below;
}

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *burn(void *arg)
{
    unsigned mine = (unsigned)(size_t)arg * 2654435761u + (unsigned)state;
    for (;;) {
        mine = mine * 1664525u + 1013904223u;
        long end = now_ms() + 5 + (mine >> 16) % 200;
        while (now_ms() < end)
            ;
        mine = mine * 1664525u + 1013904223u;
        usleep(1000 * ((mine >> 16) % 100));
    }
    return NULL;
}

/* False if the thread has gone. */
static int put(pid_t thread, int policy)
{
    struct sched_param none = { 0 };
    return sched_setscheduler(thread, policy, &none) == 0 || errno != ESRCH;
}

static void raise_again(long now)
{
    for (int i = 0; i < n_behind;) {
        if (behind[i].until > now) {
            i++;
            continue;
        }
        put(behind[i].thread, SCHED_OTHER);
        behind[i] = behind[--n_behind];
    }
}

static int is_behind(pid_t thread)
{
    for (int i = 0; i < n_behind; i++)
        if (behind[i].thread == thread)
            return 1;
    return 0;
}

/* Mostly short times, now and then a long one. */
static long some_time(void)
{
    int most = draw(4) ? longest / 10 : longest;
    return 1 + draw((unsigned)(most > 1 ? most : 1));
}

static void maybe_behind(pid_t thread, long now)
{
    if (n_behind == MAX_BEHIND || draw((unsigned)one_in * 4) || is_behind(thread))
        return;
    if (put(thread, SCHED_IDLE)) {
        behind[n_behind].thread = thread;
        behind[n_behind++].until = now + some_time();
    }
}

static void visit(pid_t process, long now);

static void visit_children(pid_t process, pid_t thread, long now)
{
    char path[64], text[65536];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    text[n > 0 ? n : 0] = 0;
    for (char *at = text, *end; (n = strtol(at, &end, 10)) > 0 && end > at; at = end)
        visit((pid_t)n, now);
}

static void visit(pid_t process, long now)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));) {
        pid_t thread = (pid_t)atoi(e->d_name);
        if (thread > 0) {
            maybe_behind(thread, now);
            visit_children(process, thread, now);
        }
    }
    closedir(folder);
}

static int follow(pid_t command)
{
    int status, mine = 0;
    for (;;) {
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended == command) {
            mine = status;
            break;
        }
        if (ended <= 0) {
            long now = now_ms();
            raise_again(now);
            visit(command, now);
            usleep(TICK_US);
        }
    }
    return WIFEXITED(mine) ? WEXITSTATUS(mine) : 128 + WTERMSIG(mine);
}

static int may_raise(void)
{
    struct sched_param none = { 0 };
    return sched_setscheduler(0, SCHED_IDLE, &none) == 0
           && sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

int main(int argc, char **argv)
{
    state = (unsigned long long)time(NULL);
    for (int o; (o = getopt(argc, argv, "+s:o:l:")) != -1;) {
        if (o == 's')
            state = strtoull(optarg, NULL, 0);
        else if (o == 'o' && atoi(optarg) > 0)
            one_in = atoi(optarg);
        else if (o == 'l' && atoi(optarg) > 0)
            longest = atoi(optarg);
        else
            return 2;
    }
    if (optind == argc) {
        fprintf(stderr, "usage: unfair [-s SEED] [-o ONE_IN] [-l MS] COMMAND...\n");
        return 2;
    }
    if (!may_raise()) {
        perror("unfair: no thread that is put behind can be raised again; root can");
        return 2;
    }
    pid_t command = fork();
    if (command == 0) {
        execvp(argv[optind], argv + optind);
        perror(argv[optind]);
        _exit(127);
    }
    /* The one who chooses must run when it is time, whatever else does. */
    struct sched_param first = { .sched_priority = 1 };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < cores; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, burn, (void *)(size_t)i);
    }
    sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first);
    return follow(command);
}
