/* Sizes of a job's memory, from texts. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nicemu.h"
#include "nicemu/sizes.h"

static const char units[] = "kMGT";

/* The power of 1024 that a suffix stands for, -1: none does. */
static int exponent(const char *suffix)
{
    if (!*suffix || !strcasecmp(suffix, "b"))
        return 0;
    for (int i = 0; units[i]; i++)
        if (tolower((unsigned char)*suffix) == tolower((unsigned char)units[i]))
            return !suffix[1] || !strcasecmp(suffix + 1, "b") || !strcasecmp(suffix + 1, "ib")
                   ? i + 1 : -1;
    return -1;
}

int nic_size_parse(const char *text, uint64_t *bytes)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return -EINVAL;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    int power = exponent(end);
    if (power < 0)
        return -EINVAL;
    if (errno || (power && n >> (64 - 10 * power)))
        return -ERANGE;
    *bytes = (uint64_t)n << 10 * power;
    return 0;
}

/* With the largest unit that divides it. */
static const char *print(uint64_t bytes, char *text, size_t room)
{
    int power = 0;
    for (; power < 4 && bytes && !(bytes % 1024); power++)
        bytes /= 1024;
    /* "%.*s" instead: gcc 12 fails in it at -O0 */
    const char unit[] = { power ? units[power - 1] : '\0', '\0' };
    snprintf(text, room, "%llu%s", (unsigned long long)bytes, unit);
    return text;
}

static const struct size {
    const char *name, *variable;
    size_t place;               /* in struct nic_job_config */
    uint64_t min, max;
    bool optional;              /* none at all is allowed */
} sizes[] = {
    { "scratchpad", NIC_ENV_SCRATCHPAD, offsetof(struct nic_job_config, scratchpad),
      NIC_SCRATCHPAD_MIN, NIC_SCRATCHPAD_MAX, false },
    { "heap", NIC_ENV_HEAP, offsetof(struct nic_job_config, heap), NIC_HEAP_MIN, NIC_HEAP_MAX,
      true },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* `called` is what the user knows it by. */
static int set(struct nic_job_config *c, const struct size *s, const char *called,
               const char *text, char *why, size_t room)
{
    char low[32], high[32];
    uint64_t bytes = 0;
    int rc = s->optional && !strcasecmp(text, "none") ? 0 : nic_size_parse(text, &bytes);
    size_t value = bytes;
    if (!rc && s->optional && !bytes)
        value = NIC_HEAP_OFF;
    else if (!rc && (bytes < s->min || bytes > s->max))
        rc = -ERANGE;
    if (rc == -EINVAL)
        snprintf(why, room,
                 "%s: '%s' is not a size: it must be a number of bytes, or a number with k, M, G "
                     "or T", called, text);
    else if (rc)
        snprintf(why, room, "%s: '%s' is out of range: %s to %s%s", called, text,
                 print(s->min, low, sizeof low), print(s->max, high, sizeof high),
                 s->optional ? ", or none" : "");
    else
        memcpy((char *)c + s->place, &value, sizeof value);
    return rc;
}

int nic_job_config_set(struct nic_job_config *c, const char *name, const char *text, char *why,
                       size_t room)
{
    for (unsigned i = 0; i < SIZES; i++)
        if (!strcmp(sizes[i].name, name) || !strcmp(sizes[i].variable, name))
            return set(c, &sizes[i], name, text, why, room);
    snprintf(why, room, "there is no size called '%s'", name);
    return -EINVAL;
}

int nic_job_config_environment(struct nic_job_config *c, char *why, size_t room)
{
    int rc = 0;
    for (unsigned i = 0; i < SIZES && !rc; i++) {
        const char *text = getenv(sizes[i].variable);
        if (text && *text)
            rc = set(c, &sizes[i], sizes[i].variable, text, why, room);
    }
    return rc;
}
