/* An oracle for datatypes: the type map as the standard writes it, entry by entry, without a
 * thought for speed.  Each constructor makes the MPI type and the map from the same arguments. */
#ifndef TYPEMAP_H
#define TYPEMAP_H

#include "t.h"

enum { MAP_MAX = 4096, MAP_SPAN = 1 << 16 };
enum entry_kind { DATA, LOWER, UPPER };

struct entry { enum entry_kind kind; long at; int bytes; };

struct map {
    MPI_Datatype type;
    int entries, predefined;
    struct entry entry[MAP_MAX];
};

static inline void map_free(struct map *m)
{
    if (!m->predefined)
        OK(MPI_Type_free(&m->type));
    free(m);
}

static inline struct map *map_new(void)
{
    struct map *m = t_alloc(sizeof *m);
    m->entries = m->predefined = 0;
    m->type = MPI_DATATYPE_NULL;
    return m;
}

static inline struct map *map_basic(MPI_Datatype type, int bytes)
{
    struct map *m = map_new();
    m->type = type;
    m->predefined = 1;
    m->entry[m->entries++] = (struct entry){ DATA, 0, bytes };
    return m;
}

/* Smallest or largest place of entries of a kind; 0: there is none. */
static inline int map_least(const struct map *m, enum entry_kind kind, long *least)
{
    int any = 0;
    for (int i = 0; i < m->entries; i++)
        if (m->entry[i].kind == kind && (!any || m->entry[i].at < *least)) {
            *least = m->entry[i].at;
            any = 1;
        }
    return any;
}

static inline int map_most(const struct map *m, enum entry_kind kind, long *most)
{
    int any = 0;
    for (int i = 0; i < m->entries; i++) {
        long end = m->entry[i].at + m->entry[i].bytes;
        if (m->entry[i].kind == kind && (!any || end > *most)) {
            *most = end;
            any = 1;
        }
    }
    return any;
}

static inline int map_alignment(const struct map *m)
{
    int most = 1;
    for (int i = 0; i < m->entries; i++)
        if (m->entry[i].kind == DATA && m->entry[i].bytes > most)
            most = m->entry[i].bytes;
    return most;
}

static inline void map_bounds(const struct map *m, long *lb, long *extent)
{
    long ub = 0;
    *lb = 0;
    if (!map_least(m, LOWER, lb))
        map_least(m, DATA, lb);
    if (!map_most(m, UPPER, &ub)) {
        int alignment = map_alignment(m);
        map_most(m, DATA, &ub);
        ub += (alignment - (ub - *lb) % alignment) % alignment;
    }
    *extent = ub - *lb;
}

static inline long map_size(const struct map *m)
{
    long bytes = 0;
    for (int i = 0; i < m->entries; i++)
        bytes += m->entry[i].kind == DATA ? m->entry[i].bytes : 0;
    return bytes;
}

/* Puts `length` elements of `what` at a place; 0: too many entries. */
static inline int map_add(struct map *m, const struct map *what, int length, long at)
{
    long lb, extent;
    map_bounds(what, &lb, &extent);
    if ((long)m->entries + (long)length * what->entries > MAP_MAX)
        return 0;
    for (int n = 0; n < length; n++)
        for (int i = 0; i < what->entries; i++) {
            struct entry e = what->entry[i];
            e.at += at + n * extent;
            m->entry[m->entries++] = e;
        }
    return 1;
}

/* Where the bytes of `count` elements are, in order; the caller frees. */
static inline long *map_bytes(const struct map *m, int count)
{
    long lb, extent, n = 0, *bytes = t_alloc((size_t)(map_size(m) * count + 1) * sizeof *bytes);
    map_bounds(m, &lb, &extent);
    for (int c = 0; c < count; c++)
        for (int i = 0; i < m->entries; i++)
            for (int k = 0; m->entry[i].kind == DATA && k < m->entry[i].bytes; k++)
                bytes[n++] = m->entry[i].at + c * extent + k;
    return bytes;
}

#endif
