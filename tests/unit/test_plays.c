/* Schedules as they are built, for any number of ranks: played here step by step, with messages
 * that leave their sender only when they are received.  Barriers hold everybody, reductions keep
 * the order of ranks, trees are as quick as they can be. */
#include "coll/build.h"
#include "loop.h"
#include "coll/tree.h"
#include "coll/tuning.h"
#include "fw/multi.h"

enum { RANKS = 70, MESSAGES = 20000, COUNT_MOST = 16 };

struct affine { uint32_t a, b; };       /* x -> a x + b; composing them does not commute */

struct sent { int from, to; bool line, copied, taken; const void *data; size_t bytes;
              unsigned char kept[FW_STEP_BYTES]; };

static struct sent sent[MESSAGES];
static unsigned messages;

static struct player { struct fw_sched *s; bool started, done; uint32_t received;
                       struct affine value[COUNT_MOST]; } player[RANKS];
static int ranks;
static size_t count;                    /* elements of a reduction */
static bool commutes;

static void combine_some(const struct affine *in, struct affine *inout, size_t some)
{
    for (size_t i = 0; i < some; i++)
        inout[i] = commutes ? (struct affine){ in[i].a + inout[i].a, in[i].b + inout[i].b }
                            : (struct affine){ in[i].a * inout[i].a,
                                               in[i].a * inout[i].b + in[i].b };
}

static void combine(const struct affine *in, struct affine *inout)
{
    combine_some(in, inout, count);
}

/* -- playing */

static void post(int from, const struct fw_step *t)
{
    must(messages < MESSAGES && t->peer < (uint32_t)ranks);
    struct sent *m = &sent[messages++];
    *m = (struct sent){ .from = from, .to = (int)t->peer,
                        .line = t->kind == FW_STEP_PACKET, .data = t->from, .bytes = t->bytes };
    if (m->line && m->bytes)
        m->data = memcpy(m->kept, t->from, m->bytes);
}

static void post_to_all(int from, const struct fw_step *t)
{
    const struct fw_multi *m = t->to;
    must((int)m->count == ranks - 1);
    for (uint32_t i = 0; i < m->count; i++) {
        must(messages < MESSAGES && m->rank[i] < (unsigned)ranks && (int)m->rank[i] != from);
        struct sent *one = &sent[messages++];
        *one = (struct sent){ .from = from, .to = (int)m->rank[i], .line = m->packet,
                              .copied = true, .data = t->from, .bytes = t->bytes };
    }
}

static bool receive(int rank, const struct fw_step *t)
{
    for (unsigned i = 0; i < messages; i++) {
        struct sent *m = &sent[i];
        if (m->taken || m->from != (int)t->peer || m->to != rank)
            continue;
        must(m->line == (t->kind == FW_STEP_AWAIT) && m->bytes == t->bytes);
        if (m->bytes)
            memcpy(t->to, m->data, m->bytes);
        return m->taken = true;
    }
    return false;
}

static bool all_taken(int rank)
{
    for (unsigned i = 0; i < messages; i++)
        if (sent[i].from == rank && !sent[i].line && !sent[i].copied && !sent[i].taken)
            return false;
    return true;
}

/* All messages begun so far. */
static bool waited(int rank, struct player *p)
{
    for (; p->received < p->s->at; p->received++) {
        const struct fw_step *t = &p->s->step[p->received];
        if (t->kind == FW_STEP_RECV && !receive(rank, t))
            return false;
    }
    return all_taken(rank);
}

static bool do_step(int rank, struct player *p, const struct fw_step *t)
{
    switch (t->kind) {
    case FW_STEP_PACKET: case FW_STEP_SEND: post(rank, t); return true;
    case FW_STEP_MULTI: post_to_all(rank, t); return true;
    case FW_STEP_AWAIT: return receive(rank, t);
    case FW_STEP_RECV: return true;
    case FW_STEP_WAIT: return waited(rank, p);
    case FW_STEP_COMBINE: combine_some(t->from, t->to,
                                       t->bytes / sizeof(struct affine)); return true;
    default:
        must(t->kind == FW_STEP_COPY);
        memcpy(t->to, t->from, t->bytes);
        return true;
    }
}

static bool go_on(int rank)
{
    struct player *p = &player[rank];
    uint32_t before = p->s->at;
    if (!p->started || p->done)
        return false;
    while (p->s->at < p->s->steps && do_step(rank, p, &p->s->step[p->s->at]))
        p->s->at++;
    p->done = p->s->at == p->s->steps;
    must(!p->done || all_taken(rank));      /* whose memory is the user's again */
    return p->done || p->s->at != before;
}

static void play(void)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int r = 0; r < ranks; r++)
            moved |= go_on(r);
    }
}

/* All at once but one, which comes when the others cannot go on; the last rank to start is told
 * apart by `holds`. */
static void play_late(int late, bool holds)
{
    for (int r = 0; r < ranks; r++)
        player[r].started = r != late;
    play();
    for (int r = 0; r < ranks && holds; r++)
        must(!player[r].done);
    player[late].started = true;
    play();
    for (int r = 0; r < ranks; r++)
        must(player[r].done);
    for (unsigned i = 0; i < messages; i++)
        must(sent[i].taken);
}

/* -- building */

static const char *barrier;             /* which algorithm */

static struct mpi_build begin(int rank, int size, bool lines)
{
    struct player *p = &player[rank];
    *p = (struct player){ .s = mpi_fw_sched_new(NULL, "a test", 0, (uint32_t)rank, NULL) };
    for (size_t i = 0; i < COUNT_MOST; i++)
        p->value[i] = (struct affine){ 2 * (uint32_t)rank + 3, 7 * (uint32_t)rank + (uint32_t)i };
    ranks = size;
    messages = 0;
    return (struct mpi_build){ .s = p->s, .rank = rank, .size = size, .packets = lines,
                               .barrier = barrier };
}

static void end(void)
{
    for (int r = 0; r < ranks; r++)
        mpi_fw_sched_delete(NULL, player[r].s);
}

static const char *const ways[] = { "pairwise", "gather:1", "gather:2", "gather:3", "gather:4",
                                    "gather:64" };
enum { WAYS = sizeof ways / sizeof *ways };

static int next_size(int size)
{
    return size < 18 ? size + 1 : size < 33 ? 33 : size < 66 ? 66 : RANKS;
}

START_TEST(barriers)
{
    barrier = ways[_i];
    for (int size = 1; size < RANKS; size = next_size(size))
        for (int late = 0; late < size; late++) {
            for (int r = 0; r < size; r++) {
                struct mpi_build b = begin(r, size, late % 2);
                mpi_build_barrier(&b);
            }
            play_late(late, size > 1);
            end();
        }
    barrier = NULL;
}
END_TEST

START_TEST(broadcasts)
{
    for (int size = 1; size < RANKS; size = next_size(size))
        for (int root = 0; root < size; root++)
            for (count = 1; count <= COUNT_MOST; count += COUNT_MOST - 1) {
                for (int r = 0; r < size; r++) {
                    struct mpi_build b = begin(r, size, _i);
                    mpi_build_bcast(&b, player[r].value, count * sizeof(struct affine), root);
                }
                struct affine want[COUNT_MOST];
                memcpy(want, player[root].value, sizeof want);
                play_late((root * 5 + 1) % size, false);
                for (int r = 0; r < size; r++)
                    must(!memcmp(player[r].value, want, count * sizeof *want));
                end();
            }
}
END_TEST

/* By the NICs: a rank that is late holds up nobody. */
static void broadcast_past(int size, int root, size_t bytes, bool lines)
{
    static unsigned char data[RANKS][3 * MPI_BYPASS_BYTES];
    const int late = (root + 1) % size;
    for (int r = 0; r < size; r++) {
        struct mpi_build b = begin(r, size, lines);
        b.bypass = MPI_BYPASS_NIC;
        memset(data[r], r == root ? 0 : 1, bytes);
        for (size_t i = 0; r == root && i < bytes; i++)
            data[r][i] = (unsigned char)(i / 7 + (size_t)root);
        mpi_build_bcast(&b, data[r], bytes, root);
    }
    for (int r = 0; r < size; r++)
        player[r].started = r != late;
    play();
    for (int r = 0; r < size; r++)
        must(player[r].done == (r != late || size == 1));
    play_late(late, false);
    for (int r = 0; r < size; r++)
        must(!memcmp(data[r], data[root], bytes));
    end();
}

START_TEST(broadcasts_by_nics)
{
    static const size_t lengths[] = { 0, 1, 40, 41, MPI_BYPASS_BYTES, MPI_BYPASS_BYTES + 1,
                                      3 * MPI_BYPASS_BYTES };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int size = 3; size < RANKS; size = next_size(size))
            for (int root = 0; root < size; root += 1 + root / 5)
                broadcast_past(size, root, lengths[i], _i && lengths[i] <= FW_STEP_BYTES);
}
END_TEST

/* What all ranks in order come to. */
static void fold(struct affine *want)
{
    memcpy(want, player[ranks - 1].value, sizeof player->value);
    for (int r = ranks - 1; r--;)
        combine(player[r].value, want);
}

static struct mpi_reduction reduction(void)
{
    return (struct mpi_reduction){ .unit = sizeof(struct affine), .count = count,
                                   .commutative = commutes };
}

static void reduce_once(int size, int root, bool lines)
{
    struct affine want[COUNT_MOST];
    struct mpi_reduction r = reduction();
    for (int i = 0; i < size; i++) {
        struct mpi_build b = begin(i, size, lines);
        mpi_build_reduce(&b, player[i].value, &r, root);
    }
    fold(want);
    play_late((root + 2) % size, false);
    must(!memcmp(player[root].value, want, count * sizeof *want));
    end();
}

START_TEST(reductions)
{
    commutes = _i & 1;
    for (int size = 1; size < RANKS; size = next_size(size))
        for (int root = 0; root < size; root += 1 + root / 20)
            for (count = 1; count <= COUNT_MOST; count += COUNT_MOST - 1)
                reduce_once(size, root, _i & 2);
}
END_TEST

START_TEST(reductions_for_all)
{
    barrier = ways[_i / 4];
    commutes = _i & 1;
    for (int size = 1; size < RANKS; size = next_size(size))
        for (count = 1; count <= COUNT_MOST; count += COUNT_MOST - 1) {
            struct affine want[COUNT_MOST];
            struct mpi_reduction r = reduction();
            for (int i = 0; i < size; i++) {
                struct mpi_build b = begin(i, size, _i & 2);
                mpi_build_allreduce(&b, player[i].value, &r);
            }
            fold(want);
            play_late(size / 2, size > 1);
            for (int i = 0; i < size; i++)
                must(!memcmp(player[i].value, want, count * sizeof *want));
            end();
        }
    barrier = NULL;
}
END_TEST

/* When the last of so many ranks can have heard at the soonest: who has heard tells one more with
 * each unit of time. */
static int soonest(int size, int latency)
{
    int had[RANKS * 8] = { 0 };
    for (int now = 0;; now++) {
        had[now] = now < latency ? 1 : had[now - 1] + had[now - latency];
        if (had[now] >= size)
            return now;
    }
}

START_TEST(trees)
{
    for (int latency = 1; latency <= 5; latency++)
        for (int size = 1; size <= RANKS; size++) {
            const int *parent = mpi_tree_postal(size, latency);
            int heard[RANKS] = { 0 }, told[RANKS] = { 0 }, last = 0;
            must(parent[0] == -1);
            for (int i = 1; i < size; i++) {
                must(parent[i] >= 0 && parent[i] < i);
                heard[i] = heard[parent[i]] + told[parent[i]]++ + latency;
                last = heard[i] > last ? heard[i] : last;
            }
            ck_assert_int_eq(last, soonest(size, latency));
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("build");
    TCase *tcase = tcase_create("build");

    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, barriers, 0, WAYS);
    tcase_add_loop_test(tcase, broadcasts, 0, 2);
    tcase_add_loop_test(tcase, broadcasts_by_nics, 0, 2);
    tcase_add_loop_test(tcase, reductions, 0, 4);
    tcase_add_loop_test(tcase, reductions_for_all, 0, 4 * WAYS);
    tcase_add_test(tcase, trees);
    suite_add_tcase(suite, tcase);
    return suite_single(loop_run(suite));
}
