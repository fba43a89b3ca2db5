/* MPI_Alloc_mem, MPI_Free_mem, MPI_Get_address. */
#include "t.h"

int main(int argc, char **argv)
{
    MPI_Aint address;
    char *block;
    int in, out;

    t_start(&argc, &argv);
    for (int i = 0; i < 50; i++) {
        OK(MPI_Alloc_mem(1 + i * 5000, MPI_INFO_NULL, &block));
        CHECK((uintptr_t)block % 16 == 0);
        memset(block, i, (size_t)(1 + i * 5000));
        OK(MPI_Get_address(block, &address));
        CHECK((char *)address == block);
        OK(MPI_Free_mem(block));
    }
    OK(MPI_Alloc_mem(64, MPI_INFO_NULL, &block));
    memset(block, t_rank, 64);
    out = t_rank;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, t_next(), 0, block, 1, MPI_INT, t_prev(), 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    memcpy(&in, block, sizeof in);
    SAME(in, t_prev());
    OK(MPI_Free_mem(block));
    return t_end();
}
