/* Sets of lines, each in order of use. */
#include "base/cache.h"

#include <stdlib.h>
#include <string.h>

/* lines[set * ways ...]: numbers plus one, 0: empty; the first is the one used last. */
struct nic_cache { uint64_t sets, ways; uint64_t lines[]; };

struct nic_cache *nic_cache_new(uint64_t bytes, uint64_t line_bytes, uint64_t ways)
{
    uint64_t lines = bytes / line_bytes ? bytes / line_bytes : 1;
    if (!ways || ways > lines)
        ways = lines;
    uint64_t sets = lines / ways;
    struct nic_cache *c = calloc(1, sizeof *c + sets * ways * sizeof *c->lines);
    if (c) {
        c->sets = sets;
        c->ways = ways;
    }
    return c;
}

void nic_cache_delete(struct nic_cache *c) { free(c); }

bool nic_cache_touch(struct nic_cache *c, uint64_t line)
{
    uint64_t *set = &c->lines[line % c->sets * c->ways], way = 0;
    while (way < c->ways && set[way] && set[way] != line + 1)
        way++;
    bool hit = way < c->ways && set[way];
    if (way == c->ways)
        way--;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line + 1;
    return hit;
}
