/* Trees that collectives run along, in ranks relative to the root. */
#include <stdlib.h>

#include "coll/tree.h"

enum { TREES = 4 };

/* Each rank that has the message sends it to another one every unit of time; it is there `latency`
 * units after it was sent off.  Who hears first is numbered first: so the number of a parent is
 * below its children's, and its children's are in the order in which it sends. */
static void grow(int *parent, int size, int latency)
{
    int *heard = malloc(sizeof *heard * (size_t)size), known = 1;
    parent[0] = -1;
    for (int i = 1; !heard && i < size; i++)
        parent[i] = (i - 1) / 2;        /* no memory for a good tree: another one does too */
    if (!heard)
        return;
    heard[0] = 0;
    for (int now = 0; known < size; now++)
        for (int i = 0, had = known; i < had && known < size && heard[i] <= now; i++) {
            parent[known] = i;
            heard[known++] = now + latency;
        }
    free(heard);
}

const int *mpi_tree_postal(int size, int latency)
{
    static struct { int size, latency, *parent; } tree[TREES];
    static unsigned next;
    for (unsigned i = 0; i < TREES; i++)
        if (tree[i].size == size && tree[i].latency == latency)
            return tree[i].parent;
    int *parent = malloc(sizeof *parent * (size_t)size);
    if (!parent)
        return NULL;
    grow(parent, size, latency);
    free(tree[next].parent);
    tree[next].size = size;
    tree[next].latency = latency;
    tree[next].parent = parent;
    next = (next + 1) % TREES;
    return parent;
}
