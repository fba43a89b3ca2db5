/* The schedules of all collectives, for 1 to 17 ranks, each root, each way: executed here step by
 * step, with the ranks in random order, they give what they should, operands in the order of ranks,
 * and no data change while they travel. */
#include "coll/build.h"
#include "coll/choice.h"
#include "coll/window_price.h"
#include "loop.h"
#include "../mpi/compose.h"

enum { RANKS_MOST = 17, COUNT_MOST = 9, MAIL_MOST = 40, MAIL_BYTES = 8 * 3 * RANKS_MOST,
       TURNS_MOST = 100000 };

/* What is on its way from one rank to another; `from` is where a message still is, NULL for a
 * step packet. */
struct mail { size_t bytes; const void *from; unsigned char data[MAIL_BYTES]; };
static struct post {
    struct mail mail[MAIL_MOST];
    unsigned sent, taken;
} post[RANKS_MOST][RANKS_MOST];

struct member { struct fw_sched *s; unsigned at, begun; uint64_t value[COUNT_MOST]; };
static struct member member[RANKS_MOST];
static unsigned size;

/* -- the way that a case goes */

static const struct way { bool packets, crowded; const char *barrier; } ways[] = {
    { true, false, "pairwise" }, { false, false, "pairwise" }, { true, false, NULL },
    { true, true, NULL }, { false, true, NULL }, { true, false, "gather:1" },
};
enum { WAYS = sizeof ways / sizeof *ways };

/* -- steps */

static void mail_out(unsigned rank, const struct fw_step *t)
{
    struct post *p = &post[rank][t->peer];
    struct mail *m = &p->mail[p->sent++];

    must(t->peer < size && p->sent < MAIL_MOST && t->bytes <= sizeof m->data);
    m->bytes = t->bytes;
    m->from = t->kind == FW_STEP_SEND ? t->from : NULL;
    if (t->bytes)
        memcpy(m->data, t->from, t->bytes);
}

static bool mail_in(unsigned rank, const struct fw_step *t)
{
    struct post *p = &post[t->peer][rank];
    const struct mail *m = &p->mail[p->taken];

    if (p->taken == p->sent)
        return false;
    must(m->bytes == t->bytes && (!m->from == (t->kind == FW_STEP_AWAIT)));
    must(!m->from || !memcmp(m->from, m->data, m->bytes));      /* still as it was sent */
    if (m->bytes)
        memcpy(t->to, m->data, m->bytes);
    p->taken++;
    return true;
}

/* All messages that were begun before it are over: received here, and taken by those they were
 * sent to. */
static bool wait_over(unsigned rank, struct member *me)
{
    for (; me->begun < me->at; me->begun++) {
        const struct fw_step *t = &me->s->step[me->begun];
        if (t->kind == FW_STEP_RECV && !mail_in(rank, t))
            return false;
    }
    for (unsigned peer = 0; peer < size; peer++)
        for (unsigned i = post[rank][peer].taken; i < post[rank][peer].sent; i++)
            if (post[rank][peer].mail[i].from)
                return false;
    return true;
}

/* False: it cannot be done yet. */
static bool do_step(unsigned rank)
{
    struct member *me = &member[rank];
    const struct fw_step *t = &me->s->step[me->at];
    bool done = true;

    switch (t->kind) {
    case FW_STEP_PACKET: case FW_STEP_SEND: mail_out(rank, t); break;
    case FW_STEP_AWAIT: done = mail_in(rank, t); break;
    case FW_STEP_WAIT: done = wait_over(rank, me); break;
    case FW_STEP_COMBINE: me->s->combine(me->s->context, t->from, t->to, t->bytes); break;
    case FW_STEP_COPY: memcpy(t->to, t->from, t->bytes); break;
    default: must(t->kind == FW_STEP_RECV);
    }
    me->at += done;
    return done;
}

static bool all_ended(void)
{
    for (unsigned r = 0; r < size; r++)
        if (member[r].at < member[r].s->steps)
            return false;
    return true;
}

static void run(uint64_t *random)
{
    for (unsigned turns = 0; !all_ended(); turns++) {
        unsigned r = loop_below(random, size);
        must(turns < TURNS_MOST);
        unsigned most = loop_below(random, 6);
        while (most-- && member[r].at < member[r].s->steps && do_step(r))
            ;
    }
    for (unsigned r = 0; r < size; r++)
        mpi_fw_sched_delete(NULL, member[r].s);
    for (unsigned r = 0; r < size; r++)
        for (unsigned p = 0; p < size; p++)
            must(post[r][p].taken == post[r][p].sent);
}

/* -- cases */

static struct mpi_build begin(unsigned rank, const struct way *way)
{
    struct member *me = &member[rank];

    must((me->s = mpi_fw_sched_new(NULL, "a test", 0, rank, NULL)));
    me->at = me->begun = 0;
    for (unsigned peer = 0; peer < size; peer++)
        post[rank][peer].sent = post[rank][peer].taken = 0;
    return (struct mpi_build){ .s = me->s, .rank = (int)rank, .size = (int)size,
                               .packets = way->packets, .crowded = way->crowded,
                               .bypass = way->crowded ? MPI_BYPASS_HOST : MPI_BYPASS_NONE,
                               .barrier = way->barrier };
}

static void compose_all(const void *context, const void *in, void *inout, size_t bytes)
{
    const struct mpi_reduction *r = context;
    const uint64_t *a = in;
    uint64_t *b = inout;

    for (size_t i = 0; i < bytes / 8; i++)
        b[i] = r->commutative ? a[i] + b[i] : compose_two(a[i], b[i]);
}

/* Where the order does not count: three bits for each rank, so that one which comes twice or
 * never shows. */
static uint64_t contribution(const struct mpi_reduction *r, unsigned rank, size_t i)
{
    return r->commutative ? (uint64_t)1 << 3 * rank : compose_value((int)rank, (int)i);
}

static uint64_t expected(const struct mpi_reduction *r, size_t i)
{
    if (r->commutative)
        return (((uint64_t)1 << 3 * size) - 1) / 7;
    return compose_ranks(0, (int)size, (int)i);
}

/* root -1: to all */
static void reduce(const struct way *way, const struct mpi_reduction *r, int root, uint64_t *random)
{
    for (unsigned rank = 0; rank < size; rank++) {
        struct mpi_build b = begin(rank, way);
        member[rank].s->combine = compose_all;
        member[rank].s->context = r;
        for (size_t i = 0; i < r->count; i++)
            member[rank].value[i] = contribution(r, rank, i);
        if (root < 0)
            mpi_build_allreduce(&b, member[rank].value, r);
        else
            mpi_build_reduce(&b, member[rank].value, r, root);
    }
    run(random);
    for (unsigned rank = 0; rank < size; rank++)
        for (size_t i = 0; i < r->count && (root < 0 || root == (int)rank); i++)
            if (member[rank].value[i] != expected(r, i))
                ck_abort_msg("%u ranks, root %d, way %d, %zu elements, commutative %d: "
                             "wrong at rank %u", size, root, (int)(way - ways), r->count,
                             r->commutative, rank);
}

START_TEST(reductions)
{
    uint64_t random = 12345;

    for (size = 1; size <= RANKS_MOST; size++)
        for (int root = -1; root < (int)size; root++)
            for (unsigned k = 0; k < 4; k++) {
                const struct mpi_reduction r = { .unit = 8, .count = k % 2 ? COUNT_MOST : 1,
                                                 .commutative = k / 2 };
                reduce(&ways[_i], &r, root, &random);
            }
}
END_TEST

START_TEST(broadcasts)
{
    uint64_t random = 54321;

    for (size = 1; size <= RANKS_MOST; size++)
        for (unsigned root = 0; root < size; root++)
            for (size_t count = 1; count <= COUNT_MOST; count += COUNT_MOST - 1) {
                for (unsigned rank = 0; rank < size; rank++) {
                    struct mpi_build b = begin(rank, &ways[_i]);
                    memset(member[rank].value, rank == root ? 77 : 0, sizeof member[rank].value);
                    mpi_build_bcast(&b, member[rank].value, 8 * count, (int)root);
                }
                run(&random);
                for (unsigned rank = 0; rank < size; rank++)
                    must(!memcmp(member[rank].value, member[root].value, 8 * count));
            }
}
END_TEST

/* -- blocks.  Rank i's has two elements, or i % 3 of them at places with gaps, the last first. */

enum { PLACE = 3, ROOM = PLACE * RANKS_MOST };

static struct { uint64_t in[ROOM], out[ROOM]; int displs[RANKS_MOST]; } at[RANKS_MOST];
static int counts[RANKS_MOST];

static struct mpi_blocks blocks(unsigned rank, uint64_t *buf, bool vector)
{
    for (unsigned i = 0; i < size; i++) {
        counts[i] = (int)i % 3;
        at[rank].displs[i] = (int)(PLACE * (size - 1 - i));
    }
    return (struct mpi_blocks){ .buf = buf, .counts = { vector ? counts : NULL, false },
                                .displs = { vector ? at[rank].displs : NULL, false }, .count = 2,
                                .unit = 8 };
}

/* Element k of what `from` gives to `to`. */
static uint64_t element(unsigned from, unsigned to, unsigned k)
{
    return 10000 * from + 100 * to + k + 1;
}

static void fill(const struct mpi_blocks *b, unsigned from, unsigned to)
{
    uint64_t *block = (uint64_t *)mpi_block_at(b, (int)to);
    for (unsigned k = 0; k < mpi_block_bytes(b, (int)to) / 8; k++)
        block[k] = element(from, to, k);
}

static void expect(const struct mpi_blocks *b, unsigned i, unsigned from, unsigned to)
{
    const uint64_t *block = (const uint64_t *)mpi_block_at(b, (int)i);
    for (unsigned k = 0; k < mpi_block_bytes(b, (int)i) / 8; k++)
        if (block[k] != element(from, to, k))
            ck_abort_msg("%u ranks: element %u of %u's block for %u is %llu", size, k, from, to,
                         (unsigned long long)block[k]);
}

/* Nothing was written but blocks: the gaps are as they were. */
static void expect_gaps(const struct mpi_blocks *b, const uint64_t *buf)
{
    for (unsigned i = 0; i < ROOM; i++) {
        bool used = false;
        for (unsigned r = 0; r < size; r++) {
            size_t begin = (size_t)mpi_block_offset(b, (int)r) / 8;
            used |= i >= begin && i < begin + mpi_block_bytes(b, (int)r) / 8;
        }
        must(used || buf[i] == 0);
    }
}

static void clear(void)
{
    memset(at, 0, sizeof at);
}

static void scatter_and_gather(const struct way *way, unsigned root, bool vector, uint64_t *random)
{
    struct mpi_blocks many;
    clear();
    for (unsigned r = 0; r < size; r++) {
        struct mpi_build b = begin(r, way);
        struct mpi_blocks all = blocks(r, at[r].in, vector);
        for (unsigned to = 0; to < size && r == root; to++)
            fill(&all, root, to);
        mpi_build_scatter(&b, &all, at[r].out, mpi_block_bytes(&all, (int)r), (int)root);
    }
    run(random);
    for (unsigned r = 0; r < size; r++) {
        struct mpi_build b = begin(r, way);
        many = blocks(r, at[r].in, vector);
        if (r == root)
            memset(at[r].in, 0, sizeof at[r].in);
        mpi_build_gather(&b, at[r].out, mpi_block_bytes(&many, (int)r), &many, (int)root);
    }
    run(random);
    many = blocks(root, at[root].in, vector);
    for (unsigned r = 0; r < size; r++)
        expect(&many, r, root, r);
    expect_gaps(&many, at[root].in);
}

START_TEST(parts)
{
    uint64_t random = 777;

    for (size = 1; size <= RANKS_MOST; size++)
        for (unsigned root = 0; root < size; root++)
            scatter_and_gather(&ways[_i / 2], root, _i % 2, &random);
}
END_TEST

START_TEST(all_blocks)
{
    uint64_t random = 888;

    for (size = 1; size <= RANKS_MOST; size++) {
        struct mpi_blocks b[RANKS_MOST];
        clear();
        for (unsigned r = 0; r < size; r++) {
            struct mpi_build build = begin(r, &ways[_i / 2]);
            b[r] = blocks(r, at[r].in, _i % 2);
            fill(&b[r], r, r);
            mpi_build_allgather(&build, &b[r]);
        }
        run(&random);
        for (unsigned r = 0; r < size; r++) {
            for (unsigned from = 0; from < size; from++)
                expect(&b[r], from, from, from);
            expect_gaps(&b[r], at[r].in);
        }
    }
}
END_TEST

/* What rank i gives to rank j has as many elements as what j gives to i: in place it must. */
static int matrix[RANKS_MOST][RANKS_MOST];

static struct mpi_blocks row(unsigned rank, uint64_t *buf, bool vector)
{
    struct mpi_blocks b = blocks(rank, buf, vector);
    for (unsigned i = 0; i < size; i++)
        matrix[rank][i] = (int)(rank + i) % 3;
    b.counts.array = vector ? matrix[rank] : NULL;
    return b;
}

START_TEST(exchanges)
{
    bool vector = _i % 2, in_place = _i / 2;
    uint64_t random = 999;

    for (size = 1; size <= RANKS_MOST; size++) {
        struct mpi_blocks send[RANKS_MOST], recv[RANKS_MOST];
        clear();
        for (unsigned r = 0; r < size; r++) {
            struct mpi_build b = begin(r, &ways[1]);
            recv[r] = row(r, at[r].out, vector);
            send[r] = row(r, in_place ? at[r].out : at[r].in, vector);
            for (unsigned to = 0; to < size; to++)
                fill(&send[r], r, to);
            mpi_build_alltoall(&b, in_place ? NULL : &send[r], &recv[r]);
        }
        run(&random);
        for (unsigned r = 0; r < size; r++) {
            for (unsigned from = 0; from < size; from++)
                expect(&recv[r], from, from, r);
            expect_gaps(&recv[r], at[r].out);
        }
    }
}
END_TEST

/* -- prefixes, and reductions to parts */

static struct mpi_reduction reduction(size_t count, bool commutes)
{
    return (struct mpi_reduction){ .unit = 8, .count = count, .commutative = commutes };
}

static void expect_prefix(unsigned rank, size_t count, bool inclusive)
{
    int ranks = (int)rank + inclusive;
    for (size_t i = 0; i < count && ranks; i++)
        must(at[rank].out[i] == compose_ranks(0, ranks, (int)i));
    must(ranks || !at[rank].out[0]);
}

START_TEST(prefixes)
{
    bool inclusive = _i % 2;
    uint64_t random = 111;

    for (size = 1; size <= RANKS_MOST; size++)
        for (size_t count = 1; count <= COUNT_MOST; count += COUNT_MOST - 1) {
            struct mpi_reduction r = reduction(count, false);
            clear();
            for (unsigned rank = 0; rank < size; rank++) {
                struct mpi_build b = begin(rank, &ways[_i / 2]);
                member[rank].s->combine = compose_all;
                member[rank].s->context = &r;
                for (size_t i = 0; i < count; i++)
                    at[rank].in[i] = compose_value((int)rank, (int)i);
                mpi_build_scan(&b, at[rank].in, at[rank].out, &r, inclusive);
            }
            run(&random);
            for (unsigned rank = 0; rank < size; rank++)
                expect_prefix(rank, count, inclusive);
        }
}
END_TEST

static size_t build_parts(unsigned rank, const struct way *way, const struct mpi_blocks *block,
                          const struct mpi_reduction *r)
{
    struct mpi_build b = begin(rank, way);
    member[rank].s->combine = compose_all;
    member[rank].s->context = r;
    for (size_t i = 0; i < r->count; i++)
        at[rank].in[i] = contribution(r, rank, i);
    mpi_build_reduce_scatter(&b, at[rank].in, at[rank].out, block, r);
    return mpi_block_bytes(block, (int)rank) / 8;
}

START_TEST(reductions_to_parts)
{
    bool vector = _i % 2, commutes = _i / 2 % 2;
    uint64_t random = 222;

    for (size = 1; size <= RANKS_MOST; size++) {
        struct mpi_blocks block = blocks(0, NULL, vector);
        struct mpi_reduction r = reduction(0, commutes);
        size_t length[RANKS_MOST], first = 0;
        clear();
        for (unsigned i = 0; i < size; i++)
            r.count += mpi_block_bytes(&block, (int)i) / 8;
        for (unsigned rank = 0; rank < size; rank++)
            length[rank] = build_parts(rank, &ways[1 + _i / 4], &block, &r);
        run(&random);
        for (unsigned rank = 0; rank < size; first += length[rank++]) {
            for (size_t i = 0; i < length[rank]; i++)
                must(at[rank].out[i] == expected(&r, first + i));
            must(at[rank].out[length[rank]] == 0);
        }
    }
}
END_TEST

/* -- which go through windows */

START_TEST(windows)
{
    for (enum mpi_coll_kind kind = MPI_COLL_BARRIER; kind < MPI_COLL_SCAN; kind++)
        for (int ranks = 2; ranks <= 256; ranks *= 2)
            must(mpi_window_pays(kind, ranks > 4, ranks, 512)
                 == (kind == MPI_COLL_ALLTOALL && ranks > 4));
    must(!mpi_window_pays(MPI_COLL_GATHER, false, 2, 4 << 20));
    must(!mpi_window_pays(MPI_COLL_GATHER, true, 4, (256 << 10) - 1));
    must(!mpi_window_pays(MPI_COLL_GATHER, true, 4, 32768));
    must(mpi_window_pays(MPI_COLL_GATHER, false, 3, 32768));
    must(mpi_window_pays(MPI_COLL_ALLREDUCE, true, 8, (size_t)1 << 50));
    must(mpi_window_pays(MPI_COLL_ALLTOALL, false, 8, 1 << 30));
    must(!mpi_window_pays(MPI_COLL_ALLTOALL, true, 8, 0));
    for (int ranks = 3; ranks <= 256; ranks++) {
        must(mpi_window_pays(MPI_COLL_ALLTOALL, true, ranks, 1));
        must(mpi_window_pays(MPI_COLL_ALLTOALL, true, ranks, 32767));
        must(mpi_window_pays(MPI_COLL_ALLTOALL, true, ranks, 32768) == (ranks < 46));
    }
    must(mpi_window_pays(MPI_COLL_ALLTOALL, true, 4, (4 << 20) - 1));
    must(!mpi_window_pays(MPI_COLL_ALLTOALL, true, 4, 4 << 20));
    must(!mpi_window_pays(MPI_COLL_SCATTER, true, 4, 256 << 10));
    must(mpi_window_is_dear(1400, 1000));
    must(!mpi_window_is_dear(1500, 1000));
    must(mpi_window_pays(MPI_COLL_SCATTER, false, 5, 1 << 20));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("build");
    TCase *tcase = tcase_create("build");

    tcase_add_loop_test(tcase, reductions, 0, WAYS);
    tcase_add_loop_test(tcase, broadcasts, 0, WAYS);
    tcase_add_loop_test(tcase, parts, 0, 2 * WAYS);
    tcase_add_loop_test(tcase, all_blocks, 0, 2 * WAYS);
    tcase_add_loop_test(tcase, exchanges, 0, 4);
    tcase_add_loop_test(tcase, prefixes, 0, 2 * WAYS);
    tcase_add_loop_test(tcase, reductions_to_parts, 0, 8);
    tcase_add_test(tcase, windows);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
