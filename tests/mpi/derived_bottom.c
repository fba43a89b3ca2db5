/* MPI_BOTTOM: a struct type of absolute addresses; and particles as programs declare them. */
#include "t.h"
#include <stddef.h>

static void absolute(void)
{
    double a = t_rank + 0.5, b[3] = { 1, 2, 3 };
    int c = 10 * t_rank, length[] = { 1, 2, 1 };
    MPI_Datatype t, member[] = { MPI_DOUBLE, MPI_DOUBLE, MPI_INT };
    MPI_Aint at[3];
    OK(MPI_Get_address(&a, &at[0]));
    OK(MPI_Get_address(&b[1], &at[1]));
    OK(MPI_Get_address(&c, &at[2]));
    b[2] = t_rank;
    OK(MPI_Type_create_struct(3, length, at, member, &t));
    OK(MPI_Type_commit(&t));
    OK(MPI_Sendrecv_replace(MPI_BOTTOM, 1, t, t_next(), 0, t_prev(), 0, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    CHECK(a == t_prev() + 0.5 && b[0] == 1 && b[1] == 2 && b[2] == t_prev());
    SAME(c, 10 * t_prev());
    OK(MPI_Type_free(&t));
}

struct particle { char kind; double at[3]; int id; float charge; };

static void particles(void)
{
    enum { N = 1000 };
    struct particle *mine = t_alloc(N * sizeof *mine), *theirs = t_alloc(N * sizeof *theirs);
    const int length[] = { 1, 3, 1, 1 };
    const MPI_Aint at[] = { offsetof(struct particle, kind), offsetof(struct particle, at),
                            offsetof(struct particle, id), offsetof(struct particle, charge) };
    const MPI_Datatype member[] = { MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_FLOAT };
    MPI_Datatype whole, t;
    memset(mine, 0, N * sizeof *mine);
    memset(theirs, 0, N * sizeof *theirs);
    for (int i = 0; i < N; i++)
        mine[i] = (struct particle){ 'p', { i, t_rank, 2 }, i, 0.25f };
    OK(MPI_Type_create_struct(4, length, at, member, &whole));
    OK(MPI_Type_create_resized(whole, 0, sizeof *mine, &t));
    OK(MPI_Type_commit(&t));
    OK(MPI_Sendrecv(mine, N, t, t_next(), 0, theirs, N, t, t_prev(), 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK(theirs[i].kind == 'p' && theirs[i].at[0] == i && theirs[i].at[1] == t_prev()
              && theirs[i].id == i && theirs[i].charge == 0.25f);
    OK(MPI_Type_free(&whole));
    OK(MPI_Type_free(&t));
    free(mine);
    free(theirs);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    absolute();
    particles();
    return t_end();
}
