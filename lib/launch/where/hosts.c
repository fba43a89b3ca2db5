/* Host names: this launcher starts ranks on the local machine only. */
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

/* Cuts a number of slots, "host:4", but not an IPv6 address. */
static void cut_slots(char *host)
{
    char *colon = strchr(host, ':');

    if (colon && !strchr(colon + 1, ':'))
        *colon = 0;
}

static int check(char *host, const char *where)
{
    cut_slots(host);
    if (is_local(host))
        return 0;
    return say_usage("%s names the host %s: ranks can be started on this machine only", where,
                     host);
}

int hosts_check_list(const char *list)
{
    char *copy = need(strdup(list)), *next = copy, *host;
    int rc = 0;

    while (!rc && (host = strsep(&next, ",")))
        rc = *host ? check(host, "the host list") : 0;
    free(copy);
    return rc;
}

int hosts_check_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int rc = 0;

    if (!file)
        return say_usage("cannot read the host file %s: %s", path, strerror(errno));
    while (!rc && getline(&line, &size, file) >= 0) {
        char *host = line + strspn(line, " \t");
        host[strcspn(host, " \t\r\n#")] = 0;
        rc = *host ? check(host, path) : 0;
    }
    free(line);
    fclose(file);
    return rc;
}
