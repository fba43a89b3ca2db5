/* Short collectives by slots, driven by hand: the window, and what each kind gives. */
#include <stdatomic.h>

#include "core/nic.h"
#include "ranks.h"
#include "fw/shm_info.h"

enum { MEMBERS = 3, OVER = FW_SHM_WINDOW + 5 };

static struct fw_shm_coll *slots[MEMBERS];

static void open_slots(void)
{
    ranks_start(MEMBERS);
    for (unsigned r = 0; r < MEMBERS; r++) {
        must(mpi_fw_shm_coll_areas(at[r].fw) & 2);
        slots[r] = mpi_fw_shm_coll_new(at[r].fw, 1, 100, r, MEMBERS, NULL);
        must(slots[r]);
    }
}

static void close_slots(void)
{
    for (unsigned r = 0; r < MEMBERS; r++) {
        must(!(mpi_fw_shm_coll_areas(at[r].fw) & 2));
        mpi_fw_shm_coll_retire(at[r].fw, slots[r], NULL);
    }
    for (unsigned r = 0; r < MEMBERS; r++)
        must(mpi_fw_shm_coll_areas(at[r].fw) & 2);     /* all is finished: free again */
    ranks_end(0);
}

static void begin(unsigned rank, struct fw_shm_op *op, enum fw_shm_kind kind, uint64_t *value,
                  unsigned root)
{
    uint32_t bytes = kind == FW_SHM_BARRIER ? 0 : 8;
    struct fw_shm_data d = { .in = value, .out = value, .row = bytes, .part = bytes };
    uint64_t info = fw_shm_info(kind, bytes, bytes ? root : 0, 0, 0);
    op->data = d;
    mpi_fw_shm_begin(slots[rank], op, info, NULL, NULL);
}

/* A root runs ahead as far as the window, no further; what
 * the last of the others has finished opens it. */
START_TEST(the_window)
{
    static struct fw_shm_op op[MEMBERS][OVER];
    static uint64_t value[MEMBERS][OVER];

    open_slots();
    for (unsigned i = 0; i < OVER; i++) {
        value[0][i] = 500 + i;
        begin(0, &op[0][i], FW_SHM_BCAST, &value[0][i], 0);
        must(mpi_fw_shm_advance(at[0].fw, &op[0][i]) == (i < FW_SHM_WINDOW));
    }
    for (unsigned r = 1; r < MEMBERS; r++)
        for (unsigned i = 0; i < OVER; i++) {
            begin(r, &op[r][i], FW_SHM_BCAST, &value[r][i], 0);
            must(mpi_fw_shm_ready(&op[r][i]) == (i < FW_SHM_WINDOW) || i >= FW_SHM_WINDOW);
            must(mpi_fw_shm_advance(at[r].fw, &op[r][i]) == (i < FW_SHM_WINDOW));
            /* not before the last has come so far */
            must(r == MEMBERS - 1 || !mpi_fw_shm_advance(at[0].fw, &op[0][FW_SHM_WINDOW]));
        }
    must(mpi_fw_shm_ready(&op[0][FW_SHM_WINDOW]));
    for (unsigned i = FW_SHM_WINDOW; i < OVER; i++) {
        must(mpi_fw_shm_advance(at[0].fw, &op[0][i]));
        for (unsigned r = 1; r < MEMBERS; r++)
            must(mpi_fw_shm_advance(at[r].fw, &op[r][i]));
    }
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i < OVER; i++)
            ck_assert_uint_eq(value[r][i], 500 + i);
    close_slots();
}
END_TEST

/* A finished operation; whether that would have woken the host of rank 0. */
static bool rings_the_root(unsigned rank, struct fw_shm_op *op)
{
    struct nic_public *root = at[0].nic->own;
    uint32_t bell = atomic_load(&root->doorbell);
    atomic_fetch_or(&root->attention, NIC_PARKED);
    must(mpi_fw_shm_advance(at[rank].fw, op));
    atomic_fetch_and(&root->attention, ~(uint32_t)NIC_PARKED);
    return atomic_load(&root->doorbell) != bell;
}

/* Who is awaited rings when it comes on, also where it was but one operation behind. */
START_TEST(the_window_awaited)
{
    enum { COUNT = FW_SHM_WINDOW + 1 };
    static struct fw_shm_op op[MEMBERS][COUNT];
    uint64_t value[MEMBERS] = { 7 };

    open_slots();
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i < COUNT; i++)
            begin(r, &op[r][i], FW_SHM_BCAST, &value[r], 0);
    for (unsigned i = 0; i < COUNT; i++)
        must(mpi_fw_shm_advance(at[0].fw, &op[0][i]) == (i < COUNT - 1));
    for (unsigned r = 1; r < MEMBERS; r++)
        for (unsigned i = 0; i < COUNT - 1; i++) {
            must(rings_the_root(r, &op[r][i]) == (i == FW_SHM_GRAIN - 1));
            if (i == FW_SHM_GRAIN - 1)
                must(mpi_fw_shm_advance(at[0].fw, &op[0][COUNT - 1]) == (r == MEMBERS - 1));
        }
    for (unsigned r = 1; r < MEMBERS; r++)
        must(mpi_fw_shm_advance(at[r].fw, &op[r][COUNT - 1]));
    close_slots();
}
END_TEST

/* Who is awaited rings once.  Where that is not enough, and who waits was not asleep yet, it may
 * not fall asleep now: it has to ask again. */
START_TEST(the_window_asked_again)
{
    enum { RINGS = 3, COUNT = FW_SHM_WINDOW + RINGS * FW_SHM_GRAIN };
    static struct fw_shm_op op[MEMBERS][COUNT];
    uint64_t value[MEMBERS] = { 7 };
    struct fw_shm_op *last = &op[0][COUNT - 1];

    open_slots();
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i < COUNT; i++)
            begin(r, &op[r][i], FW_SHM_BCAST, &value[r], 0);
    for (unsigned i = 0; i < FW_SHM_WINDOW; i++)
        must(mpi_fw_shm_advance(at[0].fw, &op[0][i]) && mpi_fw_shm_advance(at[2].fw, &op[2][i]));
    for (unsigned i = 0; i < RINGS * FW_SHM_GRAIN; i++) {
        if (i % FW_SHM_GRAIN == 0) {
            must(mpi_fw_shm_ready(last));
            must(!mpi_fw_shm_advance(at[0].fw, last));
        }
        must(!mpi_fw_shm_ready(last));
        must(mpi_fw_shm_advance(at[1].fw, &op[1][i]));
    }
    must(mpi_fw_shm_ready(last) && mpi_fw_shm_advance(at[0].fw, last));
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i < COUNT; i++)
            must(op[r][i].finished || mpi_fw_shm_advance(at[r].fw, &op[r][i]));
    close_slots();
}
END_TEST

static void add(const void *context, const void *in, void *inout, size_t bytes)
{
    (void)context;
    must(bytes == 8);
    *(uint64_t *)inout += *(const uint64_t *)in;
}

/* What a rank learns from an operation that all took part in is how far the slowest of them has
 * come, and no more: rank 1 gives its part while it has yet to read the first broadcast, whose
 * place the root must not write again.  Its part tells that to who reads all parts, where each has
 * a core; else the result does. */
START_TEST(the_window_learned)
{
    static struct fw_shm_op op[MEMBERS][FW_SHM_WINDOW + 1];
    static uint64_t value[MEMBERS][FW_SHM_WINDOW + 1];
    enum { SUM = FW_SHM_WINDOW - 1, NEXT };

    setenv("NICEMU_CROWDED", _i ? "yes" : "no", 1);
    open_slots();
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i <= NEXT; i++) {
            value[r][i] = r ? 7 : 500 + i;
            begin(r, &op[r][i], i == SUM ? FW_SHM_ALLREDUCE : FW_SHM_BCAST, &value[r][i], 0);
            op[r][i].combine = add;
        }
    for (unsigned i = 0; i < SUM; i++)
        must(mpi_fw_shm_advance(at[0].fw, &op[0][i]));
    must(!mpi_fw_shm_advance(at[0].fw, &op[0][SUM]));
    must(!mpi_fw_shm_advance(at[1].fw, &op[1][SUM]));
    for (unsigned i = 0; i <= SUM; i++)
        must(mpi_fw_shm_advance(at[2].fw, &op[2][i]));
    must(mpi_fw_shm_advance(at[0].fw, &op[0][SUM]));
    for (unsigned i = 0; i < FW_SHM_GRAIN; i++) {
        must(!mpi_fw_shm_advance(at[0].fw, &op[0][NEXT]));
        must(mpi_fw_shm_advance(at[1].fw, &op[1][i]) && value[1][i] == 500 + i);
    }
    must(mpi_fw_shm_advance(at[0].fw, &op[0][NEXT]));
    for (unsigned i = FW_SHM_GRAIN; i <= NEXT; i++)
        must(mpi_fw_shm_advance(at[1].fw, &op[1][i]));
    must(mpi_fw_shm_advance(at[2].fw, &op[2][NEXT]) && value[2][NEXT] == 500 + NEXT);
    for (unsigned r = 0; r < MEMBERS; r++)
        ck_assert_uint_eq(value[r][SUM], 500 + SUM + 2 * 7);
    close_slots();
    unsetenv("NICEMU_CROWDED");
}
END_TEST

/* Many wait for the window at once and are looked at in any order, while the others come on
 * unevenly: nothing is overwritten that somebody has not read. */
START_TEST(many_wait_for_the_window)
{
    enum { MANY = 400 };
    static struct fw_shm_op op[MEMBERS][MANY];
    static uint64_t value[MEMBERS][MANY];
    unsigned next[MEMBERS] = { 0 };
    uint64_t state = 88172645463325252u + (uint64_t)_i;

    open_slots();
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i < MANY; i++) {
            value[r][i] = r ? 0 : 7000 + i;
            begin(r, &op[r][i], FW_SHM_BCAST, &value[r][i], 0);
        }
    for (unsigned turns = 0; next[1] < MANY || next[2] < MANY; turns++) {
        must(turns < TURNS_MAX);
        unsigned r = 1 + loop_below(&state, MEMBERS - 1);
        for (unsigned n = loop_below(&state, 2 * FW_SHM_WINDOW); n && next[r] < MANY
             && mpi_fw_shm_advance(at[r].fw, &op[r][next[r]]); n--)
            next[r]++;
        /* the newest first, as the list of schedules has them */
        for (unsigned i = MANY; i--;)
            if (!op[0][i].finished)
                mpi_fw_shm_advance(at[0].fw, &op[0][i]);
    }
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned i = 0; i < MANY; i++)
            must(op[r][i].finished && value[r][i] == 7000 + i);
    close_slots();
}
END_TEST

/* Several under way, ended in the opposite order: the oldest
 * holds the window, not the number of open ones. */
START_TEST(out_of_order)
{
    static struct fw_shm_op op[MEMBERS][4];
    static uint64_t value[MEMBERS][4];

    open_slots();
    for (unsigned i = 0; i < 4; i++)
        begin(0, &op[0][i], i % 2 ? FW_SHM_BARRIER : FW_SHM_REDUCE, &value[0][i], 1);
    for (unsigned i = 0; i < 4; i++)
        /* a leaf of a reduction has nothing to wait for */
        must(mpi_fw_shm_advance(at[0].fw, &op[0][i]) == (i % 2 == 0));
    for (unsigned r = 1; r < MEMBERS; r++)
        for (unsigned i = 0; i < 4; i++) {
            /* disagree on the even ones */
            begin(r, &op[r][i], i % 2 ? FW_SHM_BARRIER : FW_SHM_BCAST, &value[r][i], 0);
            mpi_fw_shm_advance(at[r].fw, &op[r][i]);
        }
    for (unsigned i = 4; i--;)
        for (unsigned r = MEMBERS; r--;)
            must(op[r][i].finished || mpi_fw_shm_advance(at[r].fw, &op[r][i]));
    for (unsigned r = 1; r < MEMBERS; r++) {
        struct fw_shm_call one, other;
        must(op[r][0].mismatch && !op[r][1].mismatch);
        mpi_fw_shm_blame(&op[r][0], &one, &other);
        ck_assert_uint_eq(one.rank, r);
        ck_assert_int_eq(one.kind, FW_SHM_BCAST);
        ck_assert_uint_eq(other.rank, 0);
        ck_assert_int_eq(other.kind, FW_SHM_REDUCE);
        ck_assert_uint_eq(other.root, 1);
        ck_assert_uint_eq(other.bytes, 8);
    }
    close_slots();
}
END_TEST

/* -- all kinds by slots, against what they are to give */

enum { ALL_OPS = 150, BLOCK_MOST = FW_SHM_WIDE_BYTES / MEMBERS / 8, PART_MOST = FW_SHM_BYTES / 8 };

/* What all ranks know of an operation.  vector: of rows whose lengths differ; idle: its root looks
 * into none. */
struct any_call { enum fw_shm_kind kind; uint32_t words, root; bool vector, idle; };

/* An operation and its data at one rank; words. */
struct any_op {
    struct fw_shm_vector vector;            /* the first member */
    struct fw_shm_op op;
    struct any_call call;
    unsigned rank, number;
    uint64_t in[MEMBERS * BLOCK_MOST], out[MEMBERS * BLOCK_MOST];
};

static uint64_t word_of(unsigned rank, unsigned number, unsigned i)
{
    return rank * 1000003u + number * 1009u + i * 7u + 1;
}

/* in op inout, from lower ranks to higher ones, in an order that can be seen. */
static void chain(const void *context, const void *in, void *inout, size_t bytes)
{
    const uint64_t *lower = in;
    uint64_t *higher = inout;
    (void)context;
    for (size_t i = 0; i < bytes / 8; i++)
        higher[i] = lower[i] * 31 + higher[i];
}

/* Word i of the rows of the ranks below `end`, combined. */
static uint64_t chained(unsigned end, unsigned number, unsigned i)
{
    uint64_t sum = word_of(0, number, i);
    for (unsigned r = 1; r < end; r++)
        sum = sum * 31 + word_of(r, number, i);
    return sum;
}

/* How many words a rank gives to one of rows whose lengths differ. */
static unsigned given(const struct any_call *c, unsigned rank, unsigned number)
{
    return (rank * 5 + number * 3) % (c->words + 1);
}

static void lay(const struct fw_shm_vector *vector, unsigned char *row)
{
    const struct any_op *o = (const struct any_op *)(const void *)vector;
    uint64_t words = given(&o->call, o->rank, o->number);
    memcpy(row, &words, sizeof words);
    memcpy(row + sizeof words, o->in, words * 8);
}

static void take(struct fw_shm_vector *vector, uint32_t rank, const unsigned char *row)
{
    struct any_op *o = (struct any_op *)(void *)vector;
    uint64_t words;
    memcpy(&words, row, sizeof words);
    must(words == given(&o->call, rank, o->number) && rank != o->rank);
    must(mpi_fw_shm_row(&o->op, rank) == row);
    memcpy(o->out + rank * o->call.words, row + sizeof words, words * 8);
}

static bool has_rows(enum fw_shm_kind kind)
{
    return kind == FW_SHM_SCATTER || kind == FW_SHM_ALLTOALL || kind == FW_SHM_REDUCE_SCATTER;
}

static bool gets_all(enum fw_shm_kind kind)
{
    return kind == FW_SHM_GATHER || kind == FW_SHM_ALLGATHER || kind == FW_SHM_ALLTOALL
           || kind == FW_SHM_GATHERV;
}

static void begin_any(unsigned rank, struct any_op *o, const struct any_call *c, unsigned number)
{
    bool rows = has_rows(c->kind), leaf = rank != c->root;
    uint32_t words = c->words, row = rows ? words * MEMBERS : words;
    struct fw_shm_data d = { .in = o->in, .out = o->out, .row = 8 * row, .part = 8 * words,
                             .at = rows ? 8 * words * rank : 0 };
    for (unsigned i = 0; i < MEMBERS * BLOCK_MOST; i++) {
        o->in[i] = word_of(rank, number, i);
        o->out[i] = 0;
    }
    if (c->kind == FW_SHM_ALLGATHER && !c->vector) {        /* in place */
        memcpy(o->out + rank * words, o->in, 8 * words);
        d.in = o->out + rank * words;
    }
    if (c->kind == FW_SHM_GATHER && !leaf) {
        memcpy(o->out + rank * words, o->in, 8 * words);
        d.in = NULL;
    }
    bool root = c->kind == FW_SHM_GATHERV && !leaf;
    o->vector = (struct fw_shm_vector){ lay, take, c->kind == FW_SHM_ALLGATHER
                                                   || (root && !c->idle) };
    if (c->vector)
        d = (struct fw_shm_data){ .row = 8 * (words + 1), .part = 1 };
    o->call = *c;
    o->rank = rank;
    o->number = number;
    o->op.vector = c->vector ? &o->vector : NULL;
    o->op.data = d;
    mpi_fw_shm_begin(slots[rank], &o->op, fw_shm_info(c->kind, 8 * words, c->root, 0, number),
                     chain, NULL);
}

/* What word i of the result is to be; 0: as it was. */
static uint64_t expected_of(unsigned rank, const struct any_call *c, unsigned number, unsigned i)
{
    bool root = rank == c->root;
    unsigned w = c->words;
    if (i >= (gets_all(c->kind) ? MEMBERS * w : w))
        return 0;
    if (c->vector && (i / w == rank || i % w >= given(c, i / w, number)))
        return 0;
    switch (c->kind) {
    case FW_SHM_ALLREDUCE: return chained(MEMBERS, number, i);
    case FW_SHM_REDUCE: return root ? chained(MEMBERS, number, i) : 0;
    case FW_SHM_BCAST: return root ? 0 : word_of(c->root, number, i);
    case FW_SHM_SCATTER: return root ? 0 : word_of(c->root, number, rank * w + i);
    case FW_SHM_GATHERV: return root && !c->idle ? word_of(i / w, number, i % w) : 0;
    case FW_SHM_GATHER: return root ? word_of(i / w, number, i % w) : 0;
    case FW_SHM_ALLGATHER: return word_of(i / w, number, i % w);
    case FW_SHM_ALLTOALL: return word_of(i / w, number, rank * w + i % w);
    case FW_SHM_REDUCE_SCATTER: return chained(MEMBERS, number, rank * w + i);
    case FW_SHM_SCAN:
        return rank || c->root != FW_SHM_EXCLUSIVE
               ? chained(rank + (c->root != FW_SHM_EXCLUSIVE), number, i) : 0;
    default: return 0;
    }
}

/* Many of all kinds, wide ones among them, under way at once, come on in any order: each rank gets
 * what it is to get, and nothing that somebody has not read is written over. */
START_TEST(all_kinds)
{
    static struct any_op op[MEMBERS][ALL_OPS];
    static struct any_call call[ALL_OPS];
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    unsigned begun[MEMBERS] = { 0 }, left = MEMBERS * ALL_OPS;

    setenv("NICEMU_CROWDED", _i % 2 ? "yes" : "no", 1);
    open_slots();
    for (unsigned i = 0; i < ALL_OPS; i++) {
        enum fw_shm_kind kind = (enum fw_shm_kind)(1 + loop_below(&state, FW_SHM_KIND_COUNT - 1));
        bool rooted = kind == FW_SHM_REDUCE || kind == FW_SHM_BCAST || kind == FW_SHM_GATHER
                      || kind == FW_SHM_SCATTER || kind == FW_SHM_GATHERV;
        unsigned most = kind == FW_SHM_SCAN ? PART_MOST
                        : has_rows(kind) || gets_all(kind) ? BLOCK_MOST : MEMBERS * BLOCK_MOST;
        call[i].kind = kind;
        call[i].vector = kind == FW_SHM_GATHERV
                         || (kind == FW_SHM_ALLGATHER && loop_below(&state, 2));
        call[i].idle = loop_below(&state, 2);
        most -= call[i].vector;
        call[i].words = kind == FW_SHM_BARRIER ? 0 : (unsigned)loop_below(&state, most + 1);
        call[i].root = rooted ? (unsigned)loop_below(&state, MEMBERS)
                              : kind == FW_SHM_SCAN ? (unsigned)loop_below(&state, 2) : 0;
    }
    for (unsigned turns = 0; left; turns++) {
        must(turns < TURNS_MAX);
        unsigned r = (unsigned)loop_below(&state, MEMBERS);
        for (unsigned n = loop_below(&state, FW_SHM_WINDOW); n && begun[r] < ALL_OPS; n--) {
            begin_any(r, &op[r][begun[r]], &call[begun[r]], begun[r]);
            begun[r]++;
        }
        for (unsigned i = begun[r]; i--;) {
            struct fw_shm_op *o = &op[r][i].op;
            bool worth = !o->finished && (!o->put || mpi_fw_shm_ready(o));
            if (o->held && loop_below(&state, 2)) {
                mpi_fw_shm_leave(at[r].fw, o);
                left--;
            } else if (worth && mpi_fw_shm_advance(at[r].fw, o) && !o->held) {
                left--;
            }
        }
    }
    for (unsigned r = 0; r < MEMBERS; r++)
        for (unsigned n = 0; n < ALL_OPS; n++) {
            must(!op[r][n].op.mismatch);
            for (unsigned i = 0; i < MEMBERS * BLOCK_MOST; i++)
                if (op[r][n].out[i] != expected_of(r, &call[n], n, i))
                    ck_abort_msg("rank %u, operation %u of kind %d: word %u of %u", r, n,
                                 call[n].kind, i, call[n].words);
        }
    close_slots();
    unsetenv("NICEMU_CROWDED");
}
END_TEST

/* Who waits for messages sees who has called something by stores in place of that. */
START_TEST(called_instead)
{
    static struct fw_shm_op op[MEMBERS];
    struct fw_shm_call other;
    uint64_t value[MEMBERS] = { 0 };
    struct fw_shm_data d = { .in = &value[1], .out = &value[1], .row = 8, .part = 8 };

    open_slots();
    must(!mpi_fw_shm_instead(slots[0], 5, 0, &other));
    op[1].data = d;
    mpi_fw_shm_begin(slots[1], &op[1], fw_shm_info(FW_SHM_GATHER, 8, 0, 0, 5), NULL, NULL);
    must(mpi_fw_shm_advance(at[1].fw, &op[1]));
    must(!mpi_fw_shm_instead(slots[0], 4, 0, &other));     /* it has run ahead */
    must(mpi_fw_shm_instead(slots[0], 5, 0, &other));
    ck_assert_int_eq(other.kind, FW_SHM_GATHER);
    ck_assert_uint_eq(other.rank, 1);
    ck_assert_uint_eq(other.bytes, 8);
    op[0].data = d;
    mpi_fw_shm_begin(slots[0], &op[0], fw_shm_info(FW_SHM_GATHER, 8, 0, 0, 5), NULL, NULL);
    must(!mpi_fw_shm_instead(slots[0], 5, 0, &other));  /* that is its own */
    op[1].data = d;
    mpi_fw_shm_begin(slots[1], &op[1], fw_shm_info(FW_SHM_GATHER, 8, 0, 3, 6), NULL, NULL);
    must(mpi_fw_shm_advance(at[1].fw, &op[1]));
    must(mpi_fw_shm_instead(slots[0], 6, 4, &other));
    ck_assert_uint_eq(other.part, 3);
    must(!mpi_fw_shm_instead(slots[0], 6, 3, &other));  /* a part of the same, further on */
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slots");
    TCase *tc = tcase_create("slots");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, the_window);
    tcase_add_test(tc, the_window_awaited);
    tcase_add_test(tc, the_window_asked_again);
    tcase_add_loop_test(tc, the_window_learned, 0, 2);
    tcase_add_loop_test(tc, many_wait_for_the_window, 0, 20);
    tcase_add_test(tc, out_of_order);
    tcase_add_loop_test(tc, all_kinds, 0, 40);
    tcase_add_test(tc, called_instead);
    suite_add_tcase(suite, tc);
    return loop_run(suite);
}
