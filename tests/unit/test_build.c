/* The schedules of broadcasts and reductions, for 1 to 17 ranks, each root, each way: executed
 * here step by step, with the ranks in random order, they give what they should, operands in the
 * order of ranks, and no data change while they travel. */
#include "coll/build.h"
#include "loop.h"
#include "../mpi/compose.h"

enum { RANKS_MOST = 17, COUNT_MOST = 9, MAIL_MOST = 64, TURNS_MOST = 100000 };

/* What is on its way from one rank to another; `from` is where a message still is, NULL for a
 * line. */
struct mail { size_t bytes; const void *from; unsigned char data[8 * COUNT_MOST]; };
static struct post {
    struct mail mail[MAIL_MOST];
    unsigned sent, taken;
} post[RANKS_MOST][RANKS_MOST];

struct member { struct fw_sched *s; unsigned at, begun; uint64_t value[COUNT_MOST]; };
static struct member member[RANKS_MOST];
static unsigned size;

/* -- the way that a case goes */

static const struct way { bool lines, crowded; const char *barrier; } ways[] = {
    { true, false, "pairwise" }, { false, false, "pairwise" }, { true, false, NULL }, { true, true, NULL },
    { false, true, NULL }, { true, false, "gather:1" },
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
    must(!m->from || !memcmp(m->from, m->data, m->bytes));      /* it is still there as it was sent */
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
    case FW_STEP_COMBINE: me->s->combine(me->s->context, t->from, t->to); break;
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
        mpi_fw_sched_delete(member[r].s);
    for (unsigned r = 0; r < size; r++)
        for (unsigned p = 0; p < size; p++)
            must(post[r][p].taken == post[r][p].sent);
}

/* -- cases */

static struct mpi_build begin(unsigned rank, const struct way *way)
{
    struct member *me = &member[rank];

    must((me->s = mpi_fw_sched_new("a test", 0, rank, NULL)));
    me->at = me->begun = 0;
    memset(post[rank], 0, sizeof post[rank]);
    return (struct mpi_build){ .s = me->s, .rank = (int)rank, .size = (int)size, .lines = way->lines,
                               .crowded = way->crowded };
}

static void compose_all(const void *context, const void *in, void *inout)
{
    const struct mpi_reduction *r = context;
    const uint64_t *a = in;
    uint64_t *b = inout;

    for (size_t i = 0; i < r->count; i++)
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
    return r->commutative ? (((uint64_t)1 << 3 * size) - 1) / 7 : compose_ranks(0, (int)size, (int)i);
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
                ck_abort_msg("%u ranks, root %d, way %d, %zu elements, commutative %d: wrong at rank %u",
                             size, root, (int)(way - ways), r->count, r->commutative, rank);
}

static void use_way(const struct way *way)
{
    if (way->barrier)
        setenv("MPILITE_BARRIER", way->barrier, 1);
    else
        unsetenv("MPILITE_BARRIER");
}

START_TEST(reductions)
{
    uint64_t random = 12345;

    use_way(&ways[_i]);
    for (size = 1; size <= RANKS_MOST; size++)
        for (int root = -1; root < (int)size; root++)
            for (unsigned k = 0; k < 4; k++) {
                const struct mpi_reduction r = { .unit = 8, .count = k % 2 ? COUNT_MOST : 1,
                                                 .commutative = k / 2 };
                reduce(&ways[_i], &r, root, &random);
            }
    unsetenv("MPILITE_BARRIER");
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

int main(void)
{
    Suite *suite = suite_create("build");
    TCase *tcase = tcase_create("build");

    tcase_add_loop_test(tcase, reductions, 0, WAYS);
    tcase_add_loop_test(tcase, broadcasts, 0, WAYS);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
