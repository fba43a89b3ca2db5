/* Lists of processors, one for each rank. */
#include "launch/where/cpulists.h"
#include "launch/base/say.h"
#include "nicemu/place.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "0+2" or "4-7". */
static bool add_list(struct cpulists *lists, char *text)
{
    for (char *plus = text; (plus = strchr(plus, '+'));)
        *plus = ',';
    lists->list = need(realloc(lists->list, (lists->count + 1) * sizeof *lists->list));
    struct cores *one = &lists->list[lists->count++];
    *one = (struct cores){ 0 };
    return nic_cpus_parse(text, (uint64_t *)one->part, NIC_CPUS_MAX / 64) == 0;
}

bool cpulists_read(struct cpulists *lists, const char *text)
{
    static const char user[] = "user:";
    char *words, *rest, *word;

    cpulists_free(lists);
    lists->round = strcasecmp(text, "rr") == 0;
    if (lists->round || strncasecmp(text, user, sizeof user - 1) != 0)
        return lists->round;
    words = rest = need(strdup(text + sizeof user - 1));
    bool right = true;
    while (right && (word = strsep(&rest, ",")))
        right = add_list(lists, word);
    free(words);
    if (!right)
        cpulists_free(lists);
    return right;
}

static unsigned next_of(const struct cores *allowed, unsigned cpu)
{
    do
        cpu = (cpu + 1) % CORES_MAX;
    while (!cores_has(allowed, cpu));
    return cpu;
}

static int check(const struct cores *wanted, const struct cores *allowed)
{
    char text[128];

    for (unsigned cpu = 0; cpu < CORES_MAX; cpu++)
        if (cores_has(wanted, cpu) && !cores_has(allowed, cpu)) {
            cores_print(allowed, text, sizeof text);
            return say_usage("--bind-to user: processor %u is none of those that may be used, %s",
                             cpu, text);
        }
    return 0;
}

int cpulists_cores(const struct cpulists *lists, const struct cores *allowed, unsigned ranks,
                   struct cores **cores)
{
    unsigned cpu = CORES_MAX - 1;
    int rc = 0;

    *cores = need(calloc(ranks, sizeof **cores));
    for (unsigned rank = 0; rank < ranks && lists->round; rank++)
        cores_add(&(*cores)[rank], cpu = next_of(allowed, cpu));
    for (unsigned rank = 0; rank < ranks && !lists->round && !rc; rank++) {
        (*cores)[rank] = lists->list[rank % lists->count];
        rc = check(&(*cores)[rank], allowed);
    }
    return rc;
}

void cpulists_free(struct cpulists *lists)
{
    free(lists->list);
    *lists = (struct cpulists){ 0 };
}
