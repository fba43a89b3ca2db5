/* Pairs with holes (a double and an int, a short and an int) travel value by value and reduce to
 * the place of the extreme; half of one arrives where only that is sent. */
#include "t.h"
#include <stddef.h>

struct double_int { double value; int place; };
struct short_int { short value; int place; };

enum { COUNT = 3000 };

static void doubles(void)
{
    struct double_int *out = t_alloc(COUNT * sizeof *out), *in = t_alloc(COUNT * sizeof *in);
    MPI_Request send;

    for (int i = 0; i < COUNT; i++) {
        out[i].value = t_rank + i * 0.5;
        out[i].place = i;
    }
    OK(MPI_Isend(out, COUNT, MPI_DOUBLE_INT, t_next(), 0, MPI_COMM_WORLD, &send));
    OK(MPI_Recv(in, COUNT, MPI_DOUBLE_INT, t_prev(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK(in[i].value == t_prev() + i * 0.5 && in[i].place == i);
    free(out);
    free(in);
}

static void shorts(void)
{
    struct short_int out[50], in[50];

    for (int i = 0; i < 50; i++) {
        out[i].value = (short)((t_rank * 7 + i) % 11);
        out[i].place = t_rank;
    }
    OK(MPI_Allreduce(out, in, 50, MPI_SHORT_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    for (int i = 0; i < 50; i++) {
        short best = -1;
        int place = -1;

        for (int r = 0; r < t_size; r++)
            if ((r * 7 + i) % 11 > best) {
                best = (short)((r * 7 + i) % 11);
                place = r;
            }
        SAME(in[i].value, best);
        SAME(in[i].place, place);
    }
}

/* A value is the first element of a pair, whose index stays as it was. */
static void halves(void)
{
    struct double_int in[2] = { { -1, -1 }, { -1, -1 } };
    const struct { double value; int place; double next; } out = { 1.5, 7, 2.5 };
    const int length[] = { 1, 1, 1 };
    const MPI_Aint at[] = { offsetof(struct double_int, value), offsetof(struct double_int, place),
                            sizeof(struct double_int) };
    const MPI_Datatype member[] = { MPI_DOUBLE, MPI_INT, MPI_DOUBLE };
    MPI_Datatype type;
    MPI_Status status;
    int elements, pairs;

    OK(MPI_Type_create_struct(3, length, at, member, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Sendrecv(&out, 1, type, t_next(), 0, in, 2, MPI_DOUBLE_INT, t_prev(), 0, MPI_COMM_WORLD,
                    &status));
    CHECK(in[0].value == 1.5 && in[0].place == 7 && in[1].value == 2.5 && in[1].place == -1);
    OK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &elements));
    SAME(elements, 3);
    OK(MPI_Get_count(&status, MPI_DOUBLE_INT, &pairs));
    SAME(pairs, MPI_UNDEFINED);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    doubles();
    shorts();
    halves();
    return t_end();
}
