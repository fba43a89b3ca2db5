/* Rank files, as Open MPI has them.  A list has cores of the machine, "0,2-3", or of one of its
 * sockets, "1:0,2-3" and "1:*", each counted from 0 in the order of their places. */
#include "launch/where/rankfile.h"
#include "launch/base/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- reading */

static int add_line(struct rankfile *f, unsigned rank, const char *slots)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->line[i].rank == rank)
            return say_usage("--rankfile: rank %u has two lines", rank);
    f->line = need(realloc(f->line, (f->count + 1) * sizeof *f->line));
    f->line[f->count++] = (struct rankline){ .rank = rank, .slots = need(strdup(slots)) };
    return 0;
}

/* "+n0" is the first host that there is: this one. */
static int add_host(struct hosts *hosts, const char *host)
{
    return *host == '+' ? 0 : hosts_add_list(hosts, host);
}

static int read_line(struct rankfile *f, char *line, const char *path, struct hosts *hosts)
{
    char rank[10], host[256], slots[1024], rest;

    line[strcspn(line, "#\r\n")] = 0;
    if (!line[strspn(line, " \t")])
        return 0;
    if (sscanf(line, " rank %9[0-9] = %255[^ \t=] slot = %1023s %c", rank, host, slots, &rest) != 3
        && sscanf(line, " rank %9[0-9] = %255[^ \t=] slots = %1023s %c", rank, host, slots,
                  &rest) != 3)
        return say_usage("%s: '%s' is no line of a rank file: rank 3=HOST slot=0-1", path, line);
    int rc = add_host(hosts, host);
    return rc ? rc : add_line(f, (unsigned)strtoul(rank, NULL, 10), slots);
}

int rankfile_read(struct rankfile *f, const char *path, struct hosts *hosts)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int rc = 0;

    if (!file)
        return say_usage("cannot read the rank file %s: %s", path, strerror(errno));
    while (!rc && getline(&line, &size, file) >= 0)
        rc = read_line(f, line, path, hosts);
    free(line);
    fclose(file);
    return rc || f->count ? rc : say_usage("the rank file %s has no ranks", path);
}

/* -- what the lists mean on a machine */

static bool begins_core(const struct machine *m, unsigned i)
{
    return !i || m->thread[i].in[LEVEL_CORE] != m->thread[i - 1].in[LEVEL_CORE];
}

/* Adds the threads that may be used of cores `first` to `last` of a socket; socket < 0: of the
 * machine.  False: there is none. */
static bool add_cores(const struct machine *m, long socket, unsigned long first, unsigned long last,
                      struct cores *cores)
{
    unsigned long core = 0;
    bool any = false;

    for (unsigned i = 0; i < m->count; i++) {
        if (socket >= 0 && m->thread[i].in[LEVEL_SOCKET] != (unsigned long)socket)
            continue;
        core += begins_core(m, i);
        if (core < first + 1 || core > last + 1 || !m->thread[i].allowed)
            continue;
        cores_add(cores, m->thread[i].cpu);
        any = true;
    }
    return any;
}

static bool read_number(const char **text, unsigned long *number)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return *number < CORES_MAX;
}

/* "2", "2-3", "*", with "1:" in front, which holds for what follows too. */
static bool read_item(const struct machine *m, const char **text, long *socket, struct cores *cores)
{
    unsigned long first = 0, last = CORES_MAX;

    if (**text == '*') {
        ++*text;
        return add_cores(m, *socket, first, last, cores);
    }
    if (!read_number(text, &first))
        return false;
    if (**text == ':') {
        *socket = (long)first;
        ++*text;
        return read_item(m, text, socket, cores);
    }
    last = first;
    if (**text == '-') {
        ++*text;
        if (!read_number(text, &last))
            return false;
    }
    return add_cores(m, *socket, first, last, cores);
}

static bool read_slots(const struct machine *m, const char *text, struct cores *cores)
{
    long socket = -1;

    while (read_item(m, &text, &socket, cores)) {
        if (!*text)
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

static const struct rankline *find(const struct rankfile *f, unsigned rank)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->line[i].rank == rank)
            return &f->line[i];
    return NULL;
}

int rankfile_cores(const struct rankfile *f, const struct machine *m, unsigned ranks,
                   struct cores **cores)
{
    *cores = need(calloc(ranks, sizeof **cores));
    for (unsigned rank = 0; rank < ranks; rank++) {
        const struct rankline *line = find(f, rank);
        if (!line)
            return say_usage("--rankfile: rank %u of %u has no line", rank, ranks);
        if (!read_slots(m, line->slots, &(*cores)[rank]))
            return say_usage("--rankfile: rank %u has slot=%s, which are no cores that may be used",
                             rank, line->slots);
    }
    return 0;
}

void rankfile_free(struct rankfile *f)
{
    for (unsigned i = 0; i < f->count; i++)
        free(f->line[i].slots);
    free(f->line);
    *f = (struct rankfile){ 0 };
}
