/* What a process has loaded stands in its map, which the kernel shows as lines of text.  A process
 * that has ended has none, so it is looked at while it runs; as loading takes its time, and nobody
 * knows when it is over, that is done again and again. */
#include "launch/report/loaded.h"
#include "launch/base/say.h"
#include "launch/ranks/job.h"
#include "launch/report/foreign.h"
#include "nicemu/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LOOK (50 * MS_NS)

static bool look_at_map(pid_t pid, char *name, size_t size)
{
    char path[64], *line = NULL;
    size_t room = 0;
    const char *whose = NULL;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *map = fopen(path, "re");
    while (map && !whose && getline(&line, &room, map) > 0) {
        const char *slash = strrchr(line, '/');
        line[strcspn(line, "\n")] = 0;
        if (slash && (whose = foreign_name(slash + 1)))
            snprintf(name, size, "%s of %s", slash + 1, whose);
    }
    if (map)
        fclose(map);
    free(line);
    return whose;
}

/* Runs what it is told, and is not meant itself.  Another MPI's launcher is none of these: what it
 * starts knows of each other. */
static bool passes_on(pid_t pid)
{
    char path[64], name[32] = "";

    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *comm = fopen(path, "re");
    if (comm && !fgets(name, sizeof name, comm))
        name[0] = 0;
    if (comm)
        fclose(comm);
    size_t length = strcspn(name, "\n");
    return (length >= 2 && strncmp(name + length - 2, "sh", 2) == 0)
           || strcmp(name, "timeout\n") == 0;
}

/* Those that its main thread has started. */
static bool look_at_children(pid_t pid, char *name, size_t size)
{
    char path[64];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *children = fopen(path, "re");
    for (int child; children && !found && fscanf(children, "%d", &child) == 1; )
        found = look_at_map(child, name, size);
    if (children)
        fclose(children);
    return found;
}

bool loaded_look(pid_t pid, char *name, size_t size)
{
    return look_at_map(pid, name, size) || (passes_on(pid) && look_at_children(pid, name, size));
}

void loaded_begin(struct job *job, int64_t now)
{
    job->loaded = (struct loaded){ .begin_ns = now, .look_ns = now + FIRST_LOOK };
}

int64_t loaded_due(const struct job *job)
{
    return job->loaded.look_ns ? job->loaded.look_ns : -1;
}

static bool look_at_app(const struct job *job, unsigned first, unsigned count, char *name,
                        size_t size)
{
    for (unsigned i = first; i < first + count; i++)
        if (job->rank[i].running && nic_job_rank_state(job->nic, i) == NIC_RANK_ABSENT)
            return loaded_look(job->rank[i].pid, name, size);
    return false;
}

void loaded_tick(struct job *job, int64_t now)
{
    const struct options *o = job->options;
    struct loaded *l = &job->loaded;

    if (!l->look_ns || now < l->look_ns)
        return;
    l->look_ns = now + (now - l->begin_ns);
    for (unsigned i = 0, first = 0; i < o->apps && l->look_ns; first += o->app[i++].ranks)
        if (look_at_app(job, first, o->app[i].ranks, l->name, sizeof l->name)) {
            l->app = i;
            l->look_ns = 0;
        }
}
