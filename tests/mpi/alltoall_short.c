/* All-to-alls of short blocks, around the lengths of a word, of a line, and of what the buffers of
 * a way that all ranks share may hold: blocking or not, two under way, bytes beside left alone. */
#include "t.h"

static const int lengths[] = {
    1, 7, 8, 9, 25, 26, 27, 32, 56, 63, 64, 65, 127, 128, 129, 205, 512, 1023, 1024, 1025, 6552,
    6553, 20000, 52433, 87425,
};
enum { LENGTHS = sizeof lengths / sizeof *lengths, AT_ONCE = 2, MOST = 4 << 20, GUARD = 8 };

static char *out[AT_ONCE], *in[AT_ONCE];

static char byte_of(int from, int to, int turn, int i)
{
    return (char)(from * 41 + to * 13 + turn * 5 + i * 3 + i / 251);
}

static void fill(int turn, int bytes)
{
    for (int to = 0; to < t_size; to++)
        for (int i = 0; i < bytes; i++)
            out[turn][to * bytes + i] = byte_of(t_rank, to, turn, i);
    memset(in[turn], 0x5a, (size_t)t_size * bytes + GUARD);
}

static void look(int turn, int bytes)
{
    for (int from = 0; from < t_size; from++)
        for (int i = 0; i < bytes; i++)
            SAME(in[turn][from * bytes + i], byte_of(from, t_rank, turn, i));
    for (int i = 0; i < GUARD; i++)
        SAME(in[turn][t_size * bytes + i], 0x5a);
}

static void exchange(int bytes)
{
    MPI_Request request[AT_ONCE];
    fill(0, bytes);
    OK(MPI_Alltoall(out[0], bytes, MPI_BYTE, in[0], bytes, MPI_BYTE, MPI_COMM_WORLD));
    look(0, bytes);
    for (int turn = 0; turn < AT_ONCE; turn++) {
        fill(turn, bytes);
        OK(MPI_Ialltoall(out[turn], bytes, MPI_BYTE, in[turn], bytes, MPI_BYTE, MPI_COMM_WORLD,
                         &request[turn]));
    }
    OK(MPI_Waitall(AT_ONCE, request, MPI_STATUSES_IGNORE));
    for (int turn = 0; turn < AT_ONCE; turn++)
        look(turn, bytes);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int turn = 0; turn < AT_ONCE; turn++) {
        out[turn] = malloc(MOST);
        in[turn] = malloc(MOST + GUARD);
        CHECK(out[turn] && in[turn]);
    }
    for (int k = 0; k < LENGTHS; k++)
        if ((long)t_size * lengths[k] <= MOST / (t_size > 8 ? 4 : 1))
            exchange(lengths[k]);
    for (int turn = 0; turn < AT_ONCE; turn++) {
        free(out[turn]);
        free(in[turn]);
    }
    return t_end();
}
