/* Blocks that a program has not freed when it calls MPI_Finalize
 * stay readable and writable until it ends. */
#include "t.h"

int main(int argc, char **argv)
{
    static const MPI_Aint sizes[] = { 1, 100, 5000, 300000, 3000000 };
    enum { SIZES = sizeof sizes / sizeof *sizes };
    unsigned char *block[SIZES];

    t_start(&argc, &argv);
    for (unsigned i = 0; i < SIZES; i++) {
        OK(MPI_Alloc_mem(sizes[i], MPI_INFO_NULL, &block[i]));
        t_fill(block[i], (size_t)sizes[i], i);
    }
    OK(MPI_Finalize());
    for (unsigned i = 0; i < SIZES; i++)
        for (MPI_Aint k = 0; k < sizes[i]; k++)
            if (block[i][k]++ != t_byte(i, (size_t)k))
                return 1;
    return 0;
}
