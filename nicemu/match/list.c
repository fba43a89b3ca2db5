/* The matching store: entries in order of appending, packed in arrays that are compared with SIMD;
 * past some dozens of entries with an index that finds what matches bits without the scan,
 * wildcards among the entries or not; a search with wildcards of its own is a scan.
 *
 * live[] has one bit per entry; a deleted entry only loses its bit.  Entries [first, end) are in
 * use; everything before `first` is dead.  Holes are closed when more than half of the range is
 * dead, so a scan never reads more than twice what lives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "nicemu/match.h"

typedef size_t scan_fn(const struct nic_match_list *a, size_t from, uint64_t bits, uint64_t mask);

enum { CAPACITY_FIRST = 64, INDEX_FROM = 48 /* entries */, CLASSES = 8, NONE = UINT32_MAX };

/* Lists of entries, each in order of appending.  Entries of one mask are a class; those of the
 * first CLASSES masks (no wildcards: the first of them) are in lists by hash of their class and of
 * the bits that they compare, so that a search looks at one list per class.  The rest is in a list
 * of its own.  An entry is in one list while it lives, `next` is by entry.  Which list follows from
 * its mask: a class keeps its mask while it has entries, and none is made while `rest` has any. */
struct list { uint32_t head, tail; };
struct index {
    bool on;                                /* from INDEX_FROM entries until the store is empty */
    unsigned bits;                          /* 1 << bits hash lists */
    struct list *hashed, rest;
    uint32_t *next;
    /* ever used; [0], without wildcards, has neither mask nor count */
    unsigned classes;
    struct { uint64_t mask; size_t count; } class[CLASSES];
};

struct nic_match_list {
    size_t first, end, count, capacity;     /* capacity: multiple of 64 */
    uint64_t *bits, *mask;
    uint32_t *tag;
    uint8_t *live;                          /* bit i % 8 of byte i / 8 */
    scan_fn *scan;
    struct index index;
};

static bool is_live(const struct nic_match_list *a, size_t i)
{
    return a->live[i / 8] >> (i % 8) & 1;
}

/* Index of the first live match at or behind `from`, or a->end. */
static size_t scan_scalar(const struct nic_match_list *a, size_t from, uint64_t bits, uint64_t mask)
{
    for (size_t i = from; i < a->end; i++)
        if (!((a->bits[i] ^ bits) & ~(a->mask[i] | mask)) && is_live(a, i))
            return i;
    return a->end;
}

#if defined(__x86_64__)
/* Both SIMD scans start at a multiple of 8: bits of entries before
 * `from` are dead by the invariant of `first`. */
__attribute__((target("avx512f")))
static size_t scan_avx512(const struct nic_match_list *a, size_t from, uint64_t bits, uint64_t mask)
{
    __m512i b = _mm512_set1_epi64((long long)bits), m = _mm512_set1_epi64((long long)mask);
    for (size_t i = from & ~(size_t)7; i < a->end; i += 8) {
        __m512i differ = _mm512_xor_si512(_mm512_loadu_si512(a->bits + i), b);
        __m512i ignore = _mm512_or_si512(_mm512_loadu_si512(a->mask + i), m);
        unsigned hit = _mm512_testn_epi64_mask(_mm512_andnot_si512(ignore, differ),
                                               _mm512_set1_epi64(-1)) & a->live[i / 8];
        if (hit)
            return i + (unsigned)__builtin_ctz(hit);
    }
    return a->end;
}

__attribute__((target("avx2")))
static size_t scan_avx2(const struct nic_match_list *a, size_t from, uint64_t bits, uint64_t mask)
{
    __m256i b = _mm256_set1_epi64x((long long)bits), m = _mm256_set1_epi64x((long long)mask),
        zero = _mm256_setzero_si256();
    for (size_t i = from & ~(size_t)7; i < a->end; i += 8) {
        unsigned hit = 0;
        for (unsigned half = 0; half < 8; half += 4) {
            __m256i differ =
                _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(a->bits + i + half)), b);
            __m256i ignore =
                _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(a->mask + i + half)), m);
            __m256i same = _mm256_cmpeq_epi64(_mm256_andnot_si256(ignore, differ), zero);
            hit |= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << half;
        }
        hit &= a->live[i / 8];
        if (hit)
            return i + (unsigned)__builtin_ctz(hit);
    }
    return a->end;
}
#endif

static scan_fn *best_scan(void)
{
#if defined(__x86_64__)
    const char *simd = getenv("NICEMU_SIMD");       /* tests compare the variants */
    if (simd && !strcmp(simd, "none"))
        return scan_scalar;
    if (__builtin_cpu_supports("avx512f") && !(simd && !strcmp(simd, "avx2")))
        return scan_avx512;
    if (__builtin_cpu_supports("avx2"))
        return scan_avx2;
#endif
    return scan_scalar;
}

static int grow(struct nic_match_list *a, size_t capacity)
{
    uint64_t *bits = realloc(a->bits, capacity * sizeof *bits);
    if (bits)
        a->bits = bits;
    uint64_t *mask = realloc(a->mask, capacity * sizeof *mask);
    if (mask)
        a->mask = mask;
    uint32_t *tag = realloc(a->tag, capacity * sizeof *tag);
    if (tag)
        a->tag = tag;
    uint8_t *live = realloc(a->live, capacity / 8);
    if (live)
        a->live = live;
    uint32_t *next = realloc(a->index.next, capacity * sizeof *next);
    if (next)
        a->index.next = next;
    if (!bits || !mask || !tag || !live || !next)
        return -ENOMEM;
    /* the SIMD scans read whole groups of eight: what is behind `end` must be defined, and dead */
    memset(a->bits + a->capacity, 0, (capacity - a->capacity) * sizeof *bits);
    memset(a->mask + a->capacity, 0, (capacity - a->capacity) * sizeof *mask);
    memset(a->live + a->capacity / 8, 0, (capacity - a->capacity) / 8);
    a->capacity = capacity;
    return 0;
}

struct nic_match_list *nic_match_list_new(void)
{
    struct nic_match_list *a = calloc(1, sizeof *a);
    if (a && grow(a, CAPACITY_FIRST)) {
        nic_match_list_delete(a);
        return NULL;
    }
    if (a)
        a->scan = best_scan();
    return a;
}

void nic_match_list_delete(struct nic_match_list *a)
{
    if (!a)
        return;
    free(a->bits);
    free(a->mask);
    free(a->tag);
    free(a->live);
    free(a->index.next);
    free(a->index.hashed);
    free(a);
}

int nic_match_list_reserve(struct nic_match_list *a, size_t entries)
{
    size_t capacity = a->capacity;
    /* with half of it free, make_room compacts and never grows */
    while (capacity / 2 < entries)
        capacity *= 2;
    return capacity == a->capacity ? 0 : grow(a, capacity);
}

void nic_match_list_clear(struct nic_match_list *a)
{
    memset(a->live, 0, (a->end + 7) / 8);
    a->first = a->end = a->count = 0;
    a->index.on = false;
}

/* -- index */

static struct list *hash_list(const struct nic_match_list *a, unsigned class, uint64_t bits)
{
    return &a->index.hashed[(bits ^ (uint64_t)class << 57)
                            * UINT64_C(0x9e3779b97f4a7c15) >> (64 - a->index.bits)];
}

/* Of a mask with wildcards; CLASSES: none. */
static unsigned class_of(const struct nic_match_list *a, uint64_t mask)
{
    const struct index *x = &a->index;
    unsigned c = 1;
    while (c < x->classes && x->class[c].mask != mask)
        c++;
    return c < x->classes ? c : CLASSES;
}

/* A place that was never used, or one whose entries are gone; CLASSES: none. */
static unsigned class_new(struct nic_match_list *a, uint64_t mask)
{
    struct index *x = &a->index;
    unsigned c = 1;
    while (c < x->classes && x->class[c].count)
        c++;
    if (x->rest.head != NONE || c == CLASSES)
        return CLASSES;
    x->class[c].mask = mask;
    x->class[c].count = 0;
    if (c == x->classes)
        x->classes++;
    return c;
}

/* The list of an entry with wildcards that comes (change 1) or goes (-1). */
static struct list *class_list(struct nic_match_list *a, size_t i, int change)
{
    unsigned class = class_of(a, a->mask[i]);
    if (class == CLASSES && change > 0)
        class = class_new(a, a->mask[i]);
    if (class == CLASSES)
        return &a->index.rest;
    a->index.class[class].count += (size_t)change;
    return hash_list(a, class, a->bits[i] & ~a->mask[i]);
}

static void index_add(struct nic_match_list *a, size_t i)
{
    struct list *l = a->mask[i] ? class_list(a, i, 1) : hash_list(a, 0, a->bits[i]);
    a->index.next[i] = NONE;
    if (l->head == NONE)
        l->head = (uint32_t)i;
    else
        a->index.next[l->tail] = (uint32_t)i;
    l->tail = (uint32_t)i;
}

static void index_remove(struct nic_match_list *a, size_t i)
{
    struct list *l = a->mask[i] ? class_list(a, i, -1) : hash_list(a, 0, a->bits[i]);
    uint32_t before = NONE, at = l->head;
    for (; at != i; at = a->index.next[at])
        before = at;
    if (before == NONE)
        l->head = a->index.next[i];
    else
        a->index.next[before] = a->index.next[i];
    if (l->tail == i)
        l->tail = before;
}

/* Makes it anew, with room for twice as many entries as there are.  Out of memory: scans go on
 * doing the work. */
static void index_build(struct nic_match_list *a)
{
    unsigned bits = 7;
    while (((size_t)1 << bits) < 2 * a->count)
        bits++;
    struct list *hashed = realloc(a->index.hashed, sizeof *hashed << bits);
    a->index.on = hashed;
    if (!hashed)
        return;
    a->index.hashed = hashed;
    a->index.bits = bits;
    memset(hashed, 0xff, sizeof *hashed << bits);
    a->index.rest = (struct list){ NONE, NONE };
    a->index.classes = 1;
    for (size_t i = a->first; i < a->end; i++)
        if (is_live(a, i))
            index_add(a, i);
}

/* The first entry of a list that matches and is in front of `before`, or `before`. */
static uint32_t first_in(const struct nic_match_list *a, const struct list *l, uint64_t bits,
                         uint32_t before)
{
    uint32_t i = l->head;
    while (i < before && ((a->bits[i] ^ bits) & ~a->mask[i]))
        i = a->index.next[i];
    return i < before ? i : before;
}

/* The first entry that matches bits without wildcards, or a->end. */
static size_t index_find(const struct nic_match_list *a, uint64_t bits)
{
    const struct index *x = &a->index;
    uint32_t i = hash_list(a, 0, bits)->head;
    while (i != NONE && a->bits[i] != bits)
        i = x->next[i];
    for (unsigned c = 1; c < x->classes; c++)
        if (x->class[c].count)
            i = first_in(a, hash_list(a, c, bits & ~x->class[c].mask), bits, i);
    if (x->rest.head < i)
        i = first_in(a, &x->rest, bits, i);
    return i == NONE ? a->end : i;
}

/* Closes all holes; order is kept. */
static void compact(struct nic_match_list *a)
{
    size_t to = 0;
    for (size_t i = a->first; i < a->end; i++) {
        if (!is_live(a, i))
            continue;
        a->bits[to] = a->bits[i];
        a->mask[to] = a->mask[i];
        a->tag[to++] = a->tag[i];
    }
    memset(a->live, 0, (a->end + 7) / 8);
    memset(a->live, 0xff, to / 8);
    if (to % 8)
        a->live[to / 8] = (uint8_t)((1u << (to % 8)) - 1);
    a->first = 0;
    a->end = to;
    if (a->index.on)
        index_build(a);
}

static int make_room(struct nic_match_list *a)
{
    if (a->count <= a->capacity / 2) {
        compact(a);
        return 0;
    }
    return grow(a, a->capacity * 2);
}

int nic_match_list_append(struct nic_match_list *a, uint64_t bits, uint64_t mask, uint32_t tag)
{
    if (a->end == a->capacity && make_room(a))
        return -ENOMEM;
    size_t i = a->end++;
    a->bits[i] = bits;
    a->mask[i] = mask;
    a->tag[i] = tag;
    a->live[i / 8] |= (uint8_t)(1u << (i % 8));
    a->count++;
    if (__builtin_expect(a->index.on && a->count <= (size_t)1 << a->index.bits, 0))
        index_add(a, i);
    else if (__builtin_expect(a->count >= INDEX_FROM, 0))
        index_build(a);
    return 0;
}

static void erase(struct nic_match_list *a, size_t i)
{
    a->live[i / 8] &= (uint8_t)~(1u << (i % 8));
    if (a->index.on)
        index_remove(a, i);
    if (!--a->count) {
        a->first = a->end = 0;
        a->index.on = false;
        return;
    }
    if (i == a->first) {
        while (!is_live(a, a->first))
            a->first++;
        /* a queue that is consumed from the front: its dead part goes when the capacity is
         * reached */
        return;
    }
    while (!is_live(a, a->end - 1))
        a->end--;
    if (a->end - a->first > 128 && a->count < (a->end - a->first) / 2)
        compact(a);
}

/* Live entries in front of i. */
static size_t position_of(const struct nic_match_list *a, size_t i)
{
    size_t n = 0, byte = a->first / 8;
    for (; byte < i / 8; byte++)
        n += (size_t)__builtin_popcount(a->live[byte]);
    return n + (size_t)__builtin_popcount(a->live[byte] & ((1u << (i % 8)) - 1));
}

static size_t find(const struct nic_match_list *a, uint64_t bits, uint64_t mask)
{
    size_t i = a->first;
    /* `first` is live: the common hit, without a call */
    if (!((a->bits[i] ^ bits) & ~(a->mask[i] | mask)))
        return i;
    return a->index.on && !mask ? index_find(a, bits) : a->scan(a, i + 1, bits, mask);
}

bool nic_match_list_find(const struct nic_match_list *a, uint64_t bits, uint64_t mask,
                         uint32_t *tag, size_t *position)
{
    if (!a->count)
        return false;
    size_t i = find(a, bits, mask);
    if (i >= a->end)
        return false;
    *tag = a->tag[i];
    if (position)
        *position = position_of(a, i);
    return true;
}

bool nic_match_list_match(struct nic_match_list *a, uint64_t bits, uint64_t mask, uint32_t *tag,
                          size_t *position)
{
    if (!a->count)
        return false;
    size_t i = find(a, bits, mask);
    if (i >= a->end)
        return false;
    *tag = a->tag[i];
    if (position)
        *position = position_of(a, i);
    erase(a, i);
    return true;
}

static bool is_tag(const struct nic_match_list *a, size_t i, uint32_t tag)
{
    return a->tag[i] == tag && is_live(a, i);
}

/* From both ends: many entries are removed in order, or in the opposite order, as a rule. */
bool nic_match_list_remove(struct nic_match_list *a, uint32_t tag)
{
    for (size_t i = a->first, j = a->end; i < j; i++) {
        bool from_end = is_tag(a, --j, tag);
        if (from_end || is_tag(a, i, tag)) {
            erase(a, from_end ? j : i);
            return true;
        }
    }
    return false;
}

size_t nic_match_list_count(const struct nic_match_list *a) { return a->count; }

bool nic_match_list_at(const struct nic_match_list *a, size_t position,
                       struct nic_match_entry *entry)
{
    if (position >= a->count)
        return false;
    size_t byte = a->first / 8, i;
    for (size_t n; position >= (n = (size_t)__builtin_popcount(a->live[byte])); byte++)
        position -= n;
    for (i = byte * 8; !is_live(a, i) || position--; i++)
        ;
    *entry = (struct nic_match_entry){ a->bits[i], a->mask[i], a->tag[i] };
    return true;
}
