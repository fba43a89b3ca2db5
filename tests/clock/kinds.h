/* Kinds of calls for the random program: communicators, persistent and ready sends, messages to
 * oneself, cancelled sends, memory of the library, several collectives at once, loops that wait for
 * a time. */
#ifndef KINDS_H
#define KINDS_H

#include "random.h"

enum { BUFFERED = 3 * 9000 };

/* of all ranks; of those with the same parity, in reverse */
static MPI_Comm twin, part;

static int after(int by) { return (rank + by) % size; }
static int before(int by) { return (rank + size - by) % size; }

/* All bytes are those that this rank would have sent. */
static void see_bytes(const unsigned char *bytes, int count, int from)
{
    for (int i = 0; i < count; i++)
        if (bytes[i] != (unsigned char)from)
            MPI_Abort(MPI_COMM_WORLD, 4);
    see((unsigned)count);
}

static void finish_all(MPI_Request *r, int count)
{
    int done[16], some, flag = 0;
    uint64_t looks = 0;
    switch (below(&own, 4)) {
    case 0: MPI_Waitall(count, r, MPI_STATUSES_IGNORE); break;
    case 1:
        for (; !flag; looks++)
            MPI_Testall(count, r, &flag, MPI_STATUSES_IGNORE);
        break;
    case 2:
        for (MPI_Waitsome(count, r, &some, done, MPI_STATUSES_IGNORE); some != MPI_UNDEFINED;
             MPI_Waitsome(count, r, &some, done, MPI_STATUSES_IGNORE))
            for (int i = 0; i < some; i++)
                see((unsigned)done[i]);
        break;
    default:
        for (some = 0; some != MPI_UNDEFINED; looks++) {
            MPI_Testsome(count, r, &some, done, MPI_STATUSES_IGNORE);
            maybe_compute();
        }
    }
    see(looks);
}

/* The same tag to the same rank, on three communicators: they never meet. */
static void communicators(void)
{
    MPI_Comm comm[] = { MPI_COMM_WORLD, twin, part };
    static unsigned char got[3][LONGEST];
    MPI_Request r[6];
    int bytes[3], by = 1 + (int)below(&shared, (unsigned)size);
    for (int i = 0; i < 3; i++)
        bytes[i] = some_length(&shared);
    for (int k = 0; k < 3; k++) {
        int i = (k + (int)(rank & 1)) % 3, me, n;
        MPI_Comm_rank(comm[i], &me);
        MPI_Comm_size(comm[i], &n);
        MPI_Irecv(got[i], LONGEST, MPI_BYTE, (me + n - by % n) % n, 7, comm[i], &r[2 * i]);
        maybe_compute();
        MPI_Isend(out, bytes[i], MPI_BYTE, (me + by) % n, 7, comm[i], &r[2 * i + 1]);
    }
    finish_all(r, 6);
    see_bytes(got[0], bytes[0], before(by % size));
    see_bytes(got[1], bytes[1], before(by % size));
    if (bytes[2] && got[2][0] % 2 != rank % 2)
        MPI_Abort(MPI_COMM_WORLD, 5);
    see(bytes[2] ? got[2][0] : 0);
}

static void persistent(void)
{
    MPI_Request r[2];
    int by = 1 + (int)below(&shared, (unsigned)size), bytes = some_length(&shared);
    unsigned rounds = 1 + below(&shared, 4), kind = below(&shared, 3);
    MPI_Recv_init(in, LONGEST, MPI_BYTE, kind ? before(by % size) : MPI_ANY_SOURCE, 11, twin,
                  &r[0]);
    (kind == 2 ? MPI_Ssend_init : MPI_Send_init)(out, bytes, MPI_BYTE, after(by), 11, twin, &r[1]);
    while (rounds--) {
        MPI_Startall(2, r);
        maybe_compute();
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        see_bytes(in, bytes, before(by % size));
        see_time();
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Barrier(twin);
}

static void ready(void)
{
    MPI_Request r[2];
    int by = 1 + (int)below(&shared, (unsigned)size), bytes = some_length(&shared);
    MPI_Irecv(in, LONGEST, MPI_BYTE, before(by % size), 12, twin, &r[0]);
    MPI_Barrier(twin);
    MPI_Irsend(out, bytes, MPI_BYTE, after(by), 12, twin, &r[1]);
    finish_all(r, 2);
    see_bytes(in, bytes, before(by % size));
}

static void to_oneself(void)
{
    MPI_Request r;
    MPI_Status s;
    int bytes = some_length(&own), count;
    (below(&own, 2) ? MPI_Issend : MPI_Isend)(out, bytes, MPI_BYTE, rank, 13, twin, &r);
    MPI_Probe(rank, MPI_ANY_TAG, twin, &s);
    MPI_Get_count(&s, MPI_BYTE, &count);
    see((unsigned)count);
    MPI_Recv(in, LONGEST, MPI_BYTE, rank, 13, twin, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    see_bytes(in, bytes, rank);
}

/* A send that may be taken back; the receiver hears whether it was. */
static void take_back(void)
{
    MPI_Request r, word, receive;
    MPI_Status s;
    int cancelled, theirs, by = 1 + (int)below(&shared, (unsigned)size),
        bytes = some_length(&shared);
    MPI_Isend(out, bytes, MPI_BYTE, after(by), 14, twin, &r);
    maybe_compute();
    MPI_Cancel(&r);
    MPI_Iprobe(before(by % size), 14, twin, &theirs, MPI_STATUS_IGNORE);
    see((unsigned)theirs);
    MPI_Irecv(in, LONGEST, MPI_BYTE, before(by % size), 14, twin, &receive);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &cancelled);
    MPI_Isend(&cancelled, 1, MPI_INT, after(by), 15, twin, &word);
    MPI_Recv(&theirs, 1, MPI_INT, before(by % size), 15, twin, MPI_STATUS_IGNORE);
    see((unsigned)theirs);
    if (theirs)
        MPI_Cancel(&receive);
    MPI_Wait(&receive, &s);
    MPI_Test_cancelled(&s, &cancelled);
    see((unsigned)cancelled);
    MPI_Wait(&word, MPI_STATUS_IGNORE);
}

static void buffered(void)
{
    static unsigned char space[BUFFERED + MPI_BSEND_OVERHEAD];
    void *back;
    int by = 1 + (int)below(&shared, (unsigned)size), bytes = (int)below(&shared, BUFFERED), left;
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(out, bytes, MPI_BYTE, after(by), 16, twin);
    maybe_compute();
    MPI_Recv(in, LONGEST, MPI_BYTE, before(by % size), 16, twin, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &left);
    see_bytes(in, bytes, before(by % size));
}

/* From and to memory of the library, which peers may reach in another way. */
static void memory(void)
{
    unsigned char *from, *to;
    int by = 1 + (int)below(&shared, (unsigned)size), bytes = some_length(&shared),
        kind = (int)below(&shared, 3);
    MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &from);
    MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &to);
    memset(from, rank, (size_t)bytes);
    if (kind)
        MPI_Sendrecv(kind == 1 ? out : from, bytes, MPI_BYTE, after(by), 17, to, LONGEST, MPI_BYTE,
                     before(by % size), 17, twin, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv_replace(from, bytes, MPI_BYTE, after(by), 17, before(by % size), 17, twin,
                             MPI_STATUS_IGNORE);
    see_bytes(kind ? to : from, bytes, before(by % size));
    MPI_Free_mem(from);
    MPI_Free_mem(to);
}

static void wait_for_time(void)
{
    double end = MPI_Wtime() + 1e-9 * below(&own, 20000);
    uint64_t looks = 0;
    while (MPI_Wtime() < end)
        looks++;
    see(looks);
}

/* Several under way on two communicators, and a message between them. */
static void collectives(void)
{
    enum { MOST = 2000 };
    static int64_t a[4][MOST], b[4][MOST];
    MPI_Request r[6];
    int count = 1 + (int)below(&shared, MOST - 1), root = (int)below(&shared, (unsigned)size),
        by = 1 + (int)below(&shared, (unsigned)size), parts, n = 0;
    MPI_Comm_size(part, &parts);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < count; k++)
            a[i][k] = rank + i + k;
    MPI_Ibcast(a[0], count, MPI_INT64_T, root, MPI_COMM_WORLD, &r[n++]);
    maybe_compute();
    MPI_Iallreduce(a[1], b[1], count, MPI_INT64_T, MPI_SUM, twin, &r[n++]);
    MPI_Irecv(in, LONGEST, MPI_BYTE, before(by % size), 18, twin, &r[n++]);
    MPI_Ireduce(a[2], b[2], count, MPI_INT64_T, MPI_MAX, parts - 1, part, &r[n++]);
    maybe_compute();
    MPI_Ibarrier(part, &r[n++]);
    MPI_Isend(out, 100, MPI_BYTE, after(by), 18, twin, &r[n++]);
    finish_all(r, n);
    if (a[0][count - 1] != root + count - 1)
        MPI_Abort(MPI_COMM_WORLD, 6);
    see((uint64_t)b[1][count / 2]);
}

static void all_to_all(void)
{
    enum { MOST = 64 * 40 };
    static int32_t a[MOST], b[MOST];
    int each = 1 + (int)below(&shared, 40), root = (int)below(&shared, (unsigned)size);
    if (size * each > MOST)
        each = MOST / size;
    for (int i = 0; i < size * each; i++)
        a[i] = 1000 * rank + i;
    switch (below(&shared, 6)) {
    case 0: MPI_Alltoall(a, each, MPI_INT32_T, b, each, MPI_INT32_T, MPI_COMM_WORLD); break;
    case 1: MPI_Allgather(a, each, MPI_INT32_T, b, each, MPI_INT32_T, twin); break;
    case 2: MPI_Gather(a, each, MPI_INT32_T, b, each, MPI_INT32_T, root, twin); break;
    case 3: MPI_Scatter(a, each, MPI_INT32_T, b, each, MPI_INT32_T, root, MPI_COMM_WORLD); break;
    case 4: MPI_Reduce_scatter_block(a, b, each, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD); break;
    default: MPI_Exscan(a, b, each, MPI_INT32_T, MPI_SUM, twin);
    }
    see((uint64_t)b[0]);
    see((uint64_t)b[each - 1]);
}

static void kinds(void)
{
    static void (*const kind[])(void) = { communicators, persistent, ready, to_oneself, take_back,
                                          buffered, memory, wait_for_time, collectives,
                                              all_to_all };
    kind[below(&shared, sizeof kind / sizeof *kind)]();
}

static void kinds_begin(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
}

static void kinds_end(void)
{
    MPI_Comm_free(&twin);
    MPI_Comm_free(&part);
}

#endif
