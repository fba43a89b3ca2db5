/* Accumulating, by instructions or under the target's `busy` word. */
#include "rma/accumulate.h"

#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/op.h"
#include "core/type_data.h"
#include "rma/ask.h"
#include "rma/attach.h"
#include "rma/bulk.h"
#include "rma/explained.h"
#include "rma/lock.h"
#include "rma/transfer.h"

/* -- the basic type */

static MPI_Datatype basic_of_handle(MPI_Datatype handle);

/* Of types that no constructor made of others, the signature says it. */
static MPI_Datatype basic_of_signature(const struct mpi_derived *d)
{
    const struct mpi_signature *s = d->signature;
    while (s->members == 1)
        s = s->member[0].signature;
    return s->members ? MPI_DATATYPE_NULL : (MPI_Datatype)(uintptr_t)(MPI_TYPE_FIRST + s->basic);
}

static bool has_data(const struct mpi_contents *c, size_t part)
{
    const struct mpi_type *t = mpi_type_get(c->type[part]);
    if (c->combiner == MPI_COMBINER_STRUCT
        && !(c->counts ? c->count[1 + part] : c->integer[1 + part]))
        return false;
    return !t || t->size;
}

/* Of parts without data only if there are no others. */
static MPI_Datatype basic_of_parts(const struct mpi_contents *c)
{
    MPI_Datatype basic = MPI_DATATYPE_NULL;
    bool found = false;
    for (size_t i = 0; i < c->types; i++) {
        if (!has_data(c, i))
            continue;
        MPI_Datatype one = basic_of_handle(c->type[i]);
        if (one == MPI_DATATYPE_NULL || (found && one != basic))
            return MPI_DATATYPE_NULL;
        basic = one;
        found = true;
    }
    return found ? basic : basic_of_handle(c->type[0]);
}

static MPI_Datatype basic_of_handle(MPI_Datatype handle)
{
    const struct mpi_type *t = mpi_type_get(handle);
    return t ? mpi_rma_basic(t, handle) : MPI_DATATYPE_NULL;
}

MPI_Datatype mpi_rma_basic(const struct mpi_type *t, MPI_Datatype handle)
{
    const struct mpi_derived *d = mpi_type_derived(t);
    if (!d)
        return handle;
    return d->contents.types ? basic_of_parts(&d->contents) : basic_of_signature(d);
}

/* -- a call under way.  The streams are packed elements: origin NULL if the target's stay. */

struct work {
    struct mpi_win *w;
    int target;
    const struct mpi_rma_place *place;
    const struct mpi_rma_accumulate *a;
    const struct mpi_type *basic;
    const char *origin;
    char *result;                   /* NULL: not wanted */
    void *origin_copy, *result_copy;    /* where those are not in place; or NULL */
    struct mpi_rma_change change;
    mpi_op_loop *loop;
    bool paired;                    /* no streams, as long as it is alone */
    bool alone;                     /* nobody else changes anything there meanwhile */
    int class;
};

static bool has_origin(const struct work *k)
{
    return k->a->op != MPI_NO_OP && k->a->origin;
}

/* The origin's data as a stream, and room for the result's.  False: no memory. */
static bool streams(struct work *k)
{
    const struct mpi_rma_side *o = k->a->origin, *r = k->a->result;
    if (has_origin(k) && !o->t->contiguous && !(k->origin_copy = malloc(o->bytes)))
        return false;
    if (r && !r->t->contiguous && !(k->result_copy = malloc(r->bytes)))
        return false;
    if (k->origin_copy)
        mpi_rma_pack(o, k->origin_copy);
    if (has_origin(k))
        k->origin = k->origin_copy ? k->origin_copy : o->at;
    if (r)
        k->result = k->result_copy ? k->result_copy : r->at;
    return true;
}

static void streams_end(struct work *k)
{
    if (k->result_copy && !k->class)
        mpi_rma_unpack(k->a->result, k->result_copy);
    free(k->origin_copy);
    free(k->result_copy);
}

/* -- combining streams */

/* Pairs with gaps are combined as the program has them: a copy of both. */
static bool combine_spread(const struct work *k, const void *origin, void *target, size_t count)
{
    const struct mpi_type *t = k->basic;
    const size_t bytes = count * t->size, room = count * (size_t)t->extent;
    char *in = calloc(2, room);
    if (!in)
        return false;
    mpi_type_unpack(t, origin, bytes, in);
    mpi_type_unpack(t, target, bytes, in + room);
    mpi_op_apply(mpi_op_get(k->a->op), k->a->basic, in, in + room, count);
    mpi_type_pack(t, in + room, count, target);
    free(in);
    return true;
}

static bool combine(const struct work *k, const void *origin, void *target, size_t bytes)
{
    if (k->a->op == MPI_REPLACE)
        memcpy(target, origin, bytes);
    else if (!k->basic->contiguous)
        return combine_spread(k, origin, target, bytes / k->basic->size);
    else
        k->loop(origin, target, bytes / k->basic->size);
    return true;
}

/* -- under the busy word */

/* All of the target's side: read, changed, written back. */
static int change_copy(struct work *k, char *copy)
{
    const struct mpi_rma_side *remote = k->a->remote;
    int class = mpi_rma_fetch(k->w, k->place, false, remote, copy);
    if (!class && k->result)
        memcpy(k->result, copy, remote->bytes);
    if (!class && k->origin && !combine(k, k->origin, copy, remote->bytes))
        class = MPI_ERR_NO_MEM;
    if (!class && k->origin)
        class = mpi_rma_fetch(k->w, k->place, true, remote, copy);
    return class;
}

/* What was done under the word ended with this class. */
static void end_busy(struct work *k, int class)
{
    int left = mpi_rma_idle(k->w, k->target);
    k->class = class ? class : left;
}

static void all_busy(struct work *k)
{
    char *copy = malloc(k->a->remote->bytes);
    if (!copy) {
        k->class = MPI_ERR_NO_MEM;
        return;
    }
    k->class = mpi_rma_busy(k->w, k->target);
    if (!k->class)
        end_busy(k, change_copy(k, copy));
    free(copy);
}

/* -- by the target's NIC */

/* False: not possible, or the target is at work there. */
static bool by_request(struct work *k)
{
    const struct mpi_rma_accumulate *a = k->a;
    if (a->remote->bytes > MPI_RMA_SMALL_BYTES || !k->basic->contiguous
        || !mpi_rma_plain(a->remote) || !mpi_rma_asks(k->w, k->target, k->place, false))
        return false;
    const struct mpi_rma_ask_change c = { .op = k->origin ? a->op : MPI_NO_OP,
                                          .elem = k->basic->elem, .data = k->origin,
                                          .bytes = a->remote->bytes, .old = k->result };
    k->class = mpi_rma_ask_change(k->w, k->target, k->place, &c);
    return k->class != MPI_RMA_REFUSED;
}

/* -- by instructions, a run of the target's side after the other */

static int change_in_place(const struct work *k, void *at, size_t bytes)
{
    if (k->result)
        memcpy(k->result, at, bytes);
    return !k->origin || combine(k, k->origin, at, bytes) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void run_busy(struct work *k, void *at, size_t bytes)
{
    k->class = mpi_rma_busy(k->w, k->target);
    if (!k->class)
        end_busy(k, change_in_place(k, at, bytes));
}

static bool one_run(void *context, void *at, size_t bytes)
{
    struct work *k = context;
    if (k->alone)
        k->class = change_in_place(k, at, bytes);
    else if (mpi_rma_element_fits(at, k->basic->size))
        k->class = mpi_rma_change_elements(k->w, k->target, at, bytes / k->basic->size,
                                           &k->change, k->origin, k->result);
    else
        run_busy(k, at, bytes);
    if (k->origin)
        k->origin += bytes;
    if (k->result)
        k->result += bytes;
    return !k->class;
}

static bool one_pair(void *context, char *to, const char *from, size_t bytes)
{
    struct work *k = context;
    k->class = combine(k, from, to, bytes) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    return !k->class;
}

static struct mpi_rma_side mapped(const struct work *k)
{
    struct mpi_rma_side there = *k->a->remote;
    there.at = k->place->at - there.low;
    return there;
}

static void change_runs(struct work *k, const struct mpi_rma_side *there)
{
    if (k->alone && k->paired)
        mpi_rma_pairs(there, k->a->origin, one_pair, k);
    else if (k->paired && !streams(k))
        k->class = MPI_ERR_NO_MEM;
    else if (k->alone && k->origin)
        mpi_rma_changes(there, one_run, k);
    else
        mpi_rma_runs(there, one_run, k);
}

static void by_instructions(struct work *k)
{
    const struct mpi_rma_side there = mapped(k);
    const bool alone = mpi_rma_is_alone(k->w, k->target);
    const bool bulk = !alone && mpi_rma_bulk_begin(k->w, k->target, there.bytes / k->basic->size);
    k->alone = alone || bulk;
    change_runs(k, &there);
    if (bulk)
        mpi_rma_bulk_end(k->w, k->target);
}

/* -- across pieces of attached memory, of which some are changed by instructions: each element for
 * itself, as whoever works on it alone does */

static struct mpi_rma_side element_at(const struct work *k, const void *at)
{
    struct mpi_rma_side s;
    mpi_rma_side(&s, at, 1, k->basic);
    return s;
}

static bool one_element(struct work *k, const char *at)
{
    const uint64_t begin = (uintptr_t)at;
    struct mpi_rma_place place;
    struct mpi_rma_side remote = element_at(k, NULL), origin = element_at(k, k->origin),
                        result = element_at(k, k->result);
    struct mpi_rma_accumulate a = *k->a;
    a.remote = &remote;
    a.origin = k->origin ? &origin : NULL;
    a.result = k->result ? &result : NULL;
    a.op = k->origin ? a.op : MPI_NO_OP;
    k->class = mpi_rma_find_attached(k->w, k->target, begin, begin + k->basic->size, &place);
    place.across = 0;           /* who works on an element that is in two pieces does so as this */
    if (!k->class)
        k->class = mpi_rma_accumulate(k->w, k->target, &place, &a);
    return !k->class;
}

static bool run_of_elements(void *context, void *at, size_t bytes)
{
    struct work *k = context;
    const size_t size = k->basic->size;
    for (size_t i = 0; i < bytes && !k->class; i += size) {
        one_element(k, (char *)at + i);
        k->origin = k->origin ? k->origin + size : NULL;
        k->result = k->result ? k->result + size : NULL;
    }
    return !k->class;
}

/* Dynamic windows: what is attached has the target's addresses for displacements. */
static void by_elements(struct work *k)
{
    struct mpi_rma_side there = *k->a->remote;
    there.at = (char *)(uintptr_t)k->place->across - there.low;
    mpi_rma_runs(&there, run_of_elements, k);
}

/* -- all of it */

static bool has_instructions(const struct mpi_type *t)
{
    return t->contiguous && t->size <= 8 && !(t->size & (t->size - 1));
}

static bool fits_instructions(const struct work *k)
{
    return k->place->atomic && k->place->at && has_instructions(k->basic);
}

/* Long runs on both sides need no packed copy, unless elements are changed one by one. */
static bool goes_by_pairs(const struct work *k)
{
    if (!fits_instructions(k) || !has_origin(k) || k->a->result)
        return false;
    const struct mpi_rma_side there = mapped(k);
    return mpi_rma_pairs_well(&there, k->a->origin);
}

int mpi_rma_accumulate(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                       const struct mpi_rma_accumulate *a)
{
    struct work k = { .w = w, .target = target, .place = place, .a = a,
                      .basic = mpi_type_get(a->basic) };
    if (!a->remote->bytes)
        return MPI_SUCCESS;
    mpi_rma_explain_begin(w);
    k.change = mpi_rma_change_of(a->op, k.basic);
    k.loop = mpi_op_loop_get(a->op, k.basic->elem);
    k.paired = goes_by_pairs(&k);
    if (!k.paired && !streams(&k))
        k.class = MPI_ERR_NO_MEM;
    else if (fits_instructions(&k))
        by_instructions(&k);
    else if (unlikely(place->across) && has_instructions(k.basic))
        by_elements(&k);
    else if (!by_request(&k))
        all_busy(&k);
    streams_end(&k);
    mpi_rma_explain_end(w, target, a->result ? "fetch and accumulate" : "accumulate",
                        a->remote->bytes);
    return k.class;
}

/* -- compare and swap */

/* MPI_RMA_REFUSED: not possible, or the target is at work there. */
static int compare_by_request(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                              const struct mpi_rma_side *remote, const void *value,
                              const void *compare, void *result)
{
    const struct mpi_rma_ask_change c = { .op = MPI_REPLACE, .data = value, .compare = compare,
                                          .bytes = remote->bytes, .old = result };
    return mpi_rma_asks(w, target, place, false) ? mpi_rma_ask_change(w, target, place, &c)
           : MPI_RMA_REFUSED;
}

/* Under the word.  `result` is left alone by what fails. */
static int compare_alone(struct mpi_win *w, const struct mpi_rma_place *place,
                         const struct mpi_rma_side *remote, const void *value,
                         const void *compare, void *result)
{
    char old[16], copy[16];
    int class = mpi_rma_fetch(w, place, false, remote, old);
    memcpy(copy, value, remote->bytes);
    if (!class && !memcmp(old, compare, remote->bytes))
        class = mpi_rma_fetch(w, place, true, remote, copy);
    if (!class)
        memcpy(result, old, remote->bytes);
    return class;
}

static int compare_busy(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                        const struct mpi_rma_side *remote, const void *value,
                        const void *compare, void *result)
{
    mpi_rma_explain_begin(w);
    int class = mpi_rma_busy(w, target);
    if (!class) {
        class = compare_alone(w, place, remote, value, compare, result);
        int left = mpi_rma_idle(w, target);
        class = class ? class : left;
    }
    mpi_rma_explain_end(w, target, "compare and swap", remote->bytes);
    return class;
}

int mpi_rma_compare(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                    const struct mpi_rma_side *remote, const void *value, const void *compare,
                    void *result)
{
    if (!place->atomic || !place->at || !mpi_rma_element_fits(place->at, remote->bytes)) {
        int class = compare_by_request(w, target, place, remote, value, compare, result);
        return class != MPI_RMA_REFUSED ? class
               : compare_busy(w, target, place, remote, value, compare, result);
    }
    bool done;
    return mpi_rma_exchange_element(w, target, place->at, remote->bytes, value, compare, result,
                                    &done);
}
