/* Every error class has a text of its own and is its own class; with the reason, where one was
 * given. */
#include <pthread.h>

#include "t.h"

/* The text of a code that a call has given says why, to the thread that has called. */
static void *other_thread(void *text)
{
    int length;

    OK(MPI_Error_string(MPI_ERR_TAG, text, &length));
    return NULL;
}

static void reasons(void)
{
    char text[MPI_MAX_ERROR_STRING], again[MPI_MAX_ERROR_STRING], plain[MPI_MAX_ERROR_STRING];
    int length, number = 0;
    pthread_t thread;

    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Error_string(MPI_ERR_TAG, plain, &length));
    CLASS(MPI_Send(&number, 1, MPI_INT, 0, -7, MPI_COMM_SELF), MPI_ERR_TAG);
    OK(MPI_Error_string(MPI_ERR_TAG, text, &length));
    SAME(strlen(text), length);
    CHECK(!strncmp(text, plain, strlen(plain)));
    CHECK(strstr(text, "(MPI_Send: ") && strstr(text, "-7"));
    OK(MPI_Error_string(MPI_ERR_TAG, again, &length));
    CHECK(!strcmp(text, again));
    if (!pthread_create(&thread, NULL, other_thread, again)) {
        pthread_join(thread, NULL);
        CHECK(!strcmp(again, plain));
    }
    CLASS(MPI_Send(&number, -3, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_ERR_COUNT);
    OK(MPI_Error_string(MPI_ERR_TAG, again, &length));
    CHECK(!strcmp(again, plain));
    OK(MPI_Error_string(MPI_ERR_COUNT, again, &length));
    CHECK(strstr(again, "(MPI_Send: ") && strstr(again, "-3"));
    OK(MPI_Error_string(MPI_SUCCESS, again, &length));
    CHECK(!strstr(again, "MPI_Send"));
    OK(MPI_Add_error_code(MPI_ERR_OTHER, &number));
    OK(MPI_Add_error_string(number, "of its own"));
    OK(MPI_Comm_call_errhandler(MPI_COMM_SELF, number));
    OK(MPI_Error_string(number, again, &length));
    CHECK(!strcmp(again, "of its own"));
}

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
    reasons();
    return t_end();
}
