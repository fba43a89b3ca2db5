/* Collectives with counts and displacements beyond what an int can have: blocks that are far apart
 * in memory that is never touched in between, counts of elements without data, and a broadcast of
 * more than 2 GiB where there is memory for it. */
#include "t.h"

static const MPI_Aint FAR = (MPI_Aint)3 << 30;     /* elements */
enum { SHORTS = 3, NEEDED_KB = 8 << 20, RANKS_MOST = 4 };

static MPI_Count counts[RANKS_MOST];
static MPI_Aint displs[RANKS_MOST], bytes[RANKS_MOST];
static MPI_Datatype types[RANKS_MOST];

/* Room for blocks that are FAR elements of so many bytes apart, of which pages come into being when
 * they are written. */
static short *sparse(size_t element, size_t *length)
{
    *length = (size_t)t_size * (size_t)FAR * element + 4096;
    void *p = mmap(NULL, *length, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        FAIL("no address space");
    return p;
}

static short value(int from, int to, int i) { return (short)(100 * from + 10 * to + i + 1); }

static void fill(short *buf, int stride, MPI_Aint at, int from, int to)
{
    for (int i = 0; i < SHORTS; i++)
        buf[(at + i) * stride] = value(from, to, i);
}

static void check(const short *buf, int stride, MPI_Aint at, int from, int to)
{
    for (int i = 0; i < SHORTS; i++)
        SAME(buf[(at + i) * stride], value(from, to, i));
}

/* Elements of one short, or of a short and a gap. */
static void vectors(MPI_Datatype type, int stride)
{
    short own[2 * SHORTS], got[2 * SHORTS];
    size_t length;
    short *far = sparse(2 * (size_t)stride, &length);
    int root = t_size - 1;
    MPI_Request q;

    fill(own, stride, 0, t_rank, 0);
    OK(MPI_Allgatherv_c(own, SHORTS, type, far, counts, displs, type, MPI_COMM_WORLD));
    for (int r = 0; r < t_size; r++)
        check(far, stride, displs[r], r, 0);
    fill(own, stride, 0, t_rank, 5);
    OK(MPI_Gatherv_init_c(own, SHORTS, type, far, counts, displs, type, root, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &q));
    OK(MPI_Start(&q));
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&q));
    for (int r = 0; r < t_size && t_rank == root; r++) {
        check(far, stride, displs[r], r, 5);
        fill(far, stride, displs[r], root, r);
    }
    OK(MPI_Iscatterv_c(far, counts, displs, type, got, SHORTS, type, root, MPI_COMM_WORLD, &q));
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    check(got, stride, 0, root, t_rank);
    OK(munmap(far, length));
}

static void exchanges(void)
{
    size_t length;
    short *out = sparse(sizeof *out, &length), *in = sparse(sizeof *in, &length);

    for (int to = 0; to < t_size; to++)
        fill(out, 1, displs[to], t_rank, to);
    OK(MPI_Alltoallv_c(out, counts, displs, MPI_SHORT, in, counts, displs, MPI_SHORT,
                       MPI_COMM_WORLD));
    for (int from = 0; from < t_size; from++) {
        check(in, 1, displs[from], from, t_rank);
        fill(in, 1, displs[from], 9, 9);
    }
    OK(MPI_Alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD));
    for (int from = 0; from < t_size; from++)
        check(in, 1, displs[from], from, t_rank);
    OK(munmap(out, length));
    OK(munmap(in, length));
}

static void no_data(void)
{
    const MPI_Count many = (MPI_Count)1 << 40;
    MPI_Datatype none;
    char x = 1, y = 2;

    OK(MPI_Type_contiguous(0, MPI_INT, &none));
    OK(MPI_Type_commit(&none));
    OK(MPI_Bcast_c(&x, many, none, 0, MPI_COMM_WORLD));
    OK(MPI_Gather_c(&x, many, none, &y, many, none, 0, MPI_COMM_WORLD));
    OK(MPI_Scatter_c(&x, many, none, &y, many, none, 0, MPI_COMM_WORLD));
    OK(MPI_Allgather_c(&x, many, none, &y, many, none, MPI_COMM_WORLD));
    OK(MPI_Alltoall_c(&x, many, none, &y, many, none, MPI_COMM_WORLD));
    SAME(x, 1);
    SAME(y, 2);
    OK(MPI_Type_free(&none));
}

static int memory_available(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    const char *scale = getenv("TEST_TIMEOUT_SCALE");
    char line[128];
    long kb = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %ld kB", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb >= NEEDED_KB && !(scale && atoi(scale) > 1);
}

/* Where there is no room for it, the rest has been tested. */
static void long_bcast(void)
{
    const MPI_Count length = ((MPI_Count)1 << 31) + 77;
    int enough = t_size == 2 && memory_available();
    char *data;

    OK(MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD));
    if (!enough)
        return;
    data = calloc(1, (size_t)length);
    CHECK(data);
    if (t_rank == 0)
        data[0] = data[length / 2] = data[length - 1] = 5;
    OK(MPI_Bcast_c(data, length, MPI_BYTE, 0, MPI_COMM_WORLD));
    SAME(data[0] + data[length / 2] + data[length - 1], 15);
    free(data);
}

int main(int argc, char **argv)
{
    MPI_Datatype gap;

    t_start(&argc, &argv);
    for (int r = 0; r < t_size; r++) {
        counts[r] = SHORTS;
        displs[r] = r * FAR;
        bytes[r] = displs[r] * (MPI_Aint)sizeof(short);
        types[r] = MPI_SHORT;
    }
    OK(MPI_Type_create_resized(MPI_SHORT, 0, 2 * sizeof(short), &gap));
    OK(MPI_Type_commit(&gap));
    vectors(MPI_SHORT, 1);
    vectors(gap, 2);
    exchanges();
    no_data();
    long_bcast();
    OK(MPI_Type_free(&gap));
    return t_end();
}
