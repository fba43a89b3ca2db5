/* MPI_Gatherv and MPI_Allgatherv of blocks about as long as what goes by slots, many in a row: all
 * short, all long, and both; and counts that disagree, whichever way the block goes. */
#include "t.h"

enum { RANKS_MOST = 64, GAP = 3, ROW = 96 };

static const int lengths[] = { 0, 1, 8, 103, 104, 105, 112, 1015, 1016, 1017, 4000, 70000 };
enum { SHORTS = 5, ROWS = 9, ALL = sizeof lengths / sizeof *lengths };

/* Which lengths ranks give: from `first` on so many of them; one: only rank `call` gives any. */
static const struct mode { int first, many, one; } modes[] = {
    { 0, SHORTS, 0 }, { SHORTS, ALL - SHORTS, 0 }, { 0, ALL, 0 }, { 2, 1, 0 }, { 2, ROWS - 2, 0 },
    { SHORTS, ALL - 1 - SHORTS, 0 }, { 0, ALL, 1 },
};
enum { MODES = sizeof modes / sizeof *modes };

static int length(const struct mode *m, int rank, int call)
{
    if (m->one && rank != call % t_size)
        return 0;
    return lengths[m->first + (rank * 7 + call * 5) % m->many];
}

static unsigned seed_of(int rank, int call) { return (unsigned)(rank * 1000 + call); }

static int counts[RANKS_MOST], displs[RANKS_MOST];

/* One behind the other, the last rank's first, with a gap behind each; what that takes. */
static int lay_out(const struct mode *m, int call)
{
    int at = 0;
    for (int r = t_size - 1; r >= 0; r--) {
        counts[r] = length(m, r, call);
        displs[r] = at;
        at += counts[r] + GAP;
    }
    return at;
}

static void look(const unsigned char *all, int call)
{
    for (int r = 0; r < t_size; r++) {
        DATA(all + displs[r], (size_t)counts[r], seed_of(r, call));
        for (int i = 0; i < GAP; i++)
            SAME(all[displs[r] + counts[r] + i], T_GUARD_BYTE);
    }
}

static void one_call(const struct mode *m, int call, int root, int in_place)
{
    int total = lay_out(m, call), mine = counts[t_rank];
    int gets = root < 0 || root == t_rank;
    unsigned char *all = gets ? t_alloc((size_t)total) : NULL, *own = t_alloc((size_t)mine + 1);
    const void *from = in_place && gets ? MPI_IN_PLACE : own;
    if (gets)
        memset(all, T_GUARD_BYTE, (size_t)total);
    t_fill(own, (size_t)mine, seed_of(t_rank, call));
    if (from == MPI_IN_PLACE)
        memcpy(all + displs[t_rank], own, (size_t)mine);
    if (root < 0)
        OK(MPI_Allgatherv(from, mine, MPI_BYTE, all, counts, displs, MPI_BYTE, MPI_COMM_WORLD));
    else if (gets)
        OK(MPI_Gatherv(from, mine, MPI_BYTE, all, counts, displs, MPI_BYTE, root, MPI_COMM_WORLD));
    else
        OK(MPI_Gatherv(from, mine, MPI_BYTE, NULL, NULL, NULL, MPI_BYTE, root, MPI_COMM_WORLD));
    if (gets)
        look(all, call);
    free(all);
    free(own);
}

/* root: the same in all calls, or another in each. */
static void in_a_row(const struct mode *m)
{
    for (int call = 0; call < ROW; call++)
        one_call(m, call, 0, call % 2);
    for (int call = 0; call < ROW; call++)
        one_call(m, call, call % t_size, call % 3 == 0);
    for (int call = 0; call < ROW; call++)
        one_call(m, call, call % 5 ? -1 : call % t_size, call % 2);
}

/* Rank 1 gives `sent` bytes to the root, which expects others of it; the rest give as many as they
 * should.  Then the communicator is as good as before, and what lies behind the block untouched. */
static void disagree(int sent, int expected, int others)
{
    static unsigned char all[RANKS_MOST * 512], own[512];
    MPI_Comm comm;
    memset(all, T_GUARD_BYTE, sizeof all);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    for (int r = 0; r < t_size; r++) {
        counts[r] = r == 1 ? expected : others;
        displs[r] = r * 512;
    }
    int code = MPI_Gatherv(own, t_rank == 1 ? sent : others, MPI_BYTE, all, counts, displs,
                           MPI_BYTE, 0, comm);
    CLASS(code, t_rank ? MPI_SUCCESS : sent > expected ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT);
    for (int i = expected; i < 512; i++)
        SAME(all[512 + i], T_GUARD_BYTE);
    OK(MPI_Barrier(comm));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    static const int pairs[][2] = { { 8, 16 }, { 16, 8 }, { 8, 200 }, { 200, 8 }, { 200, 300 },
                                    { 300, 200 }, { 0, 8 }, { 8, 0 }, { 200, 0 }, { 0, 200 } };
    t_start(&argc, &argv);
    t_errors_return();
    if (t_size > RANKS_MOST)
        t_skip("more than 64 ranks");
    for (int i = 0; i < MODES; i++)
        in_a_row(&modes[i]);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && t_size > 1; i++)
        for (int others = 8; others < 512; others += 300)
            disagree(pairs[i][0], pairs[i][1], others);
    return t_end_single();
}
