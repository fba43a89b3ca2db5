/* A blocking collective in two levels: among the ranks of a machine by slots or through windows,
 * among the leaders of the machines by a schedule of their own.
 *
 * Who is no leader waits for its leader in a slot, where it sees nothing of other machines, neither
 * a loss nor that they call something else.  So what the leader hands on begins with how it went
 * with the others.  A leader that has no memory for its part ends the job, since those behind it
 * and the other leaders would wait for ever. */
#include "coll/two_level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/build.h"
#include "core/err.h"
#include "core/levels.h"

struct two_level {
    struct mpi_coll *x;
    const struct mpi_coll_plan *p;
    const struct mpi_levels *l;
    struct mpi_comm *c;         /* of this machine's ranks */
    int root;                   /* there: the leader */
    bool leads;
};

static const struct mpi_reduction nothing = { .unit = 1, .commutative = true };

bool mpi_coll_goes_by_two_levels(const struct mpi_coll_plan *p)
{
    return p->kind != MPI_COLL_GATHER && p->kind != MPI_COLL_SCATTER && mpi_build_has_levels(p);
}

/* -- on this machine */

/* False: not so, and nothing has happened. */
static bool run_in_memory(struct mpi_coll *near, const struct mpi_coll_plan *part)
{
    if (mpi_coll_goes_by_shm(part)) {
        mpi_coll_shm_run(near, part);
        return true;
    }
    return mpi_coll_fits_windows(part) && mpi_coll_windows_run(near, part);
}

static void run_near(struct two_level *t, struct mpi_coll_plan *part)
{
    struct mpi_coll *x = t->x, near;
    part->call = t->p->call;
    part->c = t->c;
    if (t->c->size == 1)
        return;
    near = *x;
    near.c = t->c;
    near.rank = t->c->rank;
    near.size = t->c->size;
    near.class = MPI_SUCCESS;
    if (!run_in_memory(&near, part))
        mpi_coll_run_schedule(x, part, false);
    else if (near.class && !x->class)
        x->class = near.class, x->why = near.why;
}

/* All of this machine have come. */
static void arrive(struct two_level *t)
{
    run_near(t, &(struct mpi_coll_plan){ .kind = MPI_COLL_REDUCE, .root = t->root, .r = &nothing });
}

static void bcast(struct two_level *t, void *data, size_t bytes)
{
    run_near(t, &(struct mpi_coll_plan){ .kind = MPI_COLL_BCAST, .root = t->root, .data = data,
                                         .bytes = bytes });
}

/* -- how it went with the other machines */

/* lost: 0, or a rank of the communicator that is lost, and 1; else class: of another error, whose
 * text follows. */
struct word { uint32_t lost; int32_t class; };

/* 0: none is. */
static uint32_t lost_rank(const struct two_level *t)
{
    const struct mpi_comm *c = t->x->c;
    for (int i = 0; t->x->lost && i < c->size; i++)
        if (nic_lost(mpi_nic, (unsigned)mpi_comm_world_rank(c, i)))
            return (uint32_t)i + 1;
    return 0;
}

static struct word how_it_went(const struct two_level *t)
{
    const uint32_t lost = lost_rank(t);
    return (struct word){ lost, lost ? MPI_SUCCESS : t->x->class };
}

static void hear_of_loss(struct two_level *t, uint32_t lost)
{
    struct mpi_comm *c = t->x->c;
    char text[MPI_WHY_BYTES];
    if (lost > (uint32_t)c->size || t->leads)
        return;
    int rank = mpi_comm_world_rank(c, (int)lost - 1);
    const char *why = nic_lost(mpi_nic, (unsigned)rank);
    snprintf(text, sizeof text, "rank %d on machine %u is lost, as rank %d has found", rank,
             nic_machine(mpi_nic, (unsigned)rank), t->c->world[t->root]);
    mpi_coll_fail(t->x, MPI_ERR_PROC_ABORTED, why ? why : text);
    t->x->lost = true;
}

/* What the leader's error says. */
static void hear_why(struct two_level *t, int class)
{
    char text[sizeof t->x->why.text] = "";
    if (t->leads)
        snprintf(text, sizeof text, "%s", t->x->why.text);
    bcast(t, text, sizeof text);
    mpi_coll_fail(t->x, class, text);
}

/* From the leader to its machine; short data travel with the word. */
static void release(struct two_level *t, void *data, size_t bytes)
{
    struct { struct word word; unsigned char data[FW_SHM_BYTES - sizeof(struct word)]; } all;
    const size_t head = sizeof all.word;
    const bool whole = bytes <= sizeof all.data;
    if (t->c->size == 1)
        return;
    all.word = how_it_went(t);
    if (whole && t->leads && bytes)
        memcpy(all.data, data, bytes);
    bcast(t, &all, whole ? head + bytes : head);
    if (all.word.lost)
        hear_of_loss(t, all.word.lost);
    else if (all.word.class)
        hear_why(t, all.word.class);
    else if (!whole)
        bcast(t, data, bytes);
    else if (!t->leads && bytes)
        memcpy(data, all.data, bytes);
}

/* -- kinds */

/* Whatever the communicator's handler is. */
static void look_at_memory(const struct two_level *t)
{
    const struct mpi_coll *x = t->x;
    if (x->class == MPI_ERR_NO_MEM)
        mpi_err_by(MPI_ERRORS_ARE_FATAL, t->p->call, x->class,
                   "%s at rank %d, for which its machine and others wait", x->why.text,
                   mpi_comm_world_rank(x->c, x->c->rank));
}

/* NULL is not returned. */
static void *leaders_memory(const struct two_level *t, size_t bytes)
{
    void *memory = mpi_coll_memory(t->x, bytes);
    look_at_memory(t);
    return memory;
}

/* p: with what the leader's machine gives in its data. */
static void among_leaders(struct two_level *t, const struct mpi_coll_plan *p)
{
    if (!t->leads || t->x->lost)
        return;
    mpi_coll_run_schedule(t->x, p, true);
    look_at_memory(t);
}

/* To data, at the leader. */
static void reduce_near(struct two_level *t, const void *from, void *data)
{
    const struct mpi_coll_plan *p = t->p;
    struct mpi_coll_plan part = { .kind = MPI_COLL_REDUCE, .root = t->root, .bytes = p->bytes,
                                  .r = p->r, .data = data, .from = from };
    if (t->leads && from) {
        memcpy(data, from, p->bytes);
        part.from = NULL;
    }
    run_near(t, &part);
}

static void reduce(struct two_level *t)
{
    struct mpi_coll_plan above = *t->p;
    bool aside = t->leads && t->p->from;        /* what a leader gives must stay as it is */
    if (aside)
        above.data = leaders_memory(t, t->p->bytes);
    above.from = NULL;
    reduce_near(t, t->p->from, t->leads ? above.data : t->p->data);
    among_leaders(t, &above);
    if (aside && !t->x->abandoned)
        free(above.data);
}

static void allreduce(struct two_level *t)
{
    reduce_near(t, NULL, t->p->data);
    among_leaders(t, t->p);
    release(t, t->p->data, t->p->bytes);
}

/* The blocks of this machine, one behind the other; at the leader they go where they belong. */
static void gather_near(struct two_level *t, char *pack)
{
    const struct mpi_coll_plan *p = t->p;
    const int *ranks = mpi_levels_ranks(t->l, t->l->machine);
    const struct mpi_blocks blocks = { .buf = pack, .count = p->bytes, .unit = 1, .last = -1 };
    run_near(t, &(struct mpi_coll_plan){ .kind = MPI_COLL_GATHER, .root = 0, .bytes = p->bytes,
                                         .from = mpi_block_at(p->recv, p->c->rank),
                                         .own_bytes = p->bytes, .recv = &blocks });
    for (int i = 1; t->leads && i < t->c->size; i++)
        if (p->bytes && mpi_block_at(p->recv, ranks[i]) != pack + p->bytes * (size_t)i)
            memcpy(mpi_block_at(p->recv, ranks[i]), pack + p->bytes * (size_t)i, p->bytes);
}

static void allgather(struct two_level *t)
{
    const struct mpi_coll_plan *p = t->p;
    int first = mpi_levels_ranks(t->l, t->l->machine)[0];
    bool aside = t->leads && !t->l->in_order;
    char *pack = aside ? leaders_memory(t, p->bytes * (size_t)t->c->size)
                 : mpi_block_at(p->recv, first);
    gather_near(t, pack);
    among_leaders(t, p);
    release(t, mpi_block_at(p->recv, 0), p->bytes * (size_t)p->c->size);
    if (aside)
        free(pack);
}

static bool has_root(enum mpi_coll_kind kind)
{
    return kind == MPI_COLL_BCAST || kind == MPI_COLL_REDUCE;
}

static void set_root(struct two_level *t)
{
    struct mpi_level_seat root = { t->l->machine, 0 };
    if (has_root(t->p->kind))
        root = mpi_levels_seat(t->l, t->p->root);
    t->root = root.machine == t->l->machine ? root.near : 0;
    t->leads = t->c->rank == t->root;
}

void mpi_coll_two_level_run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct mpi_levels *l = p->c->levels;
    struct two_level t = { .x = x, .p = p, .l = l, .c = &l->near };
    mpi_coll_set_fingerprint(x, p->kind, p->bytes, p->root);
    set_root(&t);
    mpi_fw_count_levels(mpi_fw);
    switch (p->kind) {
    case MPI_COLL_BARRIER:
        arrive(&t);
        among_leaders(&t, p);
        release(&t, NULL, 0);
        break;
    case MPI_COLL_BCAST:
        among_leaders(&t, p);
        release(&t, p->data, p->bytes);
        break;
    case MPI_COLL_REDUCE: reduce(&t); break;
    case MPI_COLL_ALLREDUCE: allreduce(&t); break;
    default: allgather(&t);             /* MPI_COLL_ALLGATHER */
    }
}
