/* Collectives on several communicators in turn, with point-to-point messages under way between the
 * same ranks: wildcard receives never see what belongs to a collective, and collectives never take
 * a message. */
#include "t.h"

enum { ROUNDS = 60 };

int main(int argc, char **argv)
{
    MPI_Comm dup, half, back;
    int half_size;

    t_start(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &half));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 1, -t_rank, &back));
    OK(MPI_Comm_size(half, &half_size));
    for (int i = 0; i < ROUNDS; i++) {
        int n = i % 5 == 4 ? 20000 : 10, sum = 0, one = 1, value;
        int *in = t_ints((size_t)n), *out = t_values(t_rank, n), *big = t_values(3, n);
        MPI_Request receive, send;

        OK(MPI_Irecv(in, n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive));
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        SAME(sum, t_size);
        OK(MPI_Isend(out, n, MPI_INT, t_next(), i, MPI_COMM_WORLD, &send));
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half));
        SAME(sum, half_size);
        OK(MPI_Bcast(big, n, MPI_INT, i % t_size, dup));
        value = i;
        OK(MPI_Bcast(&value, 1, MPI_INT, 0, back));
        SAME(value, i);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        for (int k = 0; k < n; k++) {
            SAME(in[k], t_value(t_prev(), k));
            SAME(big[k], t_value(3, k));
        }
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        free(in);
        free(out);
        free(big);
    }
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&back));
    return t_end();
}
