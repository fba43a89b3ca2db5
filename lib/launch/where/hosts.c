/* Host names: which of them are this machine. */
#include "launch/where/hosts.h"
#include "launch/base/say.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Compares up to the first dot if only one of the names has a domain. */
static bool same_host(const char *a, const char *b)
{
    size_t short_a = strcspn(a, "."), short_b = strcspn(b, ".");

    if (strcasecmp(a, b) == 0)
        return true;
    return (!a[short_a] || !b[short_b]) && short_a == short_b && strncasecmp(a, b, short_a) == 0;
}

static bool is_local(const char *host)
{
    char own[HOST_NAME_MAX + 1] = "";

    if (strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0
        || strcmp(host, "::1") == 0)
        return true;
    gethostname(own, sizeof own - 1);
    return own[0] && same_host(host, own);
}

/* A number of slots from 1 on, 0: it is none. */
static unsigned slots_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return end == text || *end || n < 1 || n > HOST_SLOTS_MAX ? 0 : (unsigned)n;
}

/* Takes the text behind the name off, "host:4", but not from an IPv6 address; NULL: there is
 * none. */
static char *cut_slots(char *host)
{
    char *colon = strchr(host, ':');

    if (!colon || strchr(colon + 1, ':'))
        return NULL;
    *colon = 0;
    return colon + 1;
}

/* A name is passed on as part of a list. */
static int add(struct hosts *hosts, char *name, const char *slots, const char *where)
{
    const char *cut = cut_slots(name), *said = cut ? cut : slots;
    unsigned count = said ? slots_of(said) : 0;

    if (!*name || name[strcspn(name, " \t,;")] || *name == '-')
        return say_usage("%s has the host name '%s', which is none", where, name);
    if (said && !count)
        return say_usage("%s has host %s with '%s' slots, which is no number of them", where, name,
                         said);
    hosts->host = need(realloc(hosts->host, (hosts->count + 1) * sizeof *hosts->host));
    hosts->host[hosts->count++] = (struct host){ .name = need(strdup(name)),
                                                 .slots = count };
    if (!hosts->elsewhere && !is_local(name))
        hosts->elsewhere = hosts->host[hosts->count - 1].name;
    return 0;
}

int hosts_add_list(struct hosts *hosts, const char *list)
{
    char *copy = need(strdup(list)), *next = copy, *host;
    int rc = 0;

    while (!rc && (host = strsep(&next, ",")))
        rc = *host ? add(hosts, host, NULL, "the host list") : 0;
    free(copy);
    return rc;
}

/* What a word behind a host says of its slots: "slots=n", or "n"; NULL: it is of something else, as
 * max_slots=n, and Hydra's binding= and ifhn= are. */
static const char *find_slots(const char *word)
{
    static const char *const names[] = { "slots=", "cpu=", "count=" };

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return word + strlen(names[i]);
    return strchr(word, '=') ? NULL : word;
}

/* "slots = n" is "slots=n". */
static void close_up(char *line)
{
    char *to = line;

    for (const char *c = line; *c; c++) {
        size_t blanks = strspn(c, " \t");
        bool beside = to > line && (c[blanks] == '=' || to[-1] == '=');
        if (blanks && beside && c[blanks])
            c += blanks;
        *to++ = *c;
    }
    *to = 0;
}

/* "host", "host:n", "host slots=n", "host n". */
static int add_line(struct hosts *hosts, char *line, const char *path)
{
    char *rest = line + strcspn(line, "#\r\n"), *word, *host;
    const char *slots = NULL;

    *rest = 0;
    close_up(line);
    rest = line;
    do
        host = strsep(&rest, " \t");
    while (host && !*host);
    while ((word = strsep(&rest, " \t")))
        if (*word && !slots)
            slots = find_slots(word);
    return host ? add(hosts, host, slots, path) : 0;
}

int hosts_add_file(struct hosts *hosts, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int rc = 0;

    if (!file)
        return say_usage("cannot read the host file %s: %s", path, strerror(errno));
    while (!rc && getline(&line, &size, file) >= 0)
        rc = add_line(hosts, line, path);
    free(line);
    fclose(file);
    return rc;
}

void hosts_free(struct hosts *hosts)
{
    for (unsigned i = 0; i < hosts->count; i++)
        free(hosts->host[i].name);
    free(hosts->host);
    *hosts = (struct hosts){ 0 };
}
