/* Messages between layouts made at random, another one on each side, of the same signature: each
 * byte at its place and no other byte touched, by every protocol, kind of send and of receive,
 * posted before and after, cut short or not.  Ranks send around a ring.
 *
 * argument: auto; ways: each rank receives by another protocol; short: little goes eagerly, the
 * rest by both ends where they can; inbox: not by buffers, staged */
#include "random_layout.h"

enum { ROUNDS = 150, GAP = 0x5c };

static int turn;

/* -- a message */

static struct layout from, to;
static struct t_buffer out, in;

/* The first n bytes of a rank's stream, where the layout has them. */
UNWATCHED static void put_at(unsigned char *data, const struct layout *l, long n, unsigned of)
{
    for (long i = 0; i < n; i++)
        data[l->at[i]] = t_byte(of, (size_t)i);
}

/* The first n bytes of the previous rank's stream have come, and nothing else changed. */
static void check(long n)
{
    unsigned char *want = t_alloc(in.bytes);
    memset(want, GAP, in.bytes);
    put_at(want, &to, n, (unsigned)(t_prev() + turn));
    if (memcmp(want, in.data, in.bytes) != 0)
        FAIL("%ld of %ld bytes are not where they belong", n, from.n);
    GUARDS(&in);
    free(want);
}

static void fill(void)
{
    memset(in.data, GAP, in.bytes);
    memset(out.data, ~GAP, out.bytes);
    put_at(out.data, &from, from.n, (unsigned)(t_rank + turn));
}

static void start_send(int how, MPI_Request *r)
{
    const void *b = out.data;
    switch (how) {
    case 0: OK(MPI_Isend(b, from.count, from.type, t_next(), 3, MPI_COMM_WORLD, r)); return;
    case 1: OK(MPI_Issend(b, from.count, from.type, t_next(), 3, MPI_COMM_WORLD, r)); return;
    default: OK(MPI_Send_init(b, from.count, from.type, t_next(), 3, MPI_COMM_WORLD, r));
    }
    OK(MPI_Start(r));
}

static int receive(int how, MPI_Status *status)
{
    MPI_Message m;
    MPI_Request r;
    void *b = in.data;
    if (how == 0)
        return MPI_Recv(b, to.count, to.type, t_prev(), 3, MPI_COMM_WORLD, status);
    if (how == 1)
        OK(MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, status));
    if (how == 1)
        return MPI_Recv(b, to.count, to.type, t_prev(), MPI_ANY_TAG, MPI_COMM_WORLD, status);
    OK(MPI_Mprobe(t_prev(), 3, MPI_COMM_WORLD, &m, status));
    if (how == 2)
        return MPI_Mrecv(b, to.count, to.type, &m, status);
    OK(MPI_Imrecv(b, to.count, to.type, &m, &r));
    return MPI_Wait(&r, status);
}

/* A receive that is given up takes nothing. */
static void give_up(void)
{
    MPI_Request r;
    MPI_Status status;
    int cancelled;
    OK(MPI_Irecv(in.data, to.count, to.type, t_prev(), 9, MPI_COMM_WORLD, &r));
    OK(MPI_Cancel(&r));
    OK(MPI_Wait(&r, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled);
}

static void check_count(const MPI_Status *status, long n)
{
    MPI_Count elements;
    OK(MPI_Get_elements_x(status, to.type, &elements));
    SAME(elements, n);
}

static void check_count_of(MPI_Request *r, long n)
{
    MPI_Status status;
    OK(MPI_Wait(r, &status));
    SAME(status.MPI_SOURCE, t_prev());
    check_count(&status, n);
}

/* The receive first, or its message. */
static void exchange(int how_send, int how_receive, int early)
{
    MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status[2];
    long n = from.n < to.n ? from.n : to.n;
    int class = MPI_SUCCESS, rc = MPI_SUCCESS;
    if (early)
        OK(MPI_Irecv(in.data, to.count, to.type, t_prev(), 3, MPI_COMM_WORLD, &r[1]));
    if (early && t_size > 1)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    start_send(how_send, &r[0]);
    rc = early ? MPI_Wait(&r[1], &status[1]) : receive(how_receive, &status[1]);
    OK(MPI_Error_class(rc, &class));
    SAME(class, from.n > to.n ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    check_count(&status[1], n);
    check(n);
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    if (r[0] != MPI_REQUEST_NULL)
        OK(MPI_Request_free(&r[0]));
}

/* The types are gone when the data move, and nobody waits for the send. */
static void forget(void)
{
    MPI_Request send, recv;
    OK(MPI_Irecv(in.data, to.count, to.type, t_prev(), 3, MPI_COMM_WORLD, &recv));
    OK(MPI_Isend(out.data, from.count, from.type, t_next(), 3, MPI_COMM_WORLD, &send));
    OK(MPI_Type_free(&from.type));
    OK(MPI_Type_free(&to.type));
    OK(MPI_Request_free(&send));
    OK(MPI_Wait(&recv, MPI_STATUS_IGNORE));
    check(from.n);
    OK(MPI_Barrier(MPI_COMM_WORLD));    /* the send's buffer is in use until then */
}

static void both_ways(void)
{
    OK(MPI_Sendrecv(out.data, from.count, from.type, t_next(), 3, in.data, to.count, to.type,
                    t_prev(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(from.n);
}

static void fill_in(void)
{
    memset(in.data, GAP, in.bytes);
    put_at(in.data, &to, to.n, (unsigned)(t_rank + turn));
}

static void replace(void)
{
    fill_in();
    OK(MPI_Sendrecv_replace(in.data, to.count, to.type, t_next(), 3, t_prev(), 3, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    check(to.n);
}

/* By one request. */
static void both_ways_later(void)
{
    MPI_Request r;
    OK(MPI_Isendrecv(out.data, from.count, from.type, t_next(), 3, in.data, to.count, to.type,
                     t_prev(), 3, MPI_COMM_WORLD, &r));
    OK(MPI_Type_free(&from.type));
    check_count_of(&r, from.n);
    check(from.n);
}

static void replace_later(void)
{
    MPI_Request r;
    fill_in();
    OK(MPI_Isendrecv_replace(in.data, to.count, to.type, t_next(), 3, t_prev(), 3, MPI_COMM_WORLD,
                             &r));
    check_count_of(&r, to.n);
    check(to.n);
}

/* As one partition, in two rounds, of which the sender's first may be before it knows the
 * receiver. */
static void partition(void)
{
    MPI_Request r[2];
    OK(MPI_Psend_init(out.data, 1, from.count, from.type, t_next(), 3, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(in.data, 1, to.count, to.type, t_prev(), 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &r[1]));
    for (int round = 0; round < 2; round++) {
        fill();
        OK(MPI_Startall(2, r));
        OK(MPI_Pready(0, r[0]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        check(from.n);
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}

/* One in eight is long. */
static void try(int i)
{
    long units = i % 8 == 7 ? 1 + below(3000) : 1 + below(i % 3 ? 8 : 100);
    int cut = below(8) == 0 && units > 1;
    from = layout_new(units * UNIT);
    to = layout_new((cut ? units - 1 : units + below(2) * (below(3) == 0)) * UNIT);
    t_buffer_new(&out, (size_t)from.span, (size_t)below(16));
    t_buffer_new(&in, (size_t)to.span, (size_t)below(16));
    fill();
    if (below(4) == 0)
        give_up();
    int what = cut || from.n != to.n ? 0 : (int)below(12);
    switch (what) {
    case 1: both_ways(); break;
    case 2: replace(); break;
    case 3: forget(); break;
    case 4: both_ways_later(); break;
    case 5: replace_later(); break;
    case 6: partition(); break;
    default: exchange((int)below(3), (int)below(4), (int)below(2));
    }
    layout_free(&from);
    layout_free(&to);
    t_buffer_free(&in);
    t_buffer_free(&out);
}

/* -- pieces so long that the kernel copies them, where it may */

/* `blocks` blocks of the same length, `gap` bytes between them. */
static struct layout long_blocks(long n, long blocks, long gap)
{
    struct layout l = { .n = n, .at = t_alloc((size_t)n * sizeof(long)) };
    make_plane(&l, 1, blocks, n / blocks, 0, n / blocks + gap);
    OK(MPI_Type_commit(&l.type));
    l.span = l.at[n - 1] + 1;
    return l;
}

/* Gaps on one side, on the other, or both, of other lengths; whole and cut short. */
static void try_long(void)
{
    static const struct { long blocks, gap; } kind[] = { { 1, 0 }, { 20, 3 }, { 24, 500 } };
    enum { KINDS = 3, LONG = 24 * 20 * 1400 };
    for (int i = 0; i < KINDS * KINDS; i++) {
        from = long_blocks(LONG, kind[i / KINDS].blocks, kind[i / KINDS].gap);
        to = long_blocks(i == 7 ? LONG - 24 * 20 : LONG, kind[i % KINDS].blocks,
                         kind[i % KINDS].gap);
        t_buffer_new(&out, (size_t)from.span, 1);
        t_buffer_new(&in, (size_t)to.span, 2);
        fill();
        exchange(0, 0, i % 2);
        layout_free(&from);
        layout_free(&to);
        t_buffer_free(&in);
        t_buffer_free(&out);
        turn++;
    }
}

/* One long piece between many short ones, more than a call to the kernel takes. */
static void try_many(void)
{
    enum { SHORT = 350, EACH = 3, STEP = 5, LONG = 12 << 20, ALL = 2 * SHORT * STEP + LONG };
    static int length[2 * SHORT + 1];
    static MPI_Aint at[2 * SHORT + 1];
    unsigned char *b = t_alloc(ALL), *got = t_alloc(ALL);
    MPI_Datatype type;
    for (int i = 0; i <= 2 * SHORT; i++) {
        length[i] = i == SHORT ? LONG : EACH;
        at[i] = (MPI_Aint)i * STEP + (i > SHORT ? LONG - STEP : 0);
    }
    t_fill(b, ALL, (unsigned)t_rank);
    memset(got, GAP, ALL);
    OK(MPI_Type_create_hindexed(2 * SHORT + 1, length, at, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Sendrecv(b, 1, type, t_next(), 4, got, 1, type, t_prev(), 4, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    t_fill(b, ALL, (unsigned)t_prev());
    for (int i = 0; i <= 2 * SHORT; i++) {
        CHECK(!memcmp(got + at[i], b + at[i], (size_t)length[i]));
        CHECK(i == SHORT || got[at[i] + EACH] == GAP);
    }
    OK(MPI_Type_free(&type));
    free(got);
    free(b);
}

/* To the ranks of the other half, which are other ranks than the communicator's own. */
static void between(void)
{
    enum { BLOCKS = 10, SHORT = 8 };      /* they go eagerly */
    MPI_Comm half, other;
    MPI_Datatype type;
    int left = t_rank < t_size / 2, rank, there;
    unsigned char b[2 * BLOCKS * SHORT], got[sizeof b];
    OK(MPI_Comm_split(MPI_COMM_WORLD, left, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, left ? t_size / 2 : 0, 7, &other));
    OK(MPI_Comm_rank(other, &rank));
    OK(MPI_Comm_remote_size(other, &there));
    OK(MPI_Type_vector(BLOCKS, SHORT, 2 * SHORT, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    t_fill(b, sizeof b, (unsigned)t_rank);
    memset(got, GAP, sizeof got);
    int peer = rank < there ? rank : MPI_PROC_NULL;
    OK(MPI_Send(b, 1, type, peer, 7, other));
    OK(MPI_Recv(got, 1, type, peer, 7, other, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv_replace(b, 1, type, peer, 8, peer, 8, other, MPI_STATUS_IGNORE));
    for (int i = 0; i < BLOCKS && peer != MPI_PROC_NULL; i++) {
        size_t at = 2 * SHORT * (size_t)i;
        unsigned char want[sizeof b];
        t_fill(want, sizeof b, (unsigned)(left ? peer + t_size / 2 : peer));
        CHECK(!memcmp(got + at, want + at, SHORT) && got[at + SHORT] == GAP);
        CHECK(!memcmp(b + at, want + at, SHORT));
    }
    OK(MPI_Type_free(&type));
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&half));
}

/* -- beyond 2 GiB */

enum { FAR_BLOCKS = 5 };
static const MPI_Aint far_step = (1L << 30) + 24;

/* Blocks a GiB apart, in memory of which only they are ever touched. */
static void far_apart(int each)
{
    MPI_Datatype type;
    size_t bytes = (size_t)(FAR_BLOCKS * far_step);
    unsigned char *b = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int possible = b != MAP_FAILED;
    OK(MPI_Allreduce(MPI_IN_PLACE, &possible, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    OK(MPI_Type_create_hvector(FAR_BLOCKS, each, far_step, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; possible && i < FAR_BLOCKS; i++)
        t_fill(b + i * far_step, (size_t)each, (unsigned)(t_rank + i));
    if (possible)
        OK(MPI_Sendrecv(b, 1, type, t_next(), 4, b + 2 * each, 1, type, t_prev(), 4,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; possible && i < FAR_BLOCKS; i++) {
        const unsigned char *at = b + i * far_step;
        DATA(at, (size_t)each, (unsigned)(t_rank + i));
        DATA(at + 2 * each, (size_t)each, (unsigned)(t_prev() + i));
        CHECK(at[each] == 0 && at[2 * each - 1] == 0 && at[3 * each] == 0);
    }
    OK(MPI_Type_free(&type));
    if (b != MAP_FAILED)
        munmap(b, bytes);
}

/* 3 GiB, the same bytes again and again, for a receive that has room for little of them. */
static void long_one(void)
{
    enum { BLOCK = 1 << 20, TIMES = 3072, ROOM = 30, EACH = 100 };
    MPI_Datatype block, again, rows;
    MPI_Request r;
    MPI_Status status;
    MPI_Count elements;
    struct t_buffer b;
    unsigned char *data = t_alloc(BLOCK);
    t_fill(data, BLOCK, (unsigned)t_rank);
    t_buffer_new(&b, 2 * ROOM * EACH, 0);
    OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block));
    OK(MPI_Type_create_resized(block, 0, 0, &again));
    OK(MPI_Type_vector(ROOM, EACH, 2 * EACH, MPI_BYTE, &rows));
    OK(MPI_Type_commit(&again));
    OK(MPI_Type_commit(&rows));
    OK(MPI_Isend(data, TIMES, again, t_next(), 5, MPI_COMM_WORLD, &r));
    OK(MPI_Probe(t_prev(), 5, MPI_COMM_WORLD, &status));
    OK(MPI_Get_elements_x(&status, MPI_BYTE, &elements));
    SAME(elements, (MPI_Count)BLOCK * TIMES);
    CLASS(MPI_Recv(b.data, 1, rows, t_prev(), 5, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    for (int i = 0; i < ROOM * EACH; i++)
        SAME(b.data[i / EACH * 2 * EACH + i % EACH], t_byte((unsigned)t_prev(), (size_t)i));
    GUARDS(&b);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Type_free(&block));
    OK(MPI_Type_free(&again));
    OK(MPI_Type_free(&rows));
    t_buffer_free(&b);
    free(data);
}

static void choose(const char *what)
{
    static const char *const protocol[] = { "get", "put", "both", "staged" };
    const char *rank = getenv("NICEMU_RANK");
    if (!strcmp(what, "ways"))
        setenv("MPILITE_RNDV", protocol[(rank ? atoi(rank) : 0) % 4], 1);
    if (!strcmp(what, "short") || !strcmp(what, "ways"))
        setenv("MPILITE_EAGER", "100", 1);
    if (!strcmp(what, "short"))
        setenv("MPILITE_RNDV", "both", 1);
    if (!strcmp(what, "inbox"))
        setenv("MPILITE_STAGED", "inbox", 1);
}

int main(int argc, char **argv)
{
    choose(argc > 1 ? argv[1] : "auto");
    t_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (turn = 0; turn < ROUNDS; turn++) {
        seed = 104729u * (uint32_t)turn + 31;
        try(turn);
    }
    if (t_size > 1)
        between();
    try_long();
    try_many();
    far_apart(1000);
    far_apart(200 * 1000);
    if (!t_modelled())  /* where it would be packed in one piece */
        long_one();
    return t_end();
}
