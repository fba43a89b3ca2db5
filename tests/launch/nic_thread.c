/* nic_thread LIST: a rank whose NIC has a thread from the start prints where it and the thread run,
 * once the thread runs on LIST (the default: what the launcher has chosen).  A thread that never
 * gets there is the test's time-out. */
#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rest of the line "NAME:\t..." of a file of a thread. */
static int read_line(const char *task, const char *name, char *text, size_t size)
{
    char path[300], line[512];
    int found = 0;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
            snprintf(text, size, "%s", line + strlen(name) + 2);
            text[strcspn(text, "\n")] = 0;
            found = 1;
        }
    if (file)
        fclose(file);
    return found;
}

/* Where the NIC's thread may run; "" if there is none. */
static void find_thread(char *cpus, size_t size)
{
    DIR *tasks = opendir("/proc/self/task");
    char name[64];

    cpus[0] = 0;
    for (struct dirent *task; tasks && !cpus[0] && (task = readdir(tasks));)
        if (task->d_name[0] != '.' && read_line(task->d_name, "Name", name, sizeof name)
            && strcmp(name, "nicemu") == 0)
            read_line(task->d_name, "Cpus_allowed_list", cpus, size);
    if (tasks)
        closedir(tasks);
}

int main(int argc, char **argv)
{
    const char *chosen = getenv("NICEMU_THREAD_CPUS");
    char wanted[256], cpus[256], own[256] = "", rank[16];

    snprintf(wanted, sizeof wanted, "%s", argc > 1 ? argv[1] : chosen ? chosen : "none");
    snprintf(rank, sizeof rank, "%s", getenv("NICEMU_RANK"));
    MPI_Init(NULL, NULL);
    do {
        sched_yield();
        find_thread(cpus, sizeof cpus);
    } while (strcmp(cpus, wanted) != 0);
    char *self = realpath("/proc/self", NULL);
    read_line(self ? strrchr(self, '/') + 1 : "", "Cpus_allowed_list", own, sizeof own);
    printf("rank %s on %s, NIC on %s%s\n", rank, own, wanted,
           getenv("NICEMU_THREAD_CPUS") ? ", and its variable is still there" : "");
    free(self);
    return MPI_Finalize();
}
