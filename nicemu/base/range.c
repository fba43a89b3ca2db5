/* Areas, used and free, in a treap by offset: a search tree in which each node's weight, drawn at
 * random, is at least those below it.  Each node knows the longest free area of its subtree, so
 * that the first that fits is found on one way down.  What is found depends on the areas alone, not
 * on the weights. */
#include "base/range.h"

#include <stdlib.h>

struct area {
    struct area *left, *right;
    uint64_t offset, bytes;
    uint64_t longest;               /* free, here or below */
    uint32_t weight;
    unsigned use;
    bool used;
};

struct nic_areas { struct area *root; uint32_t draw; };

/* -- the tree */

static uint64_t longest_of(const struct area *a) { return a ? a->longest : 0; }

static void renew(struct area *a)
{
    uint64_t left = longest_of(a->left), right = longest_of(a->right);
    uint64_t below = left > right ? left : right, own = a->used ? 0 : a->bytes;
    a->longest = own > below ? own : below;
}

/* All of `left` lies before `right`. */
static struct area *join(struct area *left, struct area *right)
{
    if (!left || !right)
        return left ? left : right;
    struct area *top = left->weight >= right->weight ? left : right;
    if (top == left)
        top->right = join(left->right, right);
    else
        top->left = join(left, right->left);
    renew(top);
    return top;
}

/* Into those that begin before `offset` and the others. */
static void split(struct area *a, uint64_t offset, struct area **before, struct area **others)
{
    if (!a) {
        *before = *others = NULL;
        return;
    }
    if (a->offset < offset) {
        split(a->right, offset, &a->right, others);
        *before = a;
    } else {
        split(a->left, offset, before, &a->left);
        *others = a;
    }
    renew(a);
}

static void put_in(struct nic_areas *s, struct area *a)
{
    struct area *before, *others;
    a->left = a->right = NULL;
    renew(a);
    split(s->root, a->offset, &before, &others);
    s->root = join(join(before, a), others);
}

/* Of an area that is in it. */
static void take_out(struct nic_areas *s, struct area *a)
{
    struct area *before, *others, *rest;
    split(s->root, a->offset, &before, &others);
    split(others, a->offset + 1, &others, &rest);
    s->root = join(before, rest);
}

/* The last that begins at or before `offset`. */
static struct area *last_before(const struct nic_areas *s, uint64_t offset)
{
    struct area *found = NULL;
    for (struct area *a = s->root; a;) {
        bool before = a->offset <= offset;
        found = before ? a : found;
        a = before ? a->right : a->left;
    }
    return found;
}

/* -- areas */

static uint32_t draw_weight(struct nic_areas *s)
{
    s->draw ^= s->draw << 13;
    s->draw ^= s->draw >> 17;
    return s->draw ^= s->draw << 5;
}

static struct area *area_new(struct nic_areas *s, uint64_t offset, uint64_t bytes)
{
    struct area *a = malloc(sizeof *a);
    if (a)
        *a = (struct area){ .offset = offset, .bytes = bytes, .weight = draw_weight(s) };
    return a;
}

struct nic_areas *nic_areas_new(uint64_t bytes)
{
    struct nic_areas *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct nic_areas){ .draw = 1 };
    struct area *all = area_new(s, 0, bytes);
    if (!all) {
        free(s);
        return NULL;
    }
    put_in(s, all);
    return s;
}

static void area_delete(struct area *a)
{
    if (!a)
        return;
    area_delete(a->left);
    area_delete(a->right);
    free(a);
}

void nic_areas_delete(struct nic_areas *s)
{
    if (s)
        area_delete(s->root);
    free(s);
}

static uint64_t end_of(const struct area *a) { return a->offset + a->bytes; }

/* The first multiple of `align` in a free area. */
static uint64_t aligned(const struct area *a, uint64_t align)
{
    return (a->offset + align - 1) & ~(align - 1);
}

/* What a free area has from there on. */
static uint64_t room_of(const struct area *a, uint64_t align)
{
    uint64_t before = aligned(a, align) - a->offset;
    return !a->used && before < a->bytes ? a->bytes - before : 0;
}

/* Takes [at, at + bytes) out of the free area `a`, which becomes the one that is taken.  What is
 * left before it and behind it becomes areas of their own: both are there before anything
 * changes. */
static uint64_t carve(struct nic_areas *s, struct area *a, uint64_t at, uint64_t bytes,
                      unsigned use)
{
    uint64_t end = at + bytes, first = a->offset, last = end_of(a);
    struct area *before = at > first ? area_new(s, first, at - first) : NULL;
    struct area *behind = end < last ? area_new(s, end, last - end) : NULL;
    if ((at > first && !before) || (end < last && !behind)) {
        free(before);
        free(behind);
        return NIC_AREA_NONE;
    }
    take_out(s, a);
    a->offset = at;
    a->bytes = bytes;
    a->used = true;
    a->use = use;
    put_in(s, a);
    if (before)
        put_in(s, before);
    if (behind)
        put_in(s, behind);
    return at;
}

/* The first with so much room; alignment may cost those that are long enough without. */
static struct area *first_fit(struct area *a, uint64_t bytes, uint64_t align)
{
    if (longest_of(a) < bytes)
        return NULL;
    struct area *found = first_fit(a->left, bytes, align);
    if (found)
        return found;
    return room_of(a, align) >= bytes ? a : first_fit(a->right, bytes, align);
}

static bool is_alignment(uint64_t align) { return align && !(align & (align - 1)); }

uint64_t nic_areas_take(struct nic_areas *s, uint64_t bytes, uint64_t align, unsigned use)
{
    bytes += !bytes;
    struct area *a = is_alignment(align) ? first_fit(s->root, bytes, align) : NULL;
    return a ? carve(s, a, aligned(a, align), bytes, use) : NIC_AREA_NONE;
}

/* The free neighbour that ends where `a` begins, or begins where it ends, becomes a part of it,
 * which is not in the tree. */
static void absorb(struct nic_areas *s, struct area *a, struct area *neighbour)
{
    if (!neighbour || neighbour->used)
        return;
    take_out(s, neighbour);
    a->offset = neighbour->offset < a->offset ? neighbour->offset : a->offset;
    a->bytes += neighbour->bytes;
    free(neighbour);
}

bool nic_areas_give(struct nic_areas *s, uint64_t offset, uint64_t *bytes, unsigned *use)
{
    struct area *a = last_before(s, offset);
    if (!a || a->offset != offset || !a->used)
        return false;
    *bytes = a->bytes;
    *use = a->use;
    take_out(s, a);
    a->used = false;
    absorb(s, a, offset ? last_before(s, offset - 1) : NULL);
    struct area *behind = last_before(s, end_of(a));
    absorb(s, a, behind && behind->offset == end_of(a) ? behind : NULL);
    put_in(s, a);
    return true;
}

bool nic_areas_find(const struct nic_areas *s, uint64_t offset, uint64_t *begin, unsigned *use)
{
    const struct area *a = last_before(s, offset);
    if (!a || !a->used || offset >= end_of(a))
        return false;
    *begin = a->offset;
    *use = a->use;
    return true;
}

void nic_areas_set_use(struct nic_areas *s, uint64_t begin, unsigned use)
{
    last_before(s, begin)->use = use;
}

static uint64_t largest_in(const struct area *a, uint64_t align, uint64_t least)
{
    if (longest_of(a) <= least)
        return least;
    uint64_t own = room_of(a, align) & ~(align - 1);
    least = largest_in(a->left, align, own > least ? own : least);
    return largest_in(a->right, align, least);
}

uint64_t nic_areas_largest(const struct nic_areas *s, uint64_t align)
{
    return is_alignment(align) ? largest_in(s->root, align, 0) : 0;
}
