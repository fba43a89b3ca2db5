/* Buffered sends without room: MPI_ERR_BUFFER, and the buffer stays usable. */
#include "t.h"

enum { ROOM = 4096, LARGE = 1 << 20 };

int main(int argc, char **argv)
{
    unsigned char *buffer, *large;
    int bytes, value = 12, got = 0;
    MPI_Request request;
    void *detached;

    t_start(&argc, &argv);
    t_errors_return();
    large = t_alloc(LARGE);
    memset(large, 1, LARGE);
    buffer = t_alloc(ROOM);
    CLASS(MPI_Bsend(large, LARGE, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    OK(MPI_Buffer_attach(buffer, ROOM));
    CLASS(MPI_Buffer_attach(large, LARGE), MPI_ERR_BUFFER);
    CLASS(MPI_Bsend(large, LARGE, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CLASS(MPI_Ibsend(large, LARGE, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD, &request),
          MPI_ERR_BUFFER);
    OK(MPI_Bsend(&value, 1, MPI_INT, t_next(), 2, MPI_COMM_WORLD));
    OK(MPI_Recv(&got, 1, MPI_INT, t_prev(), MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SAME(got, value);
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == buffer);
    SAME(bytes, ROOM);
    free(buffer);
    free(large);
    return t_end();
}
