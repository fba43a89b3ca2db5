/* Puts and gets of all lengths to memory that is not mapped, with targets that wait in a call, and
 * with such that compute at times: by packets of one line or several, by packets one behind the
 * other, by the kernel, and by both ends at once; with flushes and as requests of their own.  What
 * lies beside them stays as it is.  argument: how memory is reached. */
#include <stdint.h>

#include "t.h"

enum { MOST = 9 << 20, SPARE = 64, RANKS_MOST = 4 };

static const int lengths[] = { 1, 7, 8, 24, 25, 48, 49, 64, 500, 4096, 8191, 8192, 8193, 16384,
                               32768, 32769, 65536, 65537, 131071, 131072, 200000, 1 << 20,
                               (4 << 20) + 5, 8 << 20 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static unsigned char *memory, *data;
static uint64_t state;

static unsigned any(unsigned limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

static void set_up(const char *way)
{
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (!strcmp(way, "private"))
        setenv("MPILITE_RMA", way, 1);
    if (!strcmp(way, "read") || !strcmp(way, "write"))
        setenv("NICEMU_RDMA", way, 1);
    if (!strcmp(way, "asked"))
        setenv("MPILITE_RMA", "packets", 1);
}

static IN_BOTH unsigned char byte_of(int round, size_t i)
{
    return (unsigned char)(i * 7 + i / 251 + (size_t)round);
}

UNWATCHED static void put_bytes(int bytes, int round)
{
    for (int i = 0; i < bytes; i++)
        data[i] = byte_of(round, (size_t)i);
}

static void fill(int bytes, int round)
{
    all_written(data, (size_t)bytes);
    put_bytes(bytes, round);
}

/* Which is the first of them that is another, or -1. */
UNWATCHED static int find_other(const unsigned char *got, int bytes, int round)
{
    for (int i = 0; i < bytes; i++)
        if (got[i] != byte_of(round, (size_t)i))
            return i;
    return -1;
}

static void check(const unsigned char *got, int bytes, int round)
{
    all_read(got, (size_t)bytes);
    int other = find_other(got, bytes, round);
    if (other >= 0)
        FAIL("byte %d of %d is %d", other, bytes, got[other]);
}

/* Rank 1 puts to the memory of rank 0, and gets from there; others do so to ranks of their own. */
static void move(MPI_Win win, int target, int bytes, int round)
{
    const MPI_Aint at = SPARE + any(SPARE);
    MPI_Request r;
    fill(bytes, round);
    if (round % 3 == 2) {
        OK(MPI_Rput(data, bytes, MPI_BYTE, target, at, bytes, MPI_BYTE, win, &r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Put(data, bytes, MPI_BYTE, target, at, bytes, MPI_BYTE, win));
    }
    OK(MPI_Win_flush(target, win));
    memset(data, 0, (size_t)bytes + 2 * SPARE);
    if (round % 3 == 1) {
        OK(MPI_Rget(data + SPARE, bytes, MPI_BYTE, target, at, bytes, MPI_BYTE, win, &r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Get(data + SPARE, bytes, MPI_BYTE, target, at, bytes, MPI_BYTE, win));
        OK(MPI_Win_flush(target, win));
    }
    check(data + SPARE, bytes, round);
    for (int i = 0; i < SPARE; i++)
        CHECK(!data[i] && !data[SPARE + bytes + i]);
}

/* Many at once, and one flush for all; the last of those that overlap need not be the last to be
 * sent, so they do not. */
static void many(MPI_Win win, int target, int each)
{
    enum { COUNT = 200 };
    const int all = each * COUNT;
    fill(all, 9);
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Put(data + i * each, each, MPI_BYTE, target, i * each, each, MPI_BYTE, win));
    OK(MPI_Win_flush(target, win));
    memset(data, 0, (size_t)all);
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Get(data + i * each, each, MPI_BYTE, target, i * each, each, MPI_BYTE, win));
    OK(MPI_Win_flush(target, win));
    check(data, all, 9);
}

/* Outside of the window, of each length: an error, and nothing is written. */
static void beyond(MPI_Win win, int target)
{
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < LENGTHS; i++) {
        int class = MPI_SUCCESS;
        int rc = MPI_Put(data, lengths[i], MPI_BYTE, target, MOST - lengths[i] + 1, lengths[i],
                         MPI_BYTE, win);
        if (rc)
            MPI_Error_class(rc, &class);
        SAME(class, MPI_ERR_RMA_RANGE);
    }
}

static void compute(void)
{
    volatile double heat = 1;
    for (int i = 0; i < 300000; i++)
        heat = heat * 0.9999 + 1;
}

static void target_of(int origin)
{
    for (int i = 0; i < LENGTHS + 3; i++) {
        if (any(3) == 0)
            compute();
        OK(MPI_Recv(NULL, 0, MPI_BYTE, origin, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

static void origin_of(MPI_Win win, int target)
{
    for (int i = 0; i < LENGTHS + 3; i++) {
        if (i < LENGTHS)
            move(win, target, lengths[i], i);
        else if (i < LENGTHS + 2)
            many(win, target, i == LENGTHS ? 700 : 40);
        else
            beyond(win, target);
        OK(MPI_Send(NULL, 0, MPI_BYTE, target, 1, MPI_COMM_WORLD));
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    set_up(argc > 1 ? argv[1] : "direct");
    t_start(&argc, &argv);
    state = 5 + (unsigned)t_rank;
    memory = calloc(MOST, 1);
    data = calloc(MOST + 2 * SPARE, 1);
    CHECK(memory && data && t_size <= RANKS_MOST);
    OK(MPI_Win_create(memory, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_lock_all(0, win));
    /* pairs, and then the other way round */
    for (int turn = 0; turn < 2; turn++) {
        const int other = t_rank ^ 1;
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (other < t_size && (t_rank & 1) == turn)
            target_of(other);
        else if (other < t_size)
            origin_of(win, other);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    free(memory);
    free(data);
    return t_end();
}
