/* A machine as placement sees it: hardware threads, and the objects that hold them. */
#ifndef LAUNCH_MACHINE_H
#define LAUNCH_MACHINE_H

#include <stdbool.h>

#include "launch/where/cores.h"

/* Kinds of objects, each with the name that options and messages have for it. */
#define LEVELS(X) \
    X(HWTHREAD, "hwthread") \
    X(CORE, "core") \
    X(L2CACHE, "l2cache") \
    X(L3CACHE, "l3cache") \
    X(NUMA, "numa") \
    X(SOCKET, "socket") \
    X(MACHINE, "machine")

#define LEVEL_ENUM(id, name) LEVEL_##id,
enum level { LEVELS(LEVEL_ENUM) LEVEL_COUNT };

const char *level_name(enum level level);

struct hwthread {
    unsigned cpu;                   /* the kernel's number, below CORES_MAX */
    int node;                       /* the kernel's number of its memory node; -1: none */
    unsigned in[LEVEL_COUNT];       /* number of the object of each level that holds it */
    /* threads with the same number share their last cache: L3, else L2, else the socket's that is
     * not told */
    unsigned cache;
    bool allowed;                   /* ranks may run there */
};

struct machine {
    /* in the order of their places: those of an object stand beside each other */
    struct hwthread *thread;
    unsigned count, allowed;        /* threads, and how many of them are allowed */
    /* object numbers of a level are below this; some may be unused */
    unsigned objects[LEVEL_COUNT];
    /* false: the machine does not tell; a finer object stands in for a cache, the machine for the
     * rest */
    bool known[LEVEL_COUNT];
    unsigned nodes;                 /* memory nodes with processors */
};

/* Marks the threads in `allowed`, and no others, as allowed. */
void machine_allow(struct machine *machine, const struct cores *allowed);

/* A machine without caches or sockets, each of these processors a core: where nothing is known. */
void machine_flat(const struct cores *cpus, struct machine *machine);

void machine_free(struct machine *machine);

#endif
