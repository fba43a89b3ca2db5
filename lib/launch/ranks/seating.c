/* The host, what may be used of it, and its ranks. */
#include "launch/ranks/seating.h"
#include "launch/base/say.h"
#include "launch/command/options.h"
#include "launch/ranks/layout.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static const char *plural(unsigned n) { return n == 1 ? "" : "s"; }

static void tell_allocation(const struct layout *l, const char *host)
{
    char cpus[CORES_TEXT];
    unsigned count = cores_count(&l->allowed);

    cores_print(&l->allowed, cpus, sizeof cpus);
    say("allocation: %s: %u processor%s (%s), %u slot%s", host, count, plural(count), cpus,
        l->slots, plural(l->slots));
}

/* As Hydra has it, on standard output. */
static int print_ranks(const struct options *o, const char *host)
{
    errno = 0;
    if (o->ranks > 1)
        printf("(%s:0-%u)\n", host, o->ranks - 1);
    else
        printf("(%s:0)\n", host);
    int rc = print_error(stdout);
    if (rc)
        say_unwritten("standard output", rc);
    return rc != 0;
}

int seating_tell(const struct layout *l, const struct options *o)
{
    char host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof host - 1);
    if (o->print_hosts)
        tell_allocation(l, host);
    return o->print_ranks ? print_ranks(o, host) : 0;
}
