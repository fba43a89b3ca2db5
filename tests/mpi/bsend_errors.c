/* Buffered sends without room: MPI_ERR_BUFFER, and the buffer stays usable. */
#include <limits.h>

#include "t.h"

enum { ROOM = 4096, LARGE = 1 << 20 };

/* A size that an int cannot say. */
static void beyond_int(void)
{
    const MPI_Count most = INT_MAX, size = most + 1;
    char *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *detached;
    MPI_Count count;
    int bytes;
    if (memory == MAP_FAILED)       /* a limit of address space */
        return;
    OK(MPI_Buffer_attach_c(memory, size));
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == memory);
    SAME(bytes, MPI_UNDEFINED);
    OK(MPI_Buffer_attach_c(memory, size));
    OK(MPI_Buffer_detach_c(&detached, &count));
    SAME(count, size);
    OK(MPI_Buffer_attach_c(memory, most));
    OK(MPI_Buffer_detach(&detached, &bytes));
    SAME(bytes, most);
    SAME(munmap(memory, (size_t)size), 0);
}

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
    CLASS(MPI_Buffer_detach(NULL, &bytes), MPI_ERR_ARG);
    CLASS(MPI_Buffer_detach(&detached, NULL), MPI_ERR_ARG);
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == buffer);
    SAME(bytes, ROOM);
    OK(MPI_Buffer_attach(NULL, 0));
    OK(MPI_Buffer_detach(&detached, &bytes));
    SAME(bytes, 0);
    beyond_int();
    free(buffer);
    free(large);
    return t_end();
}
