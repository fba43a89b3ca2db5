/* Life and making of derived datatypes. */
#include "core/derived.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Small blocks come from a cache of the thread's by malloc, not by glibc's calloc, which compilers
 * make of malloc and memset. */
static void *new_zeros(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    __asm__("" : "+r"(p));
    return p ? memset(p, 0, bytes) : NULL;
}

/* -- what predefined types look like from here */

static unsigned index_of(const struct mpi_type *t) { return (unsigned)(t - mpi_type_predefined); }

static struct mpi_placed layout_of_pair(const struct mpi_type *t)
{
    struct mpi_placed part[2] = {
        mpi_layout_run(0, t->value_size), mpi_layout_run(t->index_at, t->size - t->value_size),
    };
    struct mpi_placed all = mpi_layout_join(part, 2);
    mpi_layout_drop(part[0].layout);
    mpi_layout_drop(part[1].layout);
    return all;
}

struct mpi_placed mpi_type_layout(const struct mpi_type *t)
{
    const struct mpi_derived *d = mpi_type_derived(t);
    if (d)
        return (struct mpi_placed){ mpi_layout_hold(d->placed.layout), d->placed.at };
    return t->value_size ? layout_of_pair(t) : mpi_layout_run(0, t->size);
}

/* Value and index of a pair. */
static void members_of_pair(const struct mpi_type *t, MPI_Datatype member[2])
{
    MPI_Datatype value = t->elem == MPI_ELEM_FLOAT_INT ? MPI_FLOAT
        : t->elem == MPI_ELEM_DOUBLE_INT ? MPI_DOUBLE : t->elem == MPI_ELEM_LONG_INT ? MPI_LONG
        : t->elem == MPI_ELEM_2INT ? MPI_INT : t->elem == MPI_ELEM_SHORT_INT ? MPI_SHORT
        : t->elem == MPI_ELEM_LDBL_INT ? MPI_LONG_DOUBLE : t->elem == MPI_ELEM_2REAL ? MPI_REAL
        : MPI_DOUBLE_PRECISION;
    bool twice = t->elem == MPI_ELEM_2REAL || t->elem == MPI_ELEM_2DOUBLE;
    member[0] = value;
    member[1] = twice ? value : MPI_INT;
}

static const struct mpi_signature *signature_of_pair(const struct mpi_type *t)
{
    const struct mpi_signature *part[2];
    MPI_Datatype member[2];
    members_of_pair(t, member);
    for (int i = 0; i < 2; i++)
        part[i] = mpi_type_signature(mpi_type_get(member[i]));
    const struct mpi_signature *all = mpi_signature_join(part, (size_t[]){ 1, 1 }, 2);
    mpi_signature_drop(part[0]);
    mpi_signature_drop(part[1]);
    return all;
}

const struct mpi_signature *mpi_type_signature(const struct mpi_type *t)
{
    const struct mpi_derived *d = mpi_type_derived(t);
    if (d)
        return mpi_signature_hold(d->signature);
    return t->value_size ? signature_of_pair(t) : mpi_signature_basic(index_of(t), t->size);
}

bool mpi_type_is_predefined(const struct mpi_type *t)
{
    int combiner = t->derived ? mpi_type_derived(t)->contents.combiner : MPI_COMBINER_NAMED;
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL
           || combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* As 64-bit ABIs have it: of a number its size, of a complex one that of its parts. */
size_t mpi_type_alignment(const struct mpi_type *t)
{
    if (t->derived)
        return t->alignment;
    if (t->value_size) {
        size_t index = t->size - t->value_size;
        return t->value_size > index ? t->value_size : index;
    }
    return t->family == MPI_FAMILY_COMPLEX ? t->size / 2 : t->size ? t->size : 1;
}

/* -- life */

static void drop_contents(struct mpi_contents *c)
{
    for (size_t i = 0; c->type && i < c->types; i++)
        if (c->type[i])
            mpi_type_drop(mpi_type_get(c->type[i]));
    free(c->address);
}

static void delete(struct mpi_derived *d)
{
    if (d->handle)
        mpi_handle_free((uintptr_t)d->handle);
    mpi_layout_drop(d->placed.layout);
    mpi_signature_drop(d->signature);
    drop_contents(&d->contents);
    free(d);
}

void mpi_type_hold(const struct mpi_type *t)
{
    struct mpi_derived *d = mpi_type_derived(t);
    if (d)
        atomic_fetch_add_explicit(&d->users, 1, memory_order_relaxed);
}

/* acq_rel: pairs with the same of other threads, so that who deletes sees all that they did. */
void mpi_type_drop(const struct mpi_type *t)
{
    struct mpi_derived *d = mpi_type_derived(t);
    if (d && atomic_fetch_sub_explicit(&d->users, 1, memory_order_acq_rel) == 1)
        delete(d);
}

void mpi_type_another_handle(const struct mpi_type *t)
{
    struct mpi_derived *d = mpi_type_derived(t);
    if (!d)
        return;
    pthread_mutex_lock(&lock);
    if (d->handles++ == 0)
        mpi_type_hold(t);
    pthread_mutex_unlock(&lock);
}

static struct mpi_attributes predefined_attributes[MPI_TYPE_COUNT];

struct mpi_attributes *mpi_type_attributes(const struct mpi_type *t)
{
    struct mpi_derived *d = mpi_type_derived(t);
    return d ? &d->attributes : &predefined_attributes[t - mpi_type_predefined];
}

bool mpi_type_has_one_handle(const struct mpi_derived *d)
{
    pthread_mutex_lock(&lock);
    bool one = d->handles == 1;
    pthread_mutex_unlock(&lock);
    return one;
}

bool mpi_type_free_handle(struct mpi_derived *d)
{
    pthread_mutex_lock(&lock);
    bool had = d->handles > 0, last = d->handles == 1;
    d->handles -= had;
    pthread_mutex_unlock(&lock);
    if (last)
        mpi_type_drop(&d->type);
    return had;
}

/* -- bounds: where elements begin and end, by their markers if any of them has some */

struct bounds { ptrdiff_t lb, ub; bool any, marked; size_t alignment; };

static void widen(struct bounds *b, ptrdiff_t lb, ptrdiff_t ub)
{
    b->lb = !b->any || lb < b->lb ? lb : b->lb;
    b->ub = !b->any || ub > b->ub ? ub : b->ub;
    b->any = true;
}

/* count elements, one every `stride` bytes from `at` on.  Padding of inner types does not count
 * where the data end: there is one for all of it. */
static void cover(struct bounds *b, const struct mpi_type *t, ptrdiff_t at, size_t count,
                  ptrdiff_t stride)
{
    size_t alignment = mpi_type_alignment(t);
    bool nothing = !count || (!t->size && !t->marked);
    if (nothing || (b->marked && !t->marked))
        return;
    if (t->marked && !b->marked)
        b->any = false;
    b->marked |= t->marked;
    if (alignment > b->alignment)
        b->alignment = alignment;
    bool exact = t->derived && !t->marked;
    ptrdiff_t lb = exact ? t->true_lb : t->lb, extent = exact ? t->true_extent : t->extent;
    widen(b, at + lb, at + lb + extent);
    at += (ptrdiff_t)(count - 1) * stride;
    widen(b, at + lb, at + lb + extent);
}

/* As a compiler pads a struct, so that an array of it is aligned: the standard says so of every
 * type whose bounds the program has not said. */
static void pad(struct bounds *b)
{
    ptrdiff_t over = b->alignment && !b->marked ? (b->ub - b->lb) % (ptrdiff_t)b->alignment : 0;
    if (over)
        b->ub += (ptrdiff_t)b->alignment - over;
}

/* -- making */

static struct mpi_derived *new_type(struct mpi_placed placed, const struct mpi_signature *signature)
{
    struct mpi_derived *d = placed.layout && signature ? new_zeros(sizeof *d) : NULL;
    if (!d) {
        mpi_layout_drop(placed.layout);
        mpi_signature_drop(signature);
        return NULL;
    }
    atomic_init(&d->users, 1);
    d->handles = 1;
    d->placed = placed;
    d->signature = signature;
    d->type.derived = true;
    d->type.name = d->name;
    d->type.size = placed.layout->bytes;
    return d;
}

/* No type has data or bounds further away, so that two places can be added or subtracted. */
#define FURTHEST (PTRDIFF_MAX / 2)

static bool is_near(ptrdiff_t low, ptrdiff_t high)
{
    return low >= -FURTHEST && high <= FURTHEST && high >= -FURTHEST && low <= FURTHEST;
}

static int finish(struct mpi_derived *d, struct bounds *b, struct mpi_derived **made)
{
    ptrdiff_t begin, end;
    *made = d;
    if (!d)
        return MPI_ERR_NO_MEM;
    pad(b);
    mpi_layout_span(d->placed, &begin, &end);
    if (!is_near(begin, end) || !is_near(b->lb, b->ub)) {
        delete(d);
        return MPI_ERR_NO_MEM;
    }
    d->type.true_lb = begin;
    d->type.true_extent = end - begin;
    d->type.lb = b->any ? b->lb : 0;
    d->type.extent = b->any ? b->ub - b->lb : 0;
    d->type.marked = b->marked;
    d->type.alignment = b->alignment ? b->alignment : 1;
    return MPI_SUCCESS;
}

/* length elements in a row; the caller drops it. */
static struct mpi_placed row(const struct mpi_type *t, size_t length)
{
    struct mpi_placed one = mpi_type_layout(t), all = mpi_layout_repeat(one, length, t->extent);
    mpi_layout_drop(one.layout);
    return all;
}

static const struct mpi_signature *signature_of(const struct mpi_type *t, size_t count)
{
    const struct mpi_signature *one = mpi_type_signature(t);
    const struct mpi_signature *all = mpi_signature_join(&one, &count, 1);
    mpi_signature_drop(one);
    return all;
}

static ptrdiff_t lower(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t higher(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Whether `count` elements in a row from `at` on are near, bounds and data. */
static bool row_is_near(const struct mpi_type *t, ptrdiff_t at, size_t count)
{
    ptrdiff_t last, true_lb = mpi_type_true_lb(t), true_ub = true_lb + mpi_type_true_extent(t);
    ptrdiff_t low = lower(lower(t->lb, t->lb + t->extent), true_lb);
    ptrdiff_t high = higher(higher(t->lb, t->lb + t->extent), true_ub);
    if (!count)
        return true;
    if (!is_near(at, at) || __builtin_mul_overflow(count - 1, t->extent, &last)
        || !is_near(last, last))
        return false;
    ptrdiff_t first = at + lower(last, 0), end = at + higher(last, 0);
    return is_near(first, end) && is_near(first + low, end + high);
}

/* Adds the data of `count` blocks of `length` elements; false: more than an address space has. */
static bool add_data(size_t *bytes, const struct mpi_type *t, size_t count, size_t length)
{
    size_t n;
    return !__builtin_mul_overflow(count, length, &n) && !__builtin_mul_overflow(n, t->size, &n)
           && !__builtin_add_overflow(*bytes, n, bytes) && *bytes <= FURTHEST;
}

int mpi_derive_vector(const struct mpi_type *old, size_t count, size_t length, ptrdiff_t stride,
                      struct mpi_derived **made)
{
    struct bounds b = { 0 };
    size_t bytes = 0;
    ptrdiff_t last = 0;
    if (!add_data(&bytes, old, count, length)
        || (count && __builtin_mul_overflow(count - 1, stride, &last))
        || !row_is_near(old, 0, length) || !row_is_near(old, last, length))
        return MPI_ERR_NO_MEM;
    struct mpi_placed block = row(old, length);
    struct mpi_placed all = mpi_layout_repeat(block, count, stride);
    mpi_layout_drop(block.layout);
    cover(&b, old, 0, count ? length : 0, old->extent);
    if (count)
        cover(&b, old, last, length, old->extent);
    return finish(new_type(all, signature_of(old, count * length)), &b, made);
}

/* -- lists of blocks */

/* The rows of a list.  Few lengths and types come again and again: so each is made once. */
struct made_row { struct mpi_placed placed; const struct mpi_type *type; size_t length; };
struct rows { struct mpi_placed *placed; size_t count; struct made_row made[8]; };

static const struct made_row *row_of(struct rows *r, const struct mpi_type *t, size_t length)
{
    size_t types = (uintptr_t)t / sizeof *t;
    struct made_row *m = &r->made[(types + length) % (sizeof r->made / sizeof *r->made)];
    if (!m->placed.layout || m->type != t || m->length != length) {
        mpi_layout_drop(m->placed.layout);
        *m = (struct made_row){ row(t, length), t, length };
    }
    return m;
}

static bool add_row(struct rows *r, const struct mpi_type *t, size_t length, ptrdiff_t at)
{
    struct mpi_placed one = row_of(r, t, length)->placed;
    if (!one.layout)
        return false;
    r->placed[r->count++] = (struct mpi_placed){ mpi_layout_hold(one.layout), one.at + at };
    return true;
}

/* The bounds and bytes of a block; false: too far away. */
static bool measure(struct bounds *b, size_t *bytes, const struct mpi_type *t, size_t length,
                    MPI_Count at)
{
    if (!row_is_near(t, (ptrdiff_t)at, length) || !add_data(bytes, t, 1, length))
        return false;
    cover(b, t, (ptrdiff_t)at, length, t->extent);
    return true;
}

static struct mpi_placed join_rows(struct rows *r, bool whole)
{
    struct mpi_placed all = { 0 };
    if (whole)
        all = mpi_layout_join(r->placed, r->count);
    for (size_t i = 0; i < r->count; i++)
        mpi_layout_drop(r->placed[i].layout);
    for (size_t i = 0; i < sizeof r->made / sizeof *r->made; i++)
        mpi_layout_drop(r->made[i].placed.layout);
    free(r->placed);
    return all;
}

/* Blocks of one type: `each` is the length of all where they have none of their own. */
struct list { const struct mpi_type *type; size_t count; const MPI_Count *length; size_t each;
              const MPI_Count *displacement; };

static size_t length_of(const struct list *l, size_t i)
{
    return l->length ? (size_t)l->length[i] : l->each;
}

static struct mpi_placed join_list(const struct list *l)
{
    struct rows r = { .placed = malloc((l->count + 1) * sizeof *r.placed) };
    bool whole = r.placed;
    for (size_t i = 0; whole && i < l->count; i++) {
        size_t n = length_of(l, i);
        whole = add_row(&r, l->type, n, n ? (ptrdiff_t)l->displacement[i] : 0);
    }
    return join_rows(&r, whole);
}

/* The same where each block is one run of bytes, so that it needs no layout of its own. */
static struct mpi_placed join_runs(const struct list *l, ptrdiff_t at)
{
    struct mpi_block *run = malloc((l->count + 1) * sizeof *run);
    struct mpi_placed all = { 0 };
    size_t runs = 0;
    for (size_t i = 0; run && i < l->count; i++)
        if (length_of(l, i))
            run[runs++] = (struct mpi_block){ .at = (ptrdiff_t)l->displacement[i] + at,
                                              .bytes = length_of(l, i) * l->type->size };
    if (run)
        all = mpi_layout_runs(run, runs);
    free(run);
    return all;
}

static struct mpi_placed layout_of_list(const struct list *l)
{
    struct mpi_placed one = mpi_type_layout(l->type);
    bool gapless = one.layout && one.layout->kind == MPI_LAYOUT_RUN
                   && (ptrdiff_t)one.layout->bytes == l->type->extent;
    mpi_layout_drop(one.layout);
    return gapless ? join_runs(l, one.at) : join_list(l);
}

/* Where the elements of a list begin: the first one, and the last; and how many there are. */
struct reach { ptrdiff_t first, last; size_t elements; };

/* False: too far away, or too many. */
static bool reach_block(struct reach *r, ptrdiff_t extent, ptrdiff_t at, size_t length)
{
    ptrdiff_t over;
    if (!length)
        return true;
    if (!is_near(at, at) || __builtin_mul_overflow(length - 1, extent, &over)
        || !is_near(over, over))
        return false;
    ptrdiff_t first = at + lower(over, 0), last = at + higher(over, 0);
    r->first = r->elements ? lower(r->first, first) : first;
    r->last = r->elements ? higher(r->last, last) : last;
    return !__builtin_add_overflow(r->elements, length, &r->elements);
}

/* All that blocks cover lies between their first and their last element.  If the first is near no
 * number overflows in what the last covers, and whether that is near is asked when the type is
 * finished. */
static bool measure_list(struct bounds *b, const struct list *l, struct reach *r)
{
    size_t bytes = 0;
    for (size_t i = 0; i < l->count; i++)
        if (!reach_block(r, l->type->extent, (ptrdiff_t)l->displacement[i], length_of(l, i)))
            return false;
    if (!r->elements)
        return true;
    if (!row_is_near(l->type, r->first, 1) || !add_data(&bytes, l->type, r->elements, 1))
        return false;
    cover(b, l->type, r->first, 1, 0);
    cover(b, l->type, r->last, 1, 0);
    return true;
}

int mpi_derive_indexed(const struct mpi_type *old, size_t count, const MPI_Count *length,
                       size_t each, const MPI_Count *displacement, struct mpi_derived **made)
{
    struct list l = { old, count, length, each, displacement };
    struct bounds b = { 0 };
    struct reach r = { 0 };
    if (!measure_list(&b, &l, &r))
        return MPI_ERR_NO_MEM;
    return finish(new_type(layout_of_list(&l), signature_of(old, r.elements)), &b, made);
}

/* That of member i, which is that of a member shortly before it where their type is the same. */
static const struct mpi_signature *signature_at(const struct mpi_type *const *old, size_t i,
                                                const struct mpi_signature *const *before)
{
    for (size_t back = 1; back <= i && back <= 8; back++)
        if (old[i - back] == old[i])
            return mpi_signature_hold(before[i - back]);
    return mpi_type_signature(old[i]);
}

/* The signature of a struct; NULL: no memory. */
static const struct mpi_signature *struct_signature(size_t count, const MPI_Count *length,
                                                    const struct mpi_type *const *old)
{
    enum { FEW = 16 };
    const struct mpi_signature *few[FEW], **part = few, *all;
    size_t few_times[FEW], *times = few_times;
    void *many = count > FEW ? malloc(count * (sizeof *part + sizeof *times)) : NULL;
    if (count > FEW && !many)
        return NULL;
    if (many) {
        part = many;
        times = (size_t *)(part + count);
    }
    for (size_t i = 0; i < count; i++) {
        part[i] = signature_at(old, i, part);
        times[i] = (size_t)length[i];
    }
    all = mpi_signature_join(part, times, count);
    for (size_t i = 0; i < count; i++)
        mpi_signature_drop(part[i]);
    free(many);
    return all;
}

int mpi_derive_struct(size_t count, const MPI_Count *length, const MPI_Count *displacement,
                      const struct mpi_type *const *old, struct mpi_derived **made)
{
    struct rows r = { .placed = malloc((count + 1) * sizeof *r.placed) };
    struct bounds b = { 0 };
    size_t bytes = 0;
    bool whole = r.placed;
    for (size_t i = 0; whole && i < count; i++)
        whole = measure(&b, &bytes, old[i], (size_t)length[i], displacement[i])
                && add_row(&r, old[i], (size_t)length[i], length[i] ? displacement[i] : 0);
    struct mpi_placed all = join_rows(&r, whole);
    return finish(new_type(all, whole ? struct_signature(count, length, old) : NULL), &b, made);
}

/* Elements in a row have no gaps then, so all that is known of bytes holds for them. */
void mpi_type_commit(struct mpi_derived *d)
{
    const struct mpi_layout *l = d->placed.layout;
    d->type.contiguous = l->kind == MPI_LAYOUT_RUN && d->placed.at == 0 && d->type.lb == 0
                         && d->type.extent == (ptrdiff_t)l->bytes;
    d->type.committed = true;
}

/* -- the same data with other bounds */

static int derive_with(const struct mpi_type *old, struct bounds *b,
                       struct mpi_derived **made)
{
    return finish(new_type(mpi_type_layout(old), mpi_type_signature(old)), b, made);
}

int mpi_derive_resized(const struct mpi_type *old, ptrdiff_t lb, ptrdiff_t extent,
                       struct mpi_derived **made)
{
    struct bounds b = { .lb = lb, .any = true, .marked = true,
                        .alignment = mpi_type_alignment(old) };
    if (__builtin_add_overflow(lb, extent, &b.ub))
        return MPI_ERR_NO_MEM;
    return derive_with(old, &b, made);
}

int mpi_derive_dup(const struct mpi_type *old, struct mpi_derived **made)
{
    struct bounds b = { old->lb, old->lb + old->extent, true, old->marked,
                        mpi_type_alignment(old) };
    int class = derive_with(old, &b, made);
    if (!class && old->committed)
        mpi_type_commit(*made);
    return class;
}

int mpi_derive_array(const struct mpi_type *old, struct mpi_placed placed, size_t elements,
                     ptrdiff_t whole, struct mpi_derived **made)
{
    struct bounds b = { 0, whole, true, true, mpi_type_alignment(old) };
    return finish(new_type(placed, placed.layout ? signature_of(old, elements) : NULL), &b, made);
}

/* -- contents and handle */

bool mpi_derive_contents(struct mpi_derived *d, int combiner, size_t integers, size_t addresses,
                         size_t counts, size_t types)
{
    struct mpi_contents *c = &d->contents;
    const size_t bytes = addresses * sizeof *c->address + counts * sizeof *c->count
                         + types * sizeof *c->type + integers * sizeof *c->integer;
    c->address = new_zeros(bytes);
    if (!c->address) {
        delete(d);
        return false;
    }
    c->count = (MPI_Count *)(c->address + addresses);
    c->type = (MPI_Datatype *)(c->count + counts);
    c->integer = (int *)(c->type + types);
    c->combiner = combiner;
    c->integers = integers;
    c->addresses = addresses;
    c->counts = counts;
    c->types = types;
    return true;
}

MPI_Datatype mpi_derive_done(struct mpi_derived *d)
{
    for (size_t i = 0; i < d->contents.types; i++)
        mpi_type_hold(mpi_type_get(d->contents.type[i]));
    d->handle = (MPI_Datatype)mpi_handle_new(MPI_KIND_TYPE, d);
    if (!d->handle) {
        delete(d);
        return MPI_DATATYPE_NULL;
    }
    return d->handle;
}
