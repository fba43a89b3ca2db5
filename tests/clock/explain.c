/* Messages for mpirun --explain, each with a tag of its own.  Prints what the program sees of each:
 * "sent TAG FROM TO BYTES PS" with the time at which its sender calls, "received TAG PS" with the
 * time at which its receiver has it.  The second is right where call.recv_after, wait and wtime are
 * known: they are taken off.
 *
 *   explain random SEED RECV_AFTER WAIT WTIME    (ps) messages of all kinds, received in all ways
 *   explain one BYTES SENDER RECEIVER            one message from rank 0 to rank 1, which calls
 *   after so many ns each
 *   explain gaps BLOCKS SENDER RECEIVER          the same, so many blocks of 8 bytes each
 *   explain deep LENGTH                          one that finds so many receives in front of its
 *   own
 *   explain many COUNT                           so many short ones
 *   explain put|get|fetch|swap|lock BYTES        such an operation of rank 0 on memory of rank 1;
 *                                                "took PS" with its flush or unlock
 *   explain targets ROUNDS SEED                  operations of all ranks on all others */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, MOST = 6, LONGEST = 20000, PLAN = 16 * MOST };

static int rank, size;
static uint64_t shared, own;
static int64_t recv_after, wait_cost, wtime_cost;
static unsigned char out[MOST][LONGEST], in[PLAN][LONGEST];

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static unsigned below(uint64_t *state, unsigned limit)
{
    return (unsigned)(next(state) >> 20) % limit;
}

/* What is said is said at the end: printing takes no virtual time, but is no order either. */
static char text[1 << 20];
static size_t used;

static int64_t now(void) { return (int64_t)(MPI_Wtime() * 1e12 + 0.5); }

static void received(int tag, int64_t after)
{
    used += (size_t)snprintf(text + used, sizeof text - used, "received %d %lld\n", tag,
                             (long long)(now() - wtime_cost - after));
}

struct message { int from, to, tag, bytes; MPI_Request request; };

static int some_length(void)
{
    static const unsigned limit[] = { 9, 300, 9000, LONGEST };
    return (int)below(&shared, limit[below(&shared, 4)]);
}

/* The same in all ranks. */
static int plan(struct message *m, int round)
{
    int n = 0;
    for (int from = 0; from < size; from++)
        for (int i = (int)below(&shared, MOST + 1); i > 0; i--, n++)
            m[n] = (struct message){ .from = from, .to = (int)below(&shared, (unsigned)size),
                                     .tag = round * PLAN + n + 1, .bytes = some_length() };
    return n;
}

static void send_own(const struct message *m, MPI_Request *request, void *data)
{
    int64_t before;
    if (!below(&own, 3))
        MPIX_Compute(1e-9 * below(&own, 5000));
    memset(data, m->tag, (size_t)m->bytes);
    before = now();
    if (below(&own, 4) || m->to == rank)
        MPI_Isend(data, m->bytes, MPI_BYTE, m->to, m->tag, MPI_COMM_WORLD, request);
    else
        MPI_Issend(data, m->bytes, MPI_BYTE, m->to, m->tag, MPI_COMM_WORLD, request);
    used += (size_t)snprintf(text + used, sizeof text - used, "sent %d %d %d %d %lld\n", m->tag,
                             m->from, m->to, m->bytes, (long long)before);
}

/* One that no receive is posted for. */
static void receive_any(unsigned char *to)
{
    MPI_Status s;
    MPI_Message message;
    MPI_Request r;
    int flag = 0;
    switch (below(&own, 5)) {
    case 0:
        MPI_Recv(to, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        received(s.MPI_TAG, recv_after);
        return;
    case 1:
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        MPI_Recv(to, LONGEST, MPI_BYTE, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
        received(s.MPI_TAG, recv_after);
        return;
    case 2:
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &s);
        if (below(&own, 2))
            MPIX_Compute(1e-6);
        MPI_Imrecv(to, LONGEST, MPI_BYTE, &message, &r);
        break;
    case 3:
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &s);
        MPI_Irecv(to, LONGEST, MPI_BYTE, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &r);
        break;
    default:
        MPI_Irecv(to, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
    }
    MPI_Wait(&r, &s);
    received(s.MPI_TAG, wait_cost);
}

static void do_round(int round)
{
    struct message m[PLAN];
    MPI_Request sends[PLAN], r;
    int n = plan(m, round), mine = 0, open = 0, posted = (int)below(&shared, 2);
    for (int i = 0; i < n && posted; i++)
        if (m[i].to == rank)
            MPI_Irecv(in[i], LONGEST, MPI_BYTE, m[i].from, m[i].tag, MPI_COMM_WORLD, &m[i].request);
    if (below(&shared, 2)) {
        MPI_Ibarrier(MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n; i++) {
        open += m[i].to == rank;
        if (m[i].from == rank) {
            send_own(&m[i], &sends[mine], out[mine]);
            mine++;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        if (m[i].to != rank || !posted)
            continue;
        if (!below(&own, 2))
            MPIX_Compute(1e-9 * below(&own, 9000));
        MPI_Wait(&m[i].request, MPI_STATUS_IGNORE);
        received(m[i].tag, wait_cost);
    }
    while (!posted && open--)
        receive_any(in[0]);
    MPI_Waitall(mine, sends, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void one_of(int count, MPI_Datatype type, double sender, double receiver)
{
    if (rank == 0) {
        MPIX_Compute(1e-9 * sender);
        MPI_Send(out, count, type, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPIX_Compute(1e-9 * receiver);
        MPI_Recv(in, count, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void one(int bytes, double sender, double receiver)
{
    one_of(bytes, MPI_BYTE, sender, receiver);
}

static void gaps(int blocks, double sender, double receiver)
{
    MPI_Datatype type;
    MPI_Type_vector(blocks, 1, 3, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    one_of(1, type, sender, receiver);
    MPI_Type_free(&type);
}

static void deep(int length)
{
    MPI_Request r[PLAN];
    if (rank == 0)
        MPIX_Compute(1e-3);
    for (int i = 0; i < length && rank == 1; i++)
        MPI_Irecv(in[i], 1, MPI_BYTE, 0, 6 + i, MPI_COMM_WORLD, &r[i]);
    one(1, 0, 0);
    for (int i = 0; i < length && rank == 0; i++)
        MPI_Send(out, 1, MPI_BYTE, 1, 6 + i, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Waitall(length, r, MPI_STATUSES_IGNORE);
}

static void many(int count)
{
    for (int i = 0; i < count; i++) {
        if (rank == 0)
            MPI_Send(out, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(in, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 16 == 15)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* -- one-sided */

static void operate(const char *what, int target, int bytes, MPI_Win win)
{
    int64_t old, new = 1, expected = 0;
    if (!strcmp(what, "put")) {
        MPI_Put(out, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, win);
    } else if (!strcmp(what, "get")) {
        MPI_Get(in, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, win);
    } else if (!strcmp(what, "fetch")) {
        MPI_Fetch_and_op(&new, &old, MPI_INT64_T, target, 0, MPI_SUM, win);
    } else if (!strcmp(what, "swap")) {
        MPI_Compare_and_swap(&new, &expected, &old, MPI_INT64_T, target, 0, win);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_Win_unlock(target, win);
        return;
    }
    MPI_Win_flush(target, win);
}

static void one_sided(const char *what, int bytes)
{
    static unsigned char memory[LONGEST];
    const int epoch = strcmp(what, "lock") != 0;
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0) {
        if (epoch)
            MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
        int64_t before = now();
        operate(what, 1, bytes, win);
        used += (size_t)snprintf(text + used, sizeof text - used, "took %lld\n",
                                 (long long)(now() - before));
        if (epoch)
            MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
}

static void targets(int rounds, uint64_t seed)
{
    static const char *const what[] = { "put", "get", "fetch", "swap", "lock" };
    static unsigned char memory[LONGEST];
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    own = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)rank;
    for (int i = 0; i < rounds; i++) {
        const unsigned kind = below(&own, 5);
        const int target = (int)below(&own, (unsigned)size);
        if (kind < 4)
            MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
        operate(what[kind], target, (int)below(&own, 9000), win);
        if (kind < 4)
            MPI_Win_unlock_all(win);
        MPIX_Compute(1e-9 * below(&own, 3000));
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 6 && !strcmp(argv[1], "random") && size * MOST <= PLAN) {
        shared = strtoull(argv[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        own = shared ^ (uint64_t)(rank + 1) * UINT64_C(0xbf58476d1ce4e5b9);
        recv_after = atoll(argv[3]);
        wait_cost = atoll(argv[4]);
        wtime_cost = atoll(argv[5]);
        for (int i = 0; i < ROUNDS; i++)
            do_round(i);
    } else if (argc == 5 && !strcmp(argv[1], "one") && atoi(argv[2]) <= (int)sizeof out) {
        one(atoi(argv[2]), atof(argv[3]), atof(argv[4]));
    } else if (argc == 5 && !strcmp(argv[1], "gaps") && atoi(argv[2]) <= LONGEST / 24) {
        gaps(atoi(argv[2]), atof(argv[3]), atof(argv[4]));
    } else if (argc == 3 && !strcmp(argv[1], "deep") && atoi(argv[2]) <= PLAN) {
        deep(atoi(argv[2]));
    } else if (argc == 3 && !strcmp(argv[1], "many")) {
        many(atoi(argv[2]));
    } else if (argc == 4 && !strcmp(argv[1], "targets")) {
        targets(atoi(argv[2]), strtoull(argv[3], NULL, 10));
    } else if (argc == 3 && atoi(argv[2]) <= LONGEST) {
        one_sided(argv[1], atoi(argv[2]));
    } else {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    fwrite(text, 1, used, stdout);
    MPI_Finalize();
    return 0;
}
