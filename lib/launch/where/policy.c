/* Values of --bind-to, --map-by, --rank-by and --cpu-set. */
#include "launch/where/policy.h"
#include "launch/base/say.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What may be bound to and mapped by, with the names that other launchers have for it. */
static const struct { const char *name; enum level level; bool bind, map; } objects[] = {
    { "hwthread", LEVEL_HWTHREAD, true, true }, { "core", LEVEL_CORE, true, true },
    { "l1cache", LEVEL_CORE, true, true }, { "l2cache", LEVEL_L2CACHE, true, true },
    { "l3cache", LEVEL_L3CACHE, true, true }, { "numa", LEVEL_NUMA, true, true },
    { "socket", LEVEL_SOCKET, true, true },
    { "package", LEVEL_SOCKET, true, true }, { "slot", LEVEL_MACHINE, false, true },
    { "node", LEVEL_MACHINE, false, true }, { "board", LEVEL_MACHINE, true, true },
    { "machine", LEVEL_MACHINE, true, false },
};
enum { OBJECTS = sizeof objects / sizeof *objects };

#define BIND_VALUES "none, hwthread, core, l2cache, l3cache, numa, socket, package; " \
                    "a number may follow, as in core:2; or rr, user:0+1,2+3"
#define MAP_VALUES \
    "slot, hwthread, core, l2cache, l3cache, numa, socket, package, node, " \
    "each with :pe=N or :span behind it, or ppr:N:OBJECT"

/* The next part of "a:b,c"; *text goes past it, NULL after the last. */
static size_t next_part(const char **text, const char **part)
{
    size_t length = strcspn(*text, ":,");

    *part = *text;
    *text = (*text)[length] ? *text + length + 1 : NULL;
    return length;
}

static bool is(const char *part, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(part, name, length) == 0;
}

static bool find_object(const char *part, size_t length, bool map, enum level *level)
{
    for (unsigned i = 0; i < OBJECTS; i++)
        if ((map ? objects[i].map : objects[i].bind) && is(part, length, objects[i].name)) {
            *level = objects[i].level;
            return true;
        }
    return false;
}

/* 1 to CORES_MAX, and nothing behind it; 0: it is not that. */
static unsigned find_number(const char *part, size_t length)
{
    char *end;
    unsigned long n = *part >= '0' && *part <= '9' ? strtoul(part, &end, 10) : 0;

    return n >= 1 && n <= CORES_MAX && end == part + length ? (unsigned)n : 0;
}

/* Processors may be overfilled, and where binding is impossible nobody is bound: always so. */
static bool says_nothing(const char *part, size_t length)
{
    return is(part, length, "overload-allowed") || is(part, length, "if-supported");
}

static bool set_cores(struct policy *p, const char *part, size_t length)
{
    p->cores_each = find_number(part, length);
    return p->cores_each && p->bind_level <= LEVEL_CORE;
}

int policy_set_bind(struct policy *p, const char *source, const char *text)
{
    const char *rest = text, *part;
    size_t length = next_part(&rest, &part);

    if (is(part, length, "none") && !rest) {
        p->bind = BIND_NONE;
        return 0;
    }
    bool right = find_object(part, length, false, &p->bind_level);
    for (bool first = true; right && rest; first = false) {
        length = next_part(&rest, &part);
        right = says_nothing(part, length) || (first && set_cores(p, part, length));
    }
    if (!right)
        return say_usage("'%s' is no value for %s: it must be one of " BIND_VALUES, text, source);
    p->bind = BIND_LEVEL;
    return 0;
}

static bool set_modifier(struct policy *p, const char *part, size_t length)
{
    if (is(part, length, "span") || is(part, length, "oversubscribe"))
        return true;        /* there is one host, and it may be overfilled */
    if (is(part, length, "nooversubscribe"))
        return p->no_oversubscribe = true;
    if (strncasecmp(part, "pe=", 3) != 0)
        return false;
    return (p->cores_each = find_number(part + 3, length - 3)) > 0;
}

/* "ppr:N:OBJECT": leaves *rest behind the number. */
static bool set_per_object(struct policy *p, const char **rest)
{
    const char *part;
    size_t length = *rest ? next_part(rest, &part) : 0;

    p->per_object = length ? find_number(part, length) : 0;
    return p->per_object && *rest;
}

/* What comes before the modifiers; nothing there, as in ":span", leaves it as it is. */
static bool set_map_object(struct policy *p, const char **rest)
{
    const char *part;
    size_t length = next_part(rest, &part);

    if (!length && *rest)
        return true;
    p->map_said = true;
    p->per_object = 0;
    if (is(part, length, "ppr")) {
        if (!set_per_object(p, rest))
            return false;
        length = next_part(rest, &part);
    }
    return find_object(part, length, true, &p->map_level);
}

int policy_set_map(struct policy *p, const char *source, const char *text)
{
    const char *rest = text, *part;
    bool right = set_map_object(p, &rest);

    while (right && rest) {
        size_t length = next_part(&rest, &part);
        right = set_modifier(p, part, length);
    }
    return right ? 0
        : say_usage("'%s' is no value for %s: it must be one of " MAP_VALUES, text, source);
}

/* Of one machine, each part of a job is on one "node", and spans it. */
int policy_set_order(struct policy *p, const char *source, const char *text)
{
    const char *rest = text, *part;
    size_t length = next_part(&rest, &part);
    bool placed = is(part, length, "span"), fill = is(part, length, "fill");

    if ((!placed && !fill && !find_object(part, length, true, &p->order_level))
        || (rest && strcasecmp(rest, "span") != 0 && strcasecmp(rest, "fill") != 0))
        return say_usage("'%s' is no value for %s: it must be one of slot, node, span, fill, "
                         "hwthread, core, l2cache, l3cache, numa, socket, package", text, source);
    placed = placed || (!fill && p->order_level == LEVEL_MACHINE);
    p->order = placed ? ORDER_PLACED : fill ? ORDER_FILL : ORDER_ROUND;
    return 0;
}

int policy_set_cpus(struct cores *cpus, const char *source, const char *text)
{
    static_assert(sizeof cpus->part == NIC_CPUS_MAX / 8, "one bit per processor");
    if (nic_cpus_parse(text, (uint64_t *)cpus->part, NIC_CPUS_MAX / 64) == 0)
        return 0;
    return say_usage("'%s' is no value for %s: it must be a list of processors, as in 0,4-7", text,
                     source);
}
