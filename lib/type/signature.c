/* Making, counting and walking signatures. */
#include "type/signature.h"

#include <stdlib.h>

/* The hash of a sequence is a polynomial in a fixed odd base, modulo 2^64: that of two sequences in
 * a row follows from those of both and the base's power, and a repetition takes its logarithm. */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

struct polynomial { uint64_t hash, power; };

static struct polynomial behind(struct polynomial one, struct polynomial other)
{
    return (struct polynomial){ one.hash * other.power + other.hash, one.power * other.power };
}

static struct polynomial repeated(struct polynomial p, uint64_t count)
{
    struct polynomial all = { 0, 1 };
    for (; count; count >>= 1, p = behind(p, p))
        if (count & 1)
            all = behind(all, p);
    return all;
}

static struct polynomial of(const struct mpi_signature *s)
{
    return (struct polynomial){ s->hash, s->power };
}

/* -- life */

static struct mpi_signature *new_signature(size_t members)
{
    if (members > SIZE_MAX / sizeof(struct mpi_member) / 2)
        return NULL;
    /* malloc has a cache of such blocks, glibc's calloc has not; add() fills in the members */
    struct mpi_signature *s = malloc(sizeof *s + members * sizeof *s->member);
    if (s)
        *s = (struct mpi_signature){ .users = 1 };
    return s;
}

const struct mpi_signature *mpi_signature_hold(const struct mpi_signature *s)
{
    if (s)
        atomic_fetch_add_explicit(&((struct mpi_signature *)s)->users, 1, memory_order_relaxed);
    return s;
}

/* acq_rel: pairs with the same of other threads, so that whoever frees a signature sees that all
 * of them have read it to the end. */
void mpi_signature_drop(const struct mpi_signature *s)
{
    struct mpi_signature *mine = (struct mpi_signature *)s;
    if (!s || atomic_fetch_sub_explicit(&mine->users, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < s->members; i++)
        mpi_signature_drop(s->member[i].signature);
    free(mine);
}

const struct mpi_signature *mpi_signature_basic(unsigned basic, size_t bytes)
{
    struct mpi_signature *s = new_signature(0);
    if (!s)
        return NULL;
    s->basic = basic;
    s->bytes = bytes;
    s->elements = 1;
    s->hash = (basic + 1) * UINT64_C(0xd1342543de82ef95);
    s->power = BASE;
    return s;
}

/* -- joining */

/* A member that is one member several times is taken apart: repetitions of repetitions are one. */
static void add(struct mpi_signature *s, const struct mpi_signature *what, size_t count)
{
    struct mpi_member *last = s->members ? &s->member[s->members - 1] : NULL;
    if (!count || !what->bytes)
        return;
    if (what->members == 1) {
        count *= what->member[0].count;
        what = what->member[0].signature;
    }
    if (last && (last->signature == what || (!what->members && !last->signature->members
                                             && last->signature->basic == what->basic)))
        last->count += count;
    else
        s->member[s->members++] = (struct mpi_member){
            mpi_signature_hold(what), count, s->bytes, s->elements };
    s->bytes += count * what->bytes;
    s->elements += count * what->elements;
    struct polynomial all = behind((struct polynomial){ s->hash, s->power },
                                   repeated(of(what), count));
    s->hash = all.hash;
    s->power = all.power;
}

const struct mpi_signature *mpi_signature_join(const struct mpi_signature *const *signature,
                                               const size_t *count, size_t members)
{
    struct mpi_signature *s = new_signature(members);
    if (!s)
        return NULL;
    s->power = 1;
    for (size_t i = 0; i < members; i++) {
        if (!signature[i]) {
            mpi_signature_drop(s);
            return NULL;
        }
        add(s, signature[i], count[i]);
    }
    return s;
}

/* -- counting */

static int64_t elements_in(const struct mpi_signature *s, size_t bytes)
{
    if (bytes == s->bytes)
        return (int64_t)s->elements;
    if (!s->members)
        return bytes ? -1 : 0;
    size_t i = 0;
    while (i + 1 < s->members && s->member[i + 1].bytes_before <= bytes)
        i++;
    const struct mpi_member *m = &s->member[i];
    size_t rest = bytes - m->bytes_before, whole = rest / m->signature->bytes;
    int64_t part = elements_in(m->signature, rest % m->signature->bytes);
    if (part < 0)
        return -1;
    return (int64_t)(m->elements_before + whole * m->signature->elements) + part;
}

int64_t mpi_signature_elements(const struct mpi_signature *s, uint64_t bytes)
{
    if (!s->bytes)
        return 0;
    int64_t part = elements_in(s, bytes % s->bytes);
    return part < 0 ? -1 : (int64_t)(bytes / s->bytes * s->elements) + part;
}

static size_t bytes_of(const struct mpi_signature *s, size_t elements)
{
    if (elements == s->elements)
        return s->bytes;
    if (!elements)
        return 0;
    size_t i = 0;
    while (i + 1 < s->members && s->member[i + 1].elements_before <= elements)
        i++;
    const struct mpi_member *m = &s->member[i];
    size_t rest = elements - m->elements_before, whole = rest / m->signature->elements;
    return m->bytes_before + whole * m->signature->bytes
           + bytes_of(m->signature, rest % m->signature->elements);
}

uint64_t mpi_signature_bytes(const struct mpi_signature *s, uint64_t elements)
{
    if (!s->elements)
        return 0;
    return elements / s->elements * s->bytes + bytes_of(s, elements % s->elements);
}

/* -- walking */

bool mpi_signature_walk(const struct mpi_signature *s, size_t times, mpi_basic_fn *run,
                        void *context)
{
    if (!s->members)
        return !s->bytes || !times || run(context, s->basic, s->bytes, times);
    if (s->members == 1)
        return mpi_signature_walk(s->member[0].signature, times * s->member[0].count, run,
                                  context);
    for (size_t t = 0; t < times; t++)
        for (size_t i = 0; i < s->members; i++)
            if (!mpi_signature_walk(s->member[i].signature, s->member[i].count, run, context))
                return false;
    return true;
}

uint64_t mpi_signature_hash(const struct mpi_signature *s, uint64_t times)
{
    return repeated(of(s), times).hash;
}
