/* MPI_Alloc_mem: sizes, alignment, hints, errors, blocks as buffers of messages either way,
 * exhaustion of the heap and use after that. */
#include <sys/sysinfo.h>

#include "t.h"

enum { LONGEST = 3 << 20 };
static const MPI_Aint sizes[] = { 0, 1, 63, 64, 65, 1000, 4096, 8193, 65535, 65536, 70001, 262144,
                                  1000003, LONGEST };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void many_sizes(void)
{
    unsigned char *block[SIZES];

    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < SIZES; i++) {
            OK(MPI_Alloc_mem(sizes[i], MPI_INFO_NULL, &block[i]));
            CHECK(block[i] && (uintptr_t)block[i] % 64 == 0);
            t_fill(block[i], (size_t)sizes[i], i);
        }
        for (unsigned i = 0; i < SIZES; i++)
            DATA(block[i], (size_t)sizes[i], i);
        for (unsigned i = 0; i < SIZES; i++)
            OK(MPI_Free_mem(block[(i * 5 + (unsigned)round) % SIZES]));
    }
}

/* A rank's block or its own memory at either end of a message,
 * posted first or not, to the next rank. */
static void as_buffers(void)
{
    unsigned char *mine[2], *theirs[2];
    MPI_Request request;

    mine[0] = t_alloc(LONGEST);
    theirs[0] = t_alloc(LONGEST);
    OK(MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &mine[1]));
    OK(MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &theirs[1]));
    for (unsigned i = 0; i < SIZES; i++)
        for (unsigned way = 0; way < 8; way++) {
            unsigned char *out = mine[way & 1], *in = theirs[way >> 1 & 1];
            int n = (int)sizes[i];
            t_fill(out, (size_t)n, (unsigned)t_rank + way);
            memset(in, 0, (size_t)n);
            if (way & 4) {
                OK(MPI_Irecv(in, n, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &request));
                OK(MPI_Barrier(MPI_COMM_WORLD));
                OK(MPI_Send(out, n, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD));
            } else {
                OK(MPI_Isend(out, n, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD, &request));
                OK(MPI_Barrier(MPI_COMM_WORLD));
                OK(MPI_Recv(in, n, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            }
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            DATA(in, (size_t)n, (unsigned)t_prev() + way);
        }
    free(mine[0]);
    free(theirs[0]);
    OK(MPI_Free_mem(mine[1]));
    OK(MPI_Free_mem(theirs[1]));
}

/* Part of a block, and a block and what lies behind it:
 * only what is inside is taken the short way. */
static void parts(void)
{
    unsigned char *block, *in = t_alloc(LONGEST);

    OK(MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &block));
    t_fill(block, LONGEST, 9);
    for (int skip = 1; skip < 200000; skip = skip * 7 + 1) {
        int n = LONGEST - skip;
        memset(in, 0, LONGEST);
        OK(MPI_Sendrecv(block + skip, n, MPI_BYTE, t_next(), 0, in, n, MPI_BYTE, t_prev(), 0,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(!memcmp(in, block + skip, (size_t)n) && !in[n]);
    }
    OK(MPI_Free_mem(block));
    free(in);
}

/* More than there is the kernel gives nobody, though little of it is used here. */
static bool has_memory(uint64_t bytes)
{
    struct sysinfo s;

    return !sysinfo(&s) && (uint64_t)(s.totalram + s.totalswap) * s.mem_unit > bytes + bytes / 4;
}

/* Larger than the heap is, and more than it holds: then other memory. */
static void beyond_the_heap(void)
{
    enum { MORE = 40 };
    const MPI_Aint large = (MPI_Aint)120 << 20, most = (MPI_Aint)5 << 30,
        whole = has_memory((uint64_t)most) ? most : large;
    unsigned char *huge, *block[MORE];

    OK(MPI_Alloc_mem(whole, MPI_INFO_NULL, &huge));
    huge[0] = huge[whole - 1] = 1;
    for (unsigned i = 0; i < MORE; i++) {
        OK(MPI_Alloc_mem(large, MPI_INFO_NULL, &block[i]));
        block[i][0] = block[i][large - 1] = (unsigned char)i;
    }
    OK(MPI_Sendrecv(block[0], 1, MPI_BYTE, t_next(), 0, huge, 1, MPI_BYTE, t_prev(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (unsigned i = 0; i < MORE; i++) {
        SAME(block[i][0], i);
        SAME(block[i][large - 1], i);
        OK(MPI_Free_mem(block[i]));
    }
    OK(MPI_Free_mem(huge));
}

static void hints(void)
{
    static const char *const values[] = { "1", "64", "128", "4096", "65536", "1048576", "100",
                                          "-4", "x", "" };
    static const char *const places[] = { "heap", "scratchpad", "private", "attic" };
    unsigned char *block[8];
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_such_hint", "true"));
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        int align = atoi(values[i]);
        OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", values[i]));
        for (unsigned k = 0; k < 8; k++) {
            OK(MPI_Alloc_mem(3000 * (MPI_Aint)k + 1, info, &block[k]));
            CHECK((uintptr_t)block[k] % (align > 64 && !(align & (align - 1)) ? (unsigned)align
                                                                                  : 64) == 0);
            memset(block[k], 1, 3000 * k + 1);
        }
        for (unsigned k = 0; k < 8; k++)
            OK(MPI_Free_mem(block[k]));
    }
    OK(MPI_Info_delete(info, "mpi_minimum_memory_alignment"));
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        OK(MPI_Info_set(info, "mpilite_memory", places[i]));
        for (unsigned k = 0; k < 8; k++) {
            OK(MPI_Alloc_mem((MPI_Aint)100 << 2 * k, info, &block[k]));
            t_fill(block[k], (size_t)100 << 2 * k, k);
        }
        for (unsigned k = 0; k < 8; k++) {
            DATA(block[k], (size_t)100 << 2 * k, k);
            OK(MPI_Free_mem(block[k]));
        }
    }
    OK(MPI_Info_free(&info));
}

static void errors(void)
{
    unsigned char *block, own;
    MPI_Info info, stale;

    OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &block));
    CLASS(MPI_Alloc_mem(-1, MPI_INFO_NULL, &block), MPI_ERR_SIZE);
    CLASS(MPI_Alloc_mem(1, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CLASS(MPI_Alloc_mem(INT64_MAX, MPI_INFO_NULL, &block), MPI_ERR_NO_MEM);
    OK(MPI_Info_create(&info));
    stale = info;
    OK(MPI_Info_free(&info));
    CLASS(MPI_Alloc_mem(1, stale, &block), MPI_ERR_INFO);
    CLASS(MPI_Free_mem(&own), MPI_ERR_BASE);
    CLASS(MPI_Free_mem(block + 64), MPI_ERR_BASE);
    OK(MPI_Free_mem(block));
    CLASS(MPI_Free_mem(block), MPI_ERR_BASE);
    OK(MPI_Free_mem(NULL));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    many_sizes();
    as_buffers();
    parts();
    beyond_the_heap();
    hints();
    errors();
    many_sizes();
    return t_end();
}
