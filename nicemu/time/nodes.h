/* Ranks of a node on the model clock (node.ranks of the profile, in rows): what they share, in the
 * segment, and who of them may use it.
 *
 * Each has a time `at`: it does nothing before that, neither an event of its NIC nor, where they
 * share processors, anything of its host.  A rank may do something at time t if t < at[m] for each
 * other rank m of its node, or t = at[m] where m is the greater: so they use what they share in the
 * order of (time, rank), one at a time, and whoever is first in that order may always go on.  What
 * one leaves there is complete before its `at` moves.
 *
 * All of it is touched with the governor's lock held, but for what is shared, which belongs to
 * whoever may go on. */
#ifndef NIC_TIME_NODES_H
#define NIC_TIME_NODES_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "time/clock.h"

/* When each part of a NIC is free.  Those that each rank has of its own are not used. */
struct nic_node_share { _Alignas(64) uint64_t free_at[NIC_RESOURCES]; };
static_assert(sizeof(struct nic_node_share) == 64, "shared layout");

/* A processor of hosts: when it is free, and rank + 1 of whom it worked for, 0: nobody yet. */
struct nic_node_cpu { uint64_t free_at; uint32_t last, pad; };
static_assert(sizeof(struct nic_node_cpu) == 16, "shared layout");

/* A process' own.  The first rank of a node keeps its share; its processors are those of its first
 * ranks. */
struct nic_nodes {
    uint32_t ranks, of_node;        /* of_node: 1: nobody shares anything */
    _Atomic uint64_t *at;
    struct nic_node_share *share;
    struct nic_node_cpu *cpu;
};

/* A multiple of 64. */
uint64_t nic_nodes_bytes(unsigned ranks);
/* Points into the segment. */
void nic_nodes_point(struct nic_nodes *nodes, void *at, unsigned ranks);
/* So many ranks have a NIC together; 0: each has one of its own. */
void nic_nodes_set(struct nic_nodes *nodes, uint64_t of_node);
/* The same; everybody is at time 0, and nobody has used anything. */
void nic_nodes_init(struct nic_nodes *nodes, uint64_t of_node);

static inline bool nic_nodes_share(const struct nic_nodes *n) { return n->of_node > 1; }

static inline unsigned nic_node_first(const struct nic_nodes *n, unsigned rank)
{
    return rank - rank % n->of_node;
}

/* One past its last. */
static inline unsigned nic_node_end(const struct nic_nodes *n, unsigned rank)
{
    unsigned end = nic_node_first(n, rank) + n->of_node;
    return end < n->ranks ? end : n->ranks;
}

static inline bool nic_node_is_same(const struct nic_nodes *n, unsigned a, unsigned b)
{
    return nic_nodes_share(n) && nic_node_first(n, a) == nic_node_first(n, b);
}

void nic_node_set_at(struct nic_nodes *nodes, unsigned rank, uint64_t time);
/* It does something at this time, if it would not before. */
void nic_node_expect(struct nic_nodes *nodes, unsigned rank, uint64_t time);
/* The rank may do what it has before this time, as far as the others of its node go. */
uint64_t nic_node_limit(const struct nic_nodes *nodes, unsigned rank);

#endif
