#include "type/blocks.h"

#include <stdatomic.h>
#include <string.h>

/* Sizes that the loops below know. */
#define SIZES(X) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
    X(20) X(24) X(28) X(32) X(40) X(48) X(56) X(64) X(80) X(96) X(128)

/* Those of elements, for loops that are of use to short blocks only. */
#define ELEMENTS(X) X(1) X(2) X(4) X(8) X(12) X(16)

#define ALWAYS inline __attribute__((always_inline))

/* -- one distance */

/* Four blocks a turn.  No pointer goes on beyond the last block: it may be in no object. */
static ALWAYS void strided(char *to, ptrdiff_t ts, const char *from, ptrdiff_t fs, size_t n,
                           size_t size)
{
    for (; n > 4; n -= 4, to += 4 * ts, from += 4 * fs) {
        memcpy(to, from, size);
        memcpy(to + ts, from + fs, size);
        memcpy(to + 2 * ts, from + 2 * fs, size);
        memcpy(to + 3 * ts, from + 3 * fs, size);
    }
    for (; n > 1; n--, to += ts, from += fs)
        memcpy(to, from, size);
    if (n)
        memcpy(to, from, size);
}

static size_t distance(ptrdiff_t d) { return d < 0 ? -(size_t)d : (size_t)d; }

/* Whether stores to these blocks wait for lines of a few sets of the nearest cache, more than the
 * sets have: at multiples of 512 bytes blocks are in 8 of 64 sets, and the longer they are, the
 * fewer are waited for at a time. */
enum { WAIT_AFTER = 16, SHARE_SETS = 512, QUEUED = 32 };
static ALWAYS bool crowd(ptrdiff_t stride, size_t n, size_t size)
{
    size_t power = distance(stride) & -distance(stride);    /* of two, the largest in it */
    return n > WAIT_AFTER && power >= SHARE_SETS && power >= QUEUED * size;
}

bool mpi_blocks_crowd(ptrdiff_t stride, size_t n, size_t bytes) { return crowd(stride, n, bytes); }

/* Until what has been written is in the cache.  Stores ask for their lines while they still wait in
 * the processor's queue; where many lines of one set are asked for, the later ones drive out the
 * earlier ones before those are written, and each is fetched twice.  A block of 8 bytes every 1, 2
 * and 8 KiB took 4.0, 6.0 and 7.9 ns, and with 16 at a time 2.2, 1.3 and 2.3. */
static ALWAYS void wait_for_stores(void) { atomic_thread_fence(memory_order_seq_cst); }

/* One block a turn, since the hardware's prefetching follows the one load, whose distance is less
 * than a page; of four loads each goes in steps of four: 8 bytes every 1 KiB took 2.6 ns, and so
 * 1.6; 64 bytes every 512 from beyond the near caches 2.3 and 1.7.  Nearer to each other and in the
 * cache, and a page and more apart, four at a time are faster. */
static ALWAYS void one_by_one(char *to, ptrdiff_t ts, const char *from, ptrdiff_t fs, size_t n,
                              size_t size)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
        memcpy(to + i * ts, from + i * fs, size);
}

static ALWAYS void a_few_at_a_time(char *to, ptrdiff_t ts, const char *from, ptrdiff_t fs,
                                   size_t n, size_t size)
{
    for (; n > WAIT_AFTER; n -= WAIT_AFTER, to += WAIT_AFTER * ts, from += WAIT_AFTER * fs) {
        one_by_one(to, ts, from, fs, WAIT_AFTER, size);
        wait_for_stores();
    }
    one_by_one(to, ts, from, fs, n, size);
}

/* Blocks of whole lines with lines between them. */
static ALWAYS bool follows(ptrdiff_t ts, ptrdiff_t fs, size_t size)
{
    enum { NEAR = 256, PAGE = 4096, LINE = 64 };
    size_t apart = distance(ts) > distance(fs) ? distance(ts) : distance(fs);
    return size >= LINE && apart >= NEAR && apart < PAGE;
}

/* The packed side has its blocks side by side, most of the time. */
static ALWAYS void blocks(char *to, ptrdiff_t ts, const char *from, ptrdiff_t fs,
                          size_t n, size_t size)
{
    if (crowd(ts, n, size))
        a_few_at_a_time(to, ts, from, fs, n, size);
    else if ((size <= 16 && crowd(fs, n, size)) || follows(ts, fs, size))
        one_by_one(to, ts, from, fs, n, size);
    else if (ts == (ptrdiff_t)size)
        strided(to, (ptrdiff_t)size, from, fs, n, size);
    else if (fs == (ptrdiff_t)size)
        strided(to, ts, from, (ptrdiff_t)size, n, size);
    else
        strided(to, ts, from, fs, n, size);
}

#define COPY(SIZE) case SIZE: blocks(to, ts, from, fs, n, SIZE); return;
void mpi_blocks_copy(char *to, ptrdiff_t ts, const char *from, ptrdiff_t fs, size_t n,
                     size_t bytes)
{
    switch (bytes) { SIZES(COPY) }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
        memcpy(to + i * ts, from + i * fs, bytes);
}

/* -- two distances */

/* As the stream goes: short repetitions are not worth a call each. */
static ALWAYS void plane(const struct mpi_plane *p, size_t size)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)p->n; i++)
        for (ptrdiff_t k = 0; k < (ptrdiff_t)p->each; k++)
            memcpy(p->to + i * p->to_far + k * p->to_near,
                   p->from + i * p->from_far + k * p->from_near, size);
}

enum { TIMES = 8 };

/* Across the stream, where blocks that follow each other lie far apart but the next time's beside
 * them, as in columns of a matrix: so many times at once that whole cache lines are used. */
static ALWAYS void across(const struct mpi_plane *p, size_t size)
{
    for (ptrdiff_t first = 0; first < (ptrdiff_t)p->n; first += TIMES) {
        ptrdiff_t left = (ptrdiff_t)p->n - first, times = left < TIMES ? left : TIMES;
        char *to = p->to + first * p->to_far;
        const char *from = p->from + first * p->from_far;
        bool wait = crowd(p->to_near, p->each, (size_t)times * size);
        for (ptrdiff_t k = 0; k < (ptrdiff_t)p->each; k++) {
            for (ptrdiff_t i = 0; i < times; i++)
                memcpy(to + i * p->to_far + k * p->to_near,
                       from + i * p->from_far + k * p->from_near, size);
            if (wait && k % WAIT_AFTER == WAIT_AFTER - 1)
                wait_for_stores();
        }
    }
}

#define IS_ELEMENT(SIZE) || bytes == SIZE
static bool is_element(size_t bytes) { return false ELEMENTS(IS_ELEMENT); }

size_t mpi_blocks_at_once(size_t n, size_t each, size_t bytes, ptrdiff_t far, ptrdiff_t near)
{
    bool across = n > 1 && each > 16 && is_element(bytes) && distance(far) <= 64
                  && distance(near) >= 256;
    return !across ? 0 : n < TIMES ? n : TIMES;
}

static bool goes_across(const struct mpi_plane *p)
{
    bool packs = p->to_near == (ptrdiff_t)p->bytes;
    return mpi_blocks_at_once(p->n, p->each, p->bytes, packs ? p->from_far : p->to_far,
                              packs ? p->from_near : p->to_near);
}

#define PLANE(SIZE) case SIZE: plane(p, SIZE); return;
#define ACROSS(SIZE) case SIZE: across(p, SIZE); return;
void mpi_blocks_copy_plane(const struct mpi_plane *p)
{
    if (goes_across(p))
        switch (p->bytes) { ELEMENTS(ACROSS) }
    else if (p->each <= 16)
        switch (p->bytes) { ELEMENTS(PLANE) }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)p->n; i++)
        mpi_blocks_copy(p->to + i * p->to_far, p->to_near, p->from + i * p->from_far,
                        p->from_near, p->each, p->bytes);
}

/* -- lists */

/* Blocks from the first on that are of its size. */
static size_t alike(const struct mpi_block *b, size_t n)
{
    size_t i = 1;
    while (i < n && b[i].bytes == b[0].bytes)
        i++;
    return i;
}

#define GATHER(SIZE) \
    case SIZE: \
        for (size_t i = 0; i < n; i++) \
            memcpy(packed + i * SIZE, at + b[i].at, SIZE); \
        return;
static void gather(char *packed, const char *at, const struct mpi_block *b, size_t n)
{
    size_t bytes = b->bytes;
    switch (bytes) { SIZES(GATHER) }
    for (size_t i = 0; i < n; i++)
        memcpy(packed + i * bytes, at + b[i].at, bytes);
}

#define SCATTER(SIZE) \
    case SIZE: \
        for (size_t i = 0; i < n; i++) \
            memcpy(at + b[i].at, packed + i * SIZE, SIZE); \
        return;
static void scatter(const char *packed, char *at, const struct mpi_block *b, size_t n)
{
    size_t bytes = b->bytes;
    switch (bytes) { SIZES(SCATTER) }
    for (size_t i = 0; i < n; i++)
        memcpy(at + b[i].at, packed + i * bytes, bytes);
}

void mpi_blocks_gather(char *packed, const char *at, const struct mpi_block *b, size_t n)
{
    for (size_t i = 0, k; i < n; packed += k * b[i].bytes, i += k)
        gather(packed, at, b + i, k = alike(b + i, n - i));
}

void mpi_blocks_scatter(const char *packed, char *at, const struct mpi_block *b, size_t n)
{
    for (size_t i = 0, k; i < n; packed += k * b[i].bytes, i += k)
        scatter(packed, at, b + i, k = alike(b + i, n - i));
}

#define LISTED(SIZE) \
    case SIZE: \
        for (size_t i = 0; i < n; i++) \
            memcpy(to + t[i].at, from + f[i].at, SIZE); \
        return;
static void listed(char *to, const struct mpi_block *t, const char *from,
                   const struct mpi_block *f, size_t n)
{
    const size_t bytes = t->bytes;
    switch (bytes) { SIZES(LISTED) }
    for (size_t i = 0; i < n; i++)
        memcpy(to + t[i].at, from + f[i].at, bytes);
}

void mpi_blocks_copy_listed(char *to, const struct mpi_block *t, const char *from,
                            const struct mpi_block *f, size_t n)
{
    for (size_t i = 0, k; i < n; i += k)
        listed(to, t + i, from, f + i, k = alike(t + i, n - i));
}
