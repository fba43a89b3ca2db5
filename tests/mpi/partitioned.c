/* Partitioned communication: parts that are ready travel while others are not, different divisions
 * at both ends, rounds, order of matching apart from other messages, threads, gaps, addresses in
 * datatypes, errors. */
#include <limits.h>
#include <pthread.h>

#include "t.h"

enum { TAG = 7 };

static int part_value(int from, int round, int i) { return from * 1000003 + round * 1009 + i; }

static void fill(int *data, int count, int round)
{
    for (int i = 0; i < count; i++)
        data[i] = part_value(t_rank, round, i);
}

static void check(const int *data, int from, int to, int round)
{
    for (int i = from; i < to; i++)
        SAME(data[i], part_value(t_prev(), round, i));
}

static void init_both(int *out, int parts_out, int *in, int parts_in, int total, MPI_Request r[2])
{
    OK(MPI_Psend_init(out, parts_out, total / parts_out, MPI_INT, t_next(), TAG, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init_c(in, parts_in, total / parts_in, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &r[1]));
}

static void ready_all(int partitions, int how, uint32_t *seed, MPI_Request r)
{
    int *list = t_ints((size_t)partitions), half = partitions / 2;
    for (int i = 0; i < partitions; i++)
        list[i] = i;
    for (int i = partitions - 1; i > 0; i--) {      /* any order */
        int j = (int)(t_random(seed) % (uint32_t)(i + 1)), other = list[j];
        list[j] = list[i];
        list[i] = other;
    }
    if (how % 3 == 0) {
        for (int i = 0; i < partitions; i++)
            OK(MPI_Pready(list[i], r));
    } else if (how % 3 == 1) {
        OK(MPI_Pready_list(partitions, list, r));
    } else {
        OK(MPI_Pready_range(half, partitions - 1, r));
        if (half)
            OK(MPI_Pready_range(0, half - 1, r));
    }
    free(list);
}

static void rounds(int parts_out, int parts_in, int total)
{
    int *out = t_ints((size_t)total), *in = t_ints((size_t)total), n;
    uint32_t seed = (uint32_t)(t_rank * 77 + total + parts_in);
    MPI_Request r[2];
    MPI_Status s[2];
    init_both(out, parts_out, in, parts_in, total, r);
    for (int round = 0; round < 4; round++) {
        fill(out, total, round);
        memset(in, -1, (size_t)total * sizeof *in);
        OK(MPI_Start(&r[round % 2]));
        OK(MPI_Start(&r[1 - round % 2]));
        ready_all(parts_out, round, &seed, r[0]);
        OK(MPI_Waitall(2, r, s));
        check(in, 0, total, round);
        SAME(s[1].MPI_SOURCE, t_prev());
        SAME(s[1].MPI_TAG, TAG);
        OK(MPI_Get_count(&s[1], MPI_INT, &n));
        SAME(n, total);
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    CHECK(r[0] == MPI_REQUEST_NULL);
    free(out);
    free(in);
}

/* What is ready arrives before the rest is. */
static void early(int each)
{
    enum { PARTS = 6 };
    int total = PARTS * each, *out = t_ints((size_t)total), *in = t_ints((size_t)total), flag;
    MPI_Request r[2];
    init_both(out, PARTS, in, PARTS / 2, total, r);
    OK(MPI_Parrived(r[1], 0, &flag));       /* inactive */
    SAME(flag, 1);
    for (int round = 0; round < 2; round++) {
        fill(out, total, round);
        OK(MPI_Startall(2, r));
        OK(MPI_Parrived(r[1], 1, &flag));
        SAME(flag, 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Pready(3, r[0]));
        OK(MPI_Pready(2, r[0]));
        OK(MPI_Pready(5, r[0]));
        for (flag = 0; !flag;)
            OK(MPI_Parrived(r[1], 1, &flag));
        check(in, total / 3, 2 * total / 3, round);
        OK(MPI_Parrived(r[1], 0, &flag));
        SAME(flag, 0);
        OK(MPI_Parrived(r[1], 2, &flag));
        SAME(flag, 0);
        OK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Pready_range(0, 1, r[0]));
        OK(MPI_Pready(4, r[0]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        check(in, 0, total, round);
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    free(out);
    free(in);
}

/* However many others there are, one that is ready travels by itself. */
static void early_of_many(void)
{
    enum { PARTS = 700, ONE = PARTS / 2 };
    int *out = t_ints(PARTS), *in = t_ints(PARTS), flag;
    MPI_Request r[2];
    init_both(out, PARTS, in, PARTS, PARTS, r);
    fill(out, PARTS, 0);
    OK(MPI_Startall(2, r));
    OK(MPI_Pready(ONE, r[0]));
    for (flag = 0; !flag;)
        OK(MPI_Parrived(r[1], ONE, &flag));
    check(in, ONE, ONE + 1, 0);
    for (int i = ONE - 1; i <= ONE + 1; i += 2) {
        OK(MPI_Parrived(r[1], i, &flag));
        SAME(flag, 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Pready_range(0, ONE - 1, r[0]));
    OK(MPI_Pready_range(ONE + 1, PARTS - 1, r[0]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    check(in, 0, PARTS, 0);
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    free(out);
    free(in);
}

/* Two with the same tag match in the order in which they are made, whatever order they start in;
 * messages and wildcards of the same tag are none of theirs. */
static void apart(void)
{
    int out[2][4], in[2][4], message = t_rank, got = -1, flag;
    MPI_Request s[2], r[2], any;
    MPI_Status status;
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Psend_init(out[i], 2, 2, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &s[i]));
        OK(MPI_Precv_init(in[i], 4, 1, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &r[i]));
        for (int j = 0; j < 4; j++)
            out[i][j] = t_rank * 100 + i * 10 + j;
    }
    OK(MPI_Start(&s[1]));
    OK(MPI_Start(&r[1]));
    OK(MPI_Pready_range(0, 1, s[1]));
    OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
    OK(MPI_Start(&r[0]));
    OK(MPI_Start(&s[0]));
    OK(MPI_Pready_range(0, 1, s[0]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            SAME(in[i][j], t_prev() * 100 + i * 10 + j);
    OK(MPI_Waitall(2, s, MPI_STATUSES_IGNORE));
    OK(MPI_Test(&any, &flag, &status));
    SAME(flag, 0);
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    SAME(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&message, 1, MPI_INT, t_next(), TAG, MPI_COMM_WORLD));
    OK(MPI_Wait(&any, &status));
    SAME(got, t_prev());
    for (int i = 0; i < 2; i++) {
        OK(MPI_Request_free(&s[i]));
        OK(MPI_Request_free(&r[i]));
    }
}

/* The receiver's end comes long after the sender's parts are ready. */
static void late_receiver(void)
{
    int out[3] = { t_rank, t_rank + 1, t_rank + 2 }, in[3], flag;
    MPI_Request s, r;
    OK(MPI_Psend_init(out, 3, 1, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &s));
    OK(MPI_Start(&s));
    OK(MPI_Pready_range(0, 2, s));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Test(&s, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Precv_init(in, 1, 3, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    OK(MPI_Start(&r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3; i++)
        SAME(in[i], t_prev() + i);
    if (!flag)
        OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&s));
    OK(MPI_Request_free(&r));
}

/* Requests whose numbers are alike in their low bits, under way at once. */
static void far_numbers(void)
{
    enum { APART = 1 << 11, PAIRS = 2 };
    int out[PAIRS] = { t_rank, t_rank + 1000 }, in[PAIRS] = { -1, -1 }, flag;
    MPI_Request s[PAIRS], r[PAIRS], between;
    for (int i = 0; i < PAIRS; i++) {
        OK(MPI_Precv_init(&in[i], 1, 1, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &r[i]));
        OK(MPI_Psend_init(&out[i], 1, 1, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &s[i]));
        for (int k = 2; i == 0 && k < APART; k++) {
            OK(MPI_Psend_init(&flag, 1, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                              MPI_INFO_NULL, &between));
            OK(MPI_Request_free(&between));
        }
    }
    for (int round = 0; round < 2; round++) {       /* then the other one's data come first */
        out[0] += round;
        out[1] += round;
        OK(MPI_Startall(PAIRS, r));
        OK(MPI_Startall(PAIRS, s));
        for (int i = 0; i < PAIRS; i++)
            OK(MPI_Pready(0, s[round ? PAIRS - 1 - i : i]));
        OK(MPI_Waitall(PAIRS, s, MPI_STATUSES_IGNORE));
        OK(MPI_Waitall(PAIRS, r, MPI_STATUSES_IGNORE));
        for (int i = 0; i < PAIRS; i++)
            SAME(in[i], t_prev() + 1000 * i + round);
    }
    for (int i = 0; i < PAIRS; i++) {
        OK(MPI_Request_free(&s[i]));
        OK(MPI_Request_free(&r[i]));
    }
}

/* Every second int at the receiver, every third at the sender. */
static void gaps(int parts_out, int parts_in, int total)
{
    int each_out = total / parts_out, each_in = total / parts_in;
    int *out = t_ints(3 * (size_t)total), *in = t_ints(2 * (size_t)total);
    MPI_Datatype third, second;
    MPI_Request r[2];
    OK(MPI_Type_create_resized(MPI_INT, 0, 12, &third));
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &second));
    OK(MPI_Type_commit(&third));
    OK(MPI_Type_commit(&second));
    OK(MPI_Psend_init(out, parts_out, each_out, third, t_next(), TAG, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(in, parts_in, each_in, second, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    OK(MPI_Type_free(&third));
    OK(MPI_Type_free(&second));
    for (int round = 0; round < 2; round++) {
        uint32_t seed = 5;
        for (int i = 0; i < total; i++)
            out[3 * i] = part_value(t_rank, round, i);
        OK(MPI_Startall(2, r));
        ready_all(parts_out, round, &seed, r[0]);
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        for (int i = 0; i < total; i++) {
            SAME(in[2 * i], part_value(t_prev(), round, i));
            SAME(in[2 * i + 1], -1);
        }
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    free(out);
    free(in);
}

/* Fewer ints than there is room for, which is every second: what gets none stays as it was. */
static void short_of_room(void)
{
    enum { PARTS_OUT = 3, EACH_OUT = 2, SENT = PARTS_OUT * EACH_OUT, PARTS_IN = 4, EACH_IN = 4 };
    int out[SENT], in[2 * PARTS_IN * EACH_IN], n;
    MPI_Datatype second;
    MPI_Request r[2];
    MPI_Status s[2];
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &second));
    OK(MPI_Type_commit(&second));
    OK(MPI_Psend_init(out, PARTS_OUT, EACH_OUT, MPI_INT, t_next(), TAG, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(in, PARTS_IN, EACH_IN, second, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    OK(MPI_Type_free(&second));
    for (int round = 0; round < 2; round++) {
        fill(out, SENT, round);
        memset(in, -1, sizeof in);
        OK(MPI_Startall(2, r));
        for (int i = PARTS_OUT - 1; i >= 0; i--)
            OK(MPI_Pready(i, r[0]));
        OK(MPI_Waitall(2, r, s));
        OK(MPI_Get_count(&s[1], MPI_INT, &n));
        SAME(n, SENT);
        for (int i = 0; i < PARTS_IN * EACH_IN; i++) {
            SAME(in[2 * i], i < SENT ? part_value(t_prev(), round, i) : -1);
            SAME(in[2 * i + 1], -1);
        }
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}

/* Addresses in the datatypes of both ends: each partition goes and comes from its own place. */
static void bottom(void)
{
    enum { PARTS = 4, EACH = 3 };
    int data[2][PARTS * EACH];
    MPI_Datatype type[2];
    MPI_Request r[2];
    for (int i = 0; i < 2; i++) {
        MPI_Aint at;
        MPI_Datatype block;
        OK(MPI_Get_address(data[i], &at));
        OK(MPI_Type_create_hindexed(1, (const int[]){ EACH }, &at, MPI_INT, &block));
        OK(MPI_Type_create_resized(block, 0, EACH * (MPI_Aint)sizeof(int), &type[i]));
        OK(MPI_Type_commit(&type[i]));
        OK(MPI_Type_free(&block));
    }
    OK(MPI_Psend_init(MPI_BOTTOM, PARTS, 1, type[0], t_next(), TAG, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(MPI_BOTTOM, PARTS, 1, type[1], t_prev(), TAG, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[1]));
    fill(data[0], PARTS * EACH, 0);
    memset(data[1], -1, sizeof data[1]);
    OK(MPI_Startall(2, r));
    OK(MPI_Pready_range(0, PARTS - 1, r[0]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    check(data[1], 0, PARTS * EACH, 0);
    for (int i = 0; i < 2; i++) {
        OK(MPI_Request_free(&r[i]));
        OK(MPI_Type_free(&type[i]));
    }
}

/* Blocks of ints, as many between them, of which messages begin and end anywhere within. */
static void blocks(int parts_out, int parts_in, int block, int total)
{
    enum { BLOCKS = 5 };
    int each_in = total / parts_in / (BLOCKS * block), there = 0;
    int *out = t_ints((size_t)total), *in = t_ints(2 * (size_t)total);
    MPI_Datatype inner, type;
    MPI_Request r[2];
    OK(MPI_Type_vector(BLOCKS, block, 2 * block, MPI_INT, &inner));
    OK(MPI_Type_create_resized(inner, 0, (MPI_Aint)sizeof(int) * 2 * BLOCKS * block, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_free(&inner));
    OK(MPI_Psend_init(out, parts_out, total / parts_out, MPI_INT, t_next(), TAG, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(in, parts_in, each_in, type, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    for (int round = 0; round < 2; round++) {
        uint32_t seed = 7;
        fill(out, total, round);
        OK(MPI_Startall(2, r));
        ready_all(parts_out, round, &seed, r[0]);
        OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
        while (!there)
            OK(MPI_Parrived(r[1], parts_in - 1, &there));
        for (int i = total - total / parts_in; i < total; i++)
            SAME(in[i / block * 2 * block + i % block], part_value(t_prev(), round, i));
        OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
        for (int i = 0; i < total; i++) {
            int at = i / block * 2 * block + i % block;
            SAME(in[at], part_value(t_prev(), round, i));
            SAME(in[at + block], -1);
        }
        there = 0;
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    OK(MPI_Type_free(&type));
    free(out);
    free(in);
}

static void nothing(void)
{
    int flag;
    MPI_Request r[4];
    MPI_Status s[4];
    OK(MPI_Psend_init(NULL, 3, 0, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(NULL, 2, 0, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    OK(MPI_Psend_init(&flag, 2, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[2]));
    OK(MPI_Precv_init(&flag, 2, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[3]));
    for (int round = 0; round < 2; round++) {
        OK(MPI_Startall(4, r));
        OK(MPI_Pready_range(0, 1, r[0]));
        OK(MPI_Parrived(r[1], 0, &flag));
        SAME(flag, 0);
        OK(MPI_Parrived(r[3], 1, &flag));   /* from nobody: all is there at once */
        SAME(flag, 1);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Pready(2, r[0]));
        OK(MPI_Pready(0, r[2]));
        OK(MPI_Waitall(4, r, s));
        SAME(s[3].MPI_SOURCE, MPI_PROC_NULL);
        SAME(s[1].MPI_SOURCE, t_prev());
    }
    for (int i = 0; i < 4; i++)
        OK(MPI_Request_free(&r[i]));
}

/* -- threads, each with partitions of its own */

enum { THREADS = 3, EACH = 40, PER = 100 };

static struct { MPI_Request send, receive; int *in; int round; } shared;

static void *worker(void *argument)
{
    int t = *(int *)argument;
    for (int i = 0; i < EACH; i++)
        OK(MPI_Pready(t * EACH + i, shared.send));
    for (int i = EACH - 1; i >= 0; i--) {
        int flag = 0, at = t * EACH + i;
        while (!flag)
            OK(MPI_Parrived(shared.receive, at, &flag));
        check(shared.in, at * PER, (at + 1) * PER, shared.round);
    }
    return NULL;
}

static void threads(void)
{
    int total = THREADS * EACH * PER, *out = t_ints((size_t)total), number[THREADS];
    MPI_Request r[2];
    shared.in = t_ints((size_t)total);
    init_both(out, THREADS * EACH, shared.in, THREADS * EACH, total, r);
    shared.send = r[0];
    shared.receive = r[1];
    for (shared.round = 0; shared.round < 3; shared.round++) {
        pthread_t thread[THREADS];
        fill(out, total, shared.round);
        OK(MPI_Startall(2, r));
        for (int i = 0; i < THREADS; i++) {
            number[i] = i;
            CHECK(pthread_create(&thread[i], NULL, worker, &number[i]) == 0);
        }
        OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
        for (int i = 0; i < THREADS; i++)
            CHECK(pthread_join(thread[i], NULL) == 0);
        OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
        check(shared.in, 0, total, shared.round);
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    free(out);
    free(shared.in);
}

/* -- errors */

static void errors(void)
{
    int out[4] = {0}, in[4], flag, list[2] = { 1, 9 };
    MPI_Request s, r, other;
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Info n = MPI_INFO_NULL;
    CLASS(MPI_Psend_init(out, -1, 1, MPI_INT, t_next(), TAG, w, n, &s), MPI_ERR_ARG);
    CLASS(MPI_Psend_init(out, 2, -1, MPI_INT, t_next(), TAG, w, n, &s), MPI_ERR_COUNT);
    CLASS(MPI_Psend_init(out, 2, 1, MPI_INT, t_size, TAG, w, n, &s), MPI_ERR_RANK);
    CLASS(MPI_Precv_init(in, 2, 1, MPI_INT, MPI_ANY_SOURCE, TAG, w, n, &r), MPI_ERR_RANK);
    CLASS(MPI_Precv_init(in, 2, 1, MPI_INT, t_prev(), MPI_ANY_TAG, w, n, &r), MPI_ERR_TAG);
    CLASS(MPI_Precv_init(in, 2, 1, MPI_DATATYPE_NULL, t_prev(), TAG, w, n, &r), MPI_ERR_TYPE);
    CLASS(MPI_Precv_init(in, 2, 1, MPI_INT, t_prev(), TAG, w, (MPI_Info)(uintptr_t)0x7777, &r),
          MPI_ERR_INFO);
    CLASS(MPI_Psend_init_c(out, 1 << 30, (MPI_Count)1 << 40, MPI_INT, t_next(), TAG, w, n, &s),
          MPI_ERR_COUNT);
    CLASS(MPI_Psend_init(out, 2, 1, MPI_INT, t_next(), TAG, w, n, NULL), MPI_ERR_REQUEST);
    CLASS(MPI_Precv_init(in, 2, 1, MPI_INT, t_prev(), TAG, w, n, NULL), MPI_ERR_REQUEST);
    OK(MPI_Psend_init(out, 4, 1, MPI_INT, t_next(), TAG, w, n, &s));
    OK(MPI_Precv_init(in, 1, 3, MPI_INT, t_prev(), TAG, w, n, &r));      /* too short */
    OK(MPI_Send_init(out, 1, MPI_INT, t_next(), TAG, w, &other));
    CLASS(MPI_Pready(0, s), MPI_ERR_REQUEST);           /* not active */
    CLASS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    CLASS(MPI_Pready(0, other), MPI_ERR_REQUEST);
    OK(MPI_Start(&s));
    OK(MPI_Start(&r));
    CLASS(MPI_Start(&s), MPI_ERR_REQUEST);
    CLASS(MPI_Pready(0, r), MPI_ERR_REQUEST);
    CLASS(MPI_Pready(4, s), MPI_ERR_ARG);
    CLASS(MPI_Pready(-1, s), MPI_ERR_ARG);
    CLASS(MPI_Pready_range(2, 1, s), MPI_ERR_ARG);
    CLASS(MPI_Pready_range(2, 4, s), MPI_ERR_ARG);
    CLASS(MPI_Pready_list(2, list, s), MPI_ERR_ARG);
    CLASS(MPI_Pready_list(2, (int[]){ 4, 1 }, s), MPI_ERR_ARG);
    CLASS(MPI_Pready_list(-1, list, s), MPI_ERR_COUNT);
    CLASS(MPI_Pready_list(1, NULL, s), MPI_ERR_ARG);
    OK(MPI_Pready_list(0, NULL, s));
    CLASS(MPI_Pready_range(0, INT_MAX, s), MPI_ERR_ARG);
    OK(MPI_Pready(1, s));                               /* no error above has marked it */
    CLASS(MPI_Pready(1, s), MPI_ERR_ARG);
    CLASS(MPI_Parrived(s, 0, &flag), MPI_ERR_REQUEST);
    CLASS(MPI_Parrived(r, 1, &flag), MPI_ERR_ARG);
    CLASS(MPI_Parrived(r, 0, NULL), MPI_ERR_ARG);
    OK(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
    SAME(flag, 1);
    list[1] = 0;
    list[0] = 2;
    OK(MPI_Pready_list(2, list, s));
    OK(MPI_Pready(3, s));
    OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    OK(MPI_Request_free(&s));
    OK(MPI_Request_free(&r));
    OK(MPI_Request_free(&other));
}

/* The count is an MPI_Count, of which nothing is cut off. */
static void long_counts(void)
{
    const MPI_Count most = (MPI_Count)1 << 62;
    MPI_Request r;
    CLASS(MPI_Psend_init(&most, 1, most, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &r), MPI_ERR_COUNT);
    CLASS(MPI_Precv_init(&r, 1, most, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r),
          MPI_ERR_COUNT);
}

/* Of no partitions: however many elements each would have. */
static void no_partitions(void)
{
    MPI_Request r[2];
    MPI_Status s[2];
    int n, flag;
    OK(MPI_Psend_init(NULL, 0, 5, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(NULL, 0, 5, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    OK(MPI_Startall(2, r));
    CLASS(MPI_Parrived(r[1], 0, &flag), MPI_ERR_ARG);
    CLASS(MPI_Pready(0, r[0]), MPI_ERR_ARG);
    OK(MPI_Waitall(2, r, s));
    OK(MPI_Get_count(&s[1], MPI_INT, &n));
    SAME(n, 0);
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}

enum { FREED_TAG = TAG + 1 };

static void make_pair(MPI_Request r[2], const int *out, int *in, MPI_Comm comm)
{
    OK(MPI_Psend_init(out, 1, 3, MPI_INT, t_next(), FREED_TAG, comm, MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(in, 1, 3, MPI_INT, t_prev(), FREED_TAG, comm, MPI_INFO_NULL, &r[1]));
}

static void use_pair(MPI_Request r[2], const int *in)
{
    OK(MPI_Startall(2, r));
    OK(MPI_Pready(0, r[0]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    SAME(in[2], t_prev());
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}

/* Both ends are freed unused, whichever was made first: those that are made behind them meet. */
static void freed_unused(void)
{
    int out[3] = { 1, 2, t_rank }, in[3], other = -1;
    MPI_Request r[2];
    OK(MPI_Precv_init(&other, 1, 1, MPI_INT, t_prev(), FREED_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    OK(MPI_Request_free(&r[1]));
    CHECK(r[1] == MPI_REQUEST_NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Psend_init(&other, 1, 1, MPI_INT, t_next(), FREED_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[0]));
    OK(MPI_Request_free(&r[0]));
    make_pair(r, out, in, MPI_COMM_WORLD);
    use_pair(r, in);
    make_pair(r, out, in, MPI_COMM_WORLD);
    OK(MPI_Request_free(&r[1]));
    OK(MPI_Request_free(&r[0]));
    make_pair(r, out, in, MPI_COMM_WORLD);
    use_pair(r, in);
    SAME(other, -1);
}

/* And where the communicator went with them: the next one may have its context. */
static void freed_with_communicator(void)
{
    int out[3] = { 1, 2, t_rank }, in[3];
    MPI_Request r[2];
    MPI_Comm comm;
    for (int i = 0; i < 3; i++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        make_pair(r, out, in, comm);
        if (i) {
            use_pair(r, in);
        } else {
            OK(MPI_Request_free(&r[1]));
            OK(MPI_Request_free(&r[0]));
        }
        OK(MPI_Comm_free(&comm));
    }
}

/* Tags of MPI_Comm_create_group do not meet those of messages. */
static void beside_a_new_group(void)
{
    int out[3] = { 1, 2, t_rank }, in[3];
    MPI_Request r[2];
    MPI_Group all;
    MPI_Comm comm;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Psend_init(out, 1, 3, MPI_INT, t_next(), FREED_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[0]));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, all, FREED_TAG, &comm));
    OK(MPI_Precv_init(in, 1, 3, MPI_INT, t_prev(), FREED_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    use_pair(r, in);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&all));
}

/* One that is under way goes on: the sender, which comes later, finds it and sends. */
static void freed_under_way(void)
{
    int out = t_rank, flag;
    volatile int in = -1;
    MPI_Request r[2];
    OK(MPI_Precv_init((int *)&in, 1, 1, MPI_INT, t_prev(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    OK(MPI_Start(&r[1]));
    OK(MPI_Request_free(&r[1]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Psend_init(&out, 1, 1, MPI_INT, t_next(), TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    OK(MPI_Start(&r[0]));
    OK(MPI_Pready(0, r[0]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&r[0]));
    while (in == -1)
        OK(MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    SAME(in, t_prev());
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    static const int parts[] = { 1, 2, 3, 12, 60 };
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            rounds(parts[i], parts[j], 120);
    rounds(4, 3, 600000);       /* by rendezvous */
    rounds(1, 4, 240000);
    early(1);
    early(50000);
    early_of_many();
    apart();
    late_receiver();
    far_numbers();
    freed_unused();
    freed_with_communicator();
    beside_a_new_group();
    freed_under_way();
    gaps(4, 3, 60);
    gaps(3, 20, 60);
    gaps(2, 2, 60000);
    short_of_room();
    bottom();
    blocks(4, 3, 1, 60);
    blocks(7, 2, 3, 210);
    blocks(30, 1, 3, 210);
    blocks(2, 3, 8192, 3 * 3 * 5 * 8192);
    nothing();
    if (provided == MPI_THREAD_MULTIPLE)
        threads();
    t_errors_return();
    errors();
    no_partitions();
    long_counts();
    return t_end();
}
