/* Every error class has a text of its own and is its own class. */
#include "t.h"

int main(int argc, char **argv)
{
    static const int classes[] = {
        MPI_SUCCESS, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM,
        MPI_ERR_RANK,
        MPI_ERR_REQUEST, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,
        MPI_ERR_ARG,
        MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_PENDING,
        MPI_ERR_IN_STATUS,
    };
    enum { N = sizeof classes / sizeof *classes };
    static char texts[N][MPI_MAX_ERROR_STRING];

    t_start(&argc, &argv);
    for (int i = 0; i < N; i++) {
        int class = -1, length = -1;

        OK(MPI_Error_class(classes[i], &class));
        SAME(class, classes[i]);
        OK(MPI_Error_string(classes[i], texts[i], &length));
        CHECK(length > 0 && length < MPI_MAX_ERROR_STRING);
        SAME(strlen(texts[i]), length);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(texts[i], texts[k]) != 0);
    }
    return t_end();
}
