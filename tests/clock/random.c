/* A random MPI program: messages of all kinds, wildcards, probes, polling loops, collectives,
 * computation.  Each rank takes what it does from a seed and from what it has seen, times included,
 * so whatever differs between two runs shows in the end.  Prints one number.
 *
 *   random SEED [STEPS] */
#include "kinds.h"

/* -- receiving a known number of messages, in one of many ways */

static void by_wildcard(void)
{
    MPI_Status s;
    MPI_Recv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    see_message(&s);
}

static void by_probe(void)
{
    MPI_Status s;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    MPI_Recv(in, LONGEST, MPI_BYTE, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
    see_message(&s);
}

static void by_iprobe(void)
{
    MPI_Message m;
    MPI_Status s;
    int flag = 0;
    uint64_t looks = 0;
    for (; !flag; looks++) {
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &m, &s);
        if (!flag)
            maybe_compute();
    }
    see(looks);
    MPI_Mrecv(in, LONGEST, MPI_BYTE, &m, &s);
    see_message(&s);
}

static void by_test(void)
{
    MPI_Request r;
    MPI_Status s;
    int flag = 0;
    uint64_t looks = 0;
    MPI_Irecv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
    for (; !flag; looks++)
        MPI_Test(&r, &flag, &s);
    see(looks);
    see_message(&s);
}

static void by_mprobe(void)
{
    MPI_Message m;
    MPI_Request r;
    MPI_Status s;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s);
    see((unsigned)s.MPI_SOURCE);
    maybe_compute();
    MPI_Imrecv(in, LONGEST, MPI_BYTE, &m, &r);
    MPI_Wait(&r, &s);
    see_message(&s);
}

static void by_status(void)
{
    MPI_Request r;
    MPI_Status s;
    int flag = 0;
    uint64_t looks = 0;
    MPI_Irecv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
    for (; !flag; looks++)
        MPI_Request_get_status(r, &flag, &s);
    see(looks);
    MPI_Wait(&r, &s);
    see_message(&s);
}

static void receive(int count)
{
    static void (*const way[])(void) = { by_wildcard, by_probe, by_iprobe, by_test, by_mprobe,
                                         by_status };
    while (count--)
        way[below(&own, 6)]();
}

/* Everybody sends some messages to anybody; how many come, all know. */
static void storm(void)
{
    MPI_Request r[OPEN_MAX_SENDS];
    int expected = 0, sends = 0, done;
    for (int from = 0; from < size; from++)
        for (unsigned k = below(&shared, OPEN_MAX_SENDS); k--;) {
            int to = (int)below(&shared, (unsigned)size), tag = (int)below(&shared, 5),
                bytes = some_length(&shared);
            expected += to == rank;
            unsigned mode = below(&shared, 4);
            if (from != rank)
                continue;
            if (mode == 0)
                MPI_Issend(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r[sends++]);
            else
                MPI_Isend(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r[sends++]);
            maybe_compute();
        }
    receive(expected);
    for (int left = sends; left > 0; left--) {
        if (below(&own, 2)) {
            int flag = 0;
            uint64_t looks = 0;
            for (; !flag; looks++)
                MPI_Testany(sends, r, &done, &flag, MPI_STATUS_IGNORE);
            see(looks);
        } else {
            MPI_Waitany(sends, r, &done, MPI_STATUS_IGNORE);
        }
        see((unsigned)done);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void collective(void)
{
    int count = 1 + (int)below(&shared, below(&shared, 2) ? 3000 : 5),
        root = (int)below(&shared, (unsigned)size);
    int64_t *a = malloc(sizeof *a * (size_t)count), *b = malloc(sizeof *b * (size_t)count);
    for (int i = 0; i < count; i++)
        a[i] = rank + i;
    MPI_Request r;
    switch (below(&shared, 8)) {
    case 0: MPI_Barrier(MPI_COMM_WORLD); break;
    case 1: MPI_Bcast(a, count, MPI_INT64_T, root, MPI_COMM_WORLD); see((uint64_t)a[0]); break;
    case 2: MPI_Allreduce(a, b, count, MPI_INT64_T, MPI_SUM,
                          MPI_COMM_WORLD); see((uint64_t)b[count - 1]); break;
    case 3: MPI_Reduce(a, b, count, MPI_INT64_T, MPI_MAX, root, MPI_COMM_WORLD); break;
    case 4: MPI_Scan(a, b, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); see((uint64_t)b[0]); break;
    case 5:
        MPI_Ibarrier(MPI_COMM_WORLD, &r);
        maybe_compute();
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case 6: {
        int flag = 0;
        uint64_t looks = 0;
        MPI_Iallreduce(a, b, count, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD, &r);
        for (; !flag; looks++)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        see(looks);
        break;
    }
    default: {
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
        MPI_Allreduce(a, b, 1, MPI_INT64_T, MPI_SUM, part);
        see((uint64_t)b[0]);
        MPI_Comm_free(&part);
    }
    }
    free(a);
    free(b);
}

/* A receive that may be cancelled before its message comes. */
static void cancel(void)
{
    MPI_Request r;
    MPI_Status s;
    int cancelled;
    MPI_Irecv(in, LONGEST, MPI_BYTE, rank, 999, MPI_COMM_WORLD, &r);
    maybe_compute();
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &cancelled);
    see((unsigned)cancelled);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, all;
    unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : 12;
    shared = seed * 2654435761u + 88172645463325252u;
    own = shared + 1000003u * (unsigned)(rank + 1);
    memset(out, rank, sizeof out);
    kinds_begin();
    for (unsigned i = 0; i < steps; i++) {
        switch (below(&shared, 7)) {
        case 0: collective(); break;
        case 1: cancel(); break;
        case 2: case 3: case 4: kinds(); break;
        default: storm();
        }
        see_time();
        maybe_compute();
    }
    kinds_end();
    MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    see_time();
    if (!rank)
        printf("seed %llu, %d ranks: %016llx\n", (unsigned long long)seed, size,
               (unsigned long long)all);
    MPI_Finalize();
    return 0;
}
