/* Allgatherv and gatherv that block, of short blocks, by slots (fw/shm_coll.h).
 *
 * Of an allgatherv all ranks know all lengths.  Of a gatherv they do not, so each pair decides for
 * its own: a block that fits into a row lies there, a longer one goes by a message, which both ends
 * find alike where their counts agree.  A word before each block says which, and how long it is.
 *
 * A gatherv goes so past the cores only, with more ranks than a few, to a root that stays.  Time
 * over that by messages, 8 bytes, 1 and 8 KiB, 2 cores: 4 ranks 1.16, 1.16, 1.01, 8 ranks 0.94,
 * 1.16, 0.32, 16 ranks 0.61, 1.03, 0.37, 32 ranks 0.56, 0.47, 0.46; to each root in turn 16 ranks
 * 0.97, 1.32, 1.02.  With a core for each rank long blocks would lose a fifth at 1 KiB.  An
 * alltoallv, with a row for each rank in which each other has a place, gains a fifth of the time of
 * short blocks and loses a tenth of that of long ones; so it goes by messages. */
#include <string.h>

#include "coll/coll.h"

/* What stands before a block: its bytes, or that it comes by a message. */
static const uint64_t BY_MESSAGE = UINT64_MAX;
enum { WORD = sizeof BY_MESSAGE };

/* From so many ranks on a gatherv goes so. */
enum { GATHER_RANKS = 7 };

static bool is_root(const struct mpi_coll_plan *p) { return p->c->rank == p->root; }

static bool is_gather(const struct mpi_coll_plan *p) { return p->kind == MPI_COLL_GATHERV; }

/* What this rank gives. */
static struct mpi_own_block given(const struct mpi_coll_plan *p)
{
    int rank = p->c->rank;
    if (is_gather(p))
        return (struct mpi_own_block){ (void *)(uintptr_t)p->from, p->own_bytes };
    return (struct mpi_own_block){ mpi_block_at(p->recv, rank), mpi_block_bytes(p->recv, rank) };
}

/* -- rows */

static struct mpi_coll_vector *vector_of(const struct fw_shm_vector *shm)
{
    return (struct mpi_coll_vector *)(uintptr_t)shm;        /* the first member */
}

static uint64_t word_of(const unsigned char *row)
{
    uint64_t word;
    memcpy(&word, row, sizeof word);
    return word;
}

static void lay(const struct fw_shm_vector *shm, unsigned char *row)
{
    const struct mpi_coll_vector *v = vector_of(shm);
    struct mpi_own_block b = given(v->p);
    bool fits = b.bytes <= v->room;
    uint64_t word = fits ? b.bytes : BY_MESSAGE;
    memcpy(row, &word, sizeof word);
    if (fits && b.bytes)
        memcpy(row + WORD, b.at, b.bytes);
}

static void take(struct fw_shm_vector *shm, uint32_t rank, const unsigned char *row)
{
    struct mpi_coll_vector *v = vector_of(shm);
    size_t expects = mpi_block_bytes(v->p->recv, (int)rank);
    uint64_t bytes = word_of(row);
    if (bytes == BY_MESSAGE) {
        v->messages = true;
        return;
    }
    if (unlikely(bytes != expects))
        mpi_coll_fail_length(v->x, (int)rank, bytes, v->x->rank, expects);
    bytes = bytes < expects ? bytes : expects;
    bytes = bytes < v->room ? bytes : v->room;
    if (bytes)
        memcpy(mpi_block_at(v->p->recv, (int)rank), row + WORD, bytes);
}

/* -- what goes by messages, of a gatherv */

/* To the root.  Where all that comes does so, no row has been looked at. */
static bool comes_by_message(const struct mpi_coll_vector *v, int rank)
{
    if (!v->shm.takes)
        return mpi_block_bytes(v->p->recv, rank) > v->room;
    const unsigned char *row = mpi_fw_shm_row(v->op, (uint32_t)rank);
    return row && word_of(row) == BY_MESSAGE;
}

static void move_long(struct mpi_coll_vector *v)
{
    if (!v->messages)
        return;
    struct mpi_coll_plan rest = *v->p;
    rest.vector = v;
    mpi_coll_run_schedule(v->x, &rest, false);
}

/* Of a root that has not looked: of a rank whose block should come by a message. */
static bool has_in_row(const struct mpi_coll_vector *v, int rank, uint64_t *bytes)
{
    const unsigned char *row = rank == v->x->rank ? NULL : mpi_fw_shm_row(v->op, (uint32_t)rank);
    *bytes = row ? word_of(row) : BY_MESSAGE;
    return *bytes != BY_MESSAGE;
}

static bool disagrees(struct mpi_coll_vector *v)
{
    struct mpi_coll *x = v->x;
    uint64_t bytes;
    if (!v->op)
        return false;
    if (mpi_fw_shm_odd(v->op)) {
        if (!x->class)
            x->class = mpi_coll_mismatch(v->op, x->why.text, sizeof x->why.text);
        return true;
    }
    for (int i = 0; i < x->size && is_root(v->p) && !v->shm.takes; i++)
        if (has_in_row(v, i, &bytes)) {
            mpi_coll_fail_length(x, i, bytes, x->rank, mpi_block_bytes(v->p->recv, i));
            return true;
        }
    return false;
}

/* -- */

/* Looks at the blocks that this rank is to get.  True: one at least fits into a row. */
static bool look_at_blocks(const struct mpi_coll_plan *p, size_t room, size_t *most)
{
    bool some = false;
    *most = 0;
    for (int i = 0; i < p->c->size; i++) {
        size_t bytes = i == p->c->rank && is_gather(p) ? 0 : mpi_block_bytes(p->recv, i);
        some = some || (i != p->c->rank && bytes <= room);
        *most = bytes > *most ? bytes : *most;
    }
    return some;
}

/* False: a block is too long, as all ranks find.  Such travel better from rank to rank. */
static bool set_allgather(struct mpi_coll_vector *v)
{
    size_t most;
    look_at_blocks(v->p, 0, &most);
    v->room = (most <= FW_SHM_BYTES - WORD ? FW_SHM_BYTES : FW_SHM_WIDE_BYTES) - WORD;
    v->shm.takes = true;
    return most <= v->room;
}

/* The root's own block need not travel. */
static void set_gather(struct mpi_coll_vector *v)
{
    const struct mpi_coll_plan *p = v->p;
    size_t most = p->own_bytes;
    v->room = FW_SHM_BYTES - WORD;
    if (is_root(p)) {
        v->shm.takes = look_at_blocks(p, v->room, &most);
        char *to = mpi_block_at(p->recv, p->root);
        size_t bytes = mpi_block_bytes(p->recv, p->root);
        bytes = bytes < p->own_bytes ? bytes : p->own_bytes;
        if (p->from && to && bytes && to != p->from)
            memcpy(to, p->from, bytes);
    }
    v->messages = most > v->room;
    v->before = !is_root(p) && most <= mpi_fw_eager_max(mpi_fw);
}

static bool goes_so(const struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    if (!p->c->shm || p->form != MPI_COLL_BLOCKING || mpi_fingerprint_kind(x->match))
        return false;
    if (p->kind == MPI_COLL_ALLGATHER)
        return p->root > 0 && p->root < MPI_COLL_NEIGHBOR;
    return is_gather(p) && nic_oversubscribed(mpi_nic) && p->c->size >= GATHER_RANKS
           && !p->root_moves;
}

bool mpi_coll_vector_run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    if (!goes_so(x, p))
        return false;
    struct mpi_coll_vector v = { .shm = { .lay = lay, .take = take }, .x = x, .p = p,
                                 .comes = comes_by_message, .move_long = move_long,
                                 .disagrees = disagrees };
    if (is_gather(p))
        set_gather(&v);
    else if (!set_allgather(&v))
        return false;
    mpi_coll_shm_run_vector(x, &v);
    return true;
}
