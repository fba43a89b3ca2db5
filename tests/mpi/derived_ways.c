/* Messages between layouts made at random, another one on each side, of the same signature: each
 * byte at its place and no other byte touched, by every protocol, kind of send and of receive,
 * posted before and after, cut short or not.  Ranks send around a ring.
 *
 * argument: auto; ways: each rank receives by another protocol; short: little goes eagerly;
 * buffers: by the scratchpad */
#include "t.h"

enum { UNIT = 240, ROUNDS = 130, GAP = 0x5c };

static uint32_t seed;
static int turn;

static long below(long n) { return (long)(t_random(&seed) % (uint32_t)n); }

/* -- layouts: a type, and where each byte of the stream lies */

struct layout { MPI_Datatype type; int count; long n, *at, span; };

/* Blocks in any order: their places are drawn, then shuffled. */
static void make_list(struct layout *l)
{
    long blocks = 1 + below(60), place = 0, left = l->n;
    int *length = t_alloc((size_t)blocks * sizeof *length);
    MPI_Aint *at = t_alloc((size_t)blocks * sizeof *at);
    long same = below(2) ? 1 + below(16) : 0;
    for (long i = 0; i < blocks; i++) {
        long share = i == blocks - 1 ? left : same && same < left ? same : below(left + 1);
        length[i] = (int)share;
        at[i] = place += below(20);
        place += share;
        left -= share;
    }
    for (long i = blocks - 1; i > 0 && l->n < 5000; i--) {
        long k = below(i + 1), b = length[i];
        MPI_Aint a = at[i];
        length[i] = length[k], at[i] = at[k];
        length[k] = (int)b, at[k] = a;
    }
    OK(MPI_Type_create_hindexed((int)blocks, length, at, MPI_BYTE, &l->type));
    l->count = 1;
    for (long i = 0, k = 0; i < blocks; i++)
        for (long b = 0; b < length[i]; b++)
            l->at[k++] = at[i] + b;
    free(length);
    free(at);
}

/* `times` times `each` blocks of `bytes`; far and near: from one to the next. */
static void make_plane(struct layout *l, long times, long each, long bytes, long far, long near)
{
    MPI_Datatype block, row;
    OK(MPI_Type_contiguous((int)bytes, MPI_BYTE, &block));
    OK(MPI_Type_create_hvector((int)each, 1, near, block, &row));
    OK(MPI_Type_create_resized(row, 0, far, &l->type));
    OK(MPI_Type_free(&block));
    OK(MPI_Type_free(&row));
    l->count = (int)times;
    for (long i = 0, k = 0; i < times; i++)
        for (long j = 0; j < each; j++)
            for (long b = 0; b < bytes; b++)
                l->at[k++] = i * far + j * near + b;
}

/* A divisor of UNIT. */
static long divisor(void)
{
    static const long of[] = { 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 40, 48, 60, 80 };
    return of[below(sizeof of / sizeof *of)];
}

static void make_vector(struct layout *l)
{
    long bytes = divisor();
    make_plane(l, 1, l->n / bytes, bytes, 0, bytes + below(40));
}

static void make_rows(struct layout *l)
{
    long bytes = divisor(), each = UNIT / bytes, near = bytes + below(9);
    make_plane(l, l->n / UNIT, each, bytes, each * near + below(50), near);
}

/* Columns of a matrix, beside each other. */
static void make_columns(struct layout *l)
{
    long bytes = divisor(), columns = UNIT / bytes, each = l->n / UNIT;
    make_plane(l, columns, each, bytes, bytes, columns * bytes + below(300));
}

static void make_records(struct layout *l)
{
    int length[] = { 3, 4, 8, 5 };
    MPI_Aint at[] = { 1, 4, 16, 24 };
    MPI_Datatype fields, type[] = { MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE };
    if (below(2))
        at[0] = 9, at[1] = 0;
    OK(MPI_Type_create_struct(4, length, at, type, &fields));
    OK(MPI_Type_create_resized(fields, 0, 32, &l->type));
    OK(MPI_Type_free(&fields));
    l->count = (int)(l->n / 20);
    for (long i = 0, k = 0; i < l->count; i++)
        for (int f = 0; f < 4; f++)
            for (int b = 0; b < length[f]; b++)
                l->at[k++] = i * 32 + at[f] + b;
}

static struct layout make(long n)
{
    struct layout l = { .n = n, .at = t_alloc((size_t)n * sizeof(long)) };
    switch (below(6)) {
    case 0: make_list(&l); break;
    case 1: make_vector(&l); break;
    case 2: make_rows(&l); break;
    case 3: make_columns(&l); break;
    case 4: make_records(&l); break;
    default: make_plane(&l, 1, 1, n, 0, 0); break;
    }
    OK(MPI_Type_commit(&l.type));
    for (long i = 0; i < n; i++)
        l.span = l.at[i] >= l.span ? l.at[i] + 1 : l.span;
    return l;
}

static void layout_free(struct layout *l)
{
    if (l->type != MPI_DATATYPE_NULL)
        OK(MPI_Type_free(&l->type));
    free(l->at);
}

/* -- a message */

static struct layout from, to;
static struct t_buffer out, in;

/* The first n bytes of the previous rank's stream have come, and nothing else changed. */
static void check(long n)
{
    unsigned char *want = t_alloc(in.bytes);
    memset(want, GAP, in.bytes);
    for (long i = 0; i < n; i++)
        want[to.at[i]] = t_byte((unsigned)(t_prev() + turn), (size_t)i);
    if (memcmp(want, in.data, in.bytes) != 0)
        FAIL("%ld of %ld bytes are not where they belong", n, from.n);
    GUARDS(&in);
    free(want);
}

static void fill(void)
{
    memset(in.data, GAP, in.bytes);
    memset(out.data, ~GAP, out.bytes);
    for (long i = 0; i < from.n; i++)
        out.data[from.at[i]] = t_byte((unsigned)(t_rank + turn), (size_t)i);
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

static void replace(void)
{
    memset(in.data, GAP, in.bytes);
    for (long i = 0; i < to.n; i++)
        in.data[to.at[i]] = t_byte((unsigned)(t_rank + turn), (size_t)i);
    OK(MPI_Sendrecv_replace(in.data, to.count, to.type, t_next(), 3, t_prev(), 3, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    check(to.n);
}

/* One in eight is long. */
static void try(int i)
{
    long units = i % 8 == 7 ? 1 + below(3000) : 1 + below(i % 3 ? 8 : 100);
    int cut = below(8) == 0 && units > 1;
    from = make(units * UNIT);
    to = make((cut ? units - 1 : units + below(2) * (below(3) == 0)) * UNIT);
    t_buffer_new(&out, (size_t)from.span, (size_t)below(16));
    t_buffer_new(&in, (size_t)to.span, (size_t)below(16));
    fill();
    if (below(4) == 0)
        give_up();
    int what = cut || from.n != to.n ? 0 : (int)below(8);
    switch (what) {
    case 1: both_ways(); break;
    case 2: replace(); break;
    case 3: forget(); break;
    default: exchange((int)below(3), (int)below(4), (int)below(2));
    }
    layout_free(&from);
    layout_free(&to);
    t_buffer_free(&in);
    t_buffer_free(&out);
}

/* -- beyond 2 GiB */

enum { FAR_BLOCKS = 5, FAR_BYTES = 1000 };
static const MPI_Aint far_step = (1L << 30) + 24;

/* Blocks a GiB apart, in memory of which only they are ever touched. */
static void far_apart(void)
{
    MPI_Datatype type;
    size_t bytes = (size_t)(FAR_BLOCKS * far_step);
    unsigned char *b = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int possible = b != MAP_FAILED;
    OK(MPI_Allreduce(MPI_IN_PLACE, &possible, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    OK(MPI_Type_create_hvector(FAR_BLOCKS, FAR_BYTES, far_step, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; possible && i < FAR_BLOCKS; i++)
        t_fill(b + i * far_step, FAR_BYTES, (unsigned)(t_rank + i));
    if (possible)
        OK(MPI_Sendrecv(b, 1, type, t_next(), 4, b + 2000, 1, type, t_prev(), 4, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
    for (int i = 0; possible && i < FAR_BLOCKS; i++) {
        const unsigned char *at = b + i * far_step;
        DATA(at, FAR_BYTES, (unsigned)(t_rank + i));
        DATA(at + 2000, FAR_BYTES, (unsigned)(t_prev() + i));
        CHECK(at[FAR_BYTES] == 0 && at[1999] == 0 && at[2000 + FAR_BYTES] == 0);
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
    if (!strcmp(what, "buffers"))
        setenv("MPILITE_STAGED", "buffers", 1);
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
    far_apart();
    if (!getenv("MPILITE_MODEL"))       /* where it would be packed in one piece */
        long_one();
    return t_end();
}
