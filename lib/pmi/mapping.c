/* Which node each rank is on. */
#include "pmi/mapping.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pmi/why.h"

enum { NUMBER_MAX = 1 << 22 };

static bool skip(const char **text, const char *what)
{
    size_t bytes = strlen(what);
    if (strncmp(*text, what, bytes))
        return false;
    *text += bytes;
    return true;
}

static bool number(const char **text, uint32_t low, uint32_t *n)
{
    uint32_t value = 0;
    const char *begin = *text;
    for (; **text >= '0' && **text <= '9' && value <= NUMBER_MAX; ++*text)
        value = 10 * value + (uint32_t)(**text - '0');
    *n = value;
    return *text != begin && value >= low && value <= NUMBER_MAX;
}

struct block { uint32_t first, count, each; };

static bool block(const char **text, struct block *b)
{
    return skip(text, ",(") && number(text, 0, &b->first) && skip(text, ",")
           && number(text, 1, &b->count) && skip(text, ",") && number(text, 1, &b->each)
           && skip(text, ")");
}

/* Returns the ranks that have been placed. */
static unsigned place(const struct block *b, uint32_t *node, unsigned rank, unsigned ranks)
{
    for (uint32_t n = 0; n < b->count && rank < ranks; n++)
        for (uint32_t i = 0; i < b->each && rank < ranks; i++)
            node[rank++] = b->first + n;
    return rank;
}

int mpi_pmi_mapping_read(const char *text, uint32_t *node, unsigned ranks)
{
    const char *at = text, *blocks;
    unsigned rank = 0;
    if (!skip(&at, "(vector"))
        return mpi_pmi_failed(-EPROTO, "the launcher's map of ranks is '%s'", text);
    blocks = at;
    while (rank < ranks) {
        struct block b;
        if (!block(&at, &b))
            return mpi_pmi_failed(-EPROTO, "the launcher's map of ranks is '%s'", text);
        rank = place(&b, node, rank, ranks);
        if (!strcmp(at, ")"))
            at = blocks;
    }
    return 0;
}

/* -- numbering */

struct met { uint32_t node, rank; };

static int by_node(const void *a, const void *b)
{
    const struct met *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

unsigned mpi_pmi_mapping_number(uint32_t *node, uint32_t *leader, unsigned ranks)
{
    struct met *met = malloc((size_t)ranks * sizeof *met);
    unsigned nodes = 0;
    if (!met)
        return 0;
    for (unsigned r = 0; r < ranks; r++)
        met[r] = (struct met){ .node = node[r], .rank = r };
    qsort(met, ranks, sizeof *met, by_node);
    for (unsigned i = 0; i < ranks; i++) {      /* for now each rank's node is its leader */
        if (!i || met[i].node != met[i - 1].node)
            leader[nodes++] = met[i].rank;
        node[met[i].rank] = leader[nodes - 1];
    }
    qsort(leader, nodes, sizeof *leader, compare);
    for (unsigned r = 0; r < ranks; r++)
        node[r] = (uint32_t)((uint32_t *)bsearch(&node[r], leader, nodes, sizeof *leader, compare)
                             - leader);
    free(met);
    return nodes;
}
