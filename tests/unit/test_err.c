/* Error classes and their texts; error handlers, their life and what they do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "alone.h"
#include "core/err.h"
#include "core/err_text.h"
#include "core/errhandler.h"

/* ------------------------------------------------------------------- classes -- */

START_TEST(texts)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;

    for (int code = 0; code <= MPI_ERR_ABI; code++) {
        length = class = -1;
        ck_assert_int_eq(MPI_Error_class(code, &class), MPI_SUCCESS);
        ck_assert_int_eq(class, code);
        ck_assert_int_eq(MPI_Error_string(code, text, &length), MPI_SUCCESS);
        ck_assert_int_eq(length, strlen(text));
        ck_assert_ptr_nonnull(mpi_err_text(code));
        ck_assert_ptr_nonnull(strstr(text, mpi_err_text(code)));
        ck_assert_int_eq(strncmp(text, code ? "MPI_ERR_" : "MPI_SUCCESS", 8), 0);
        for (int other = 0; other < code; other++)
            ck_assert_str_ne(mpi_err_text(code), mpi_err_text(other));
    }
    ck_assert_int_eq(MPI_Error_string(MPI_ERR_RANK, text, &length), MPI_SUCCESS);
    ck_assert_str_eq(text, "MPI_ERR_RANK: invalid rank");
}
END_TEST

START_TEST(no_code)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    ck_assert_int_eq(MPI_Error_class(-1, &n), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Error_class(MPI_ERR_ABI + 1, &n), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Error_class(0, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Error_string(MPI_ERR_LASTCODE, text, &n), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Error_string(0, NULL, &n), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Error_string(0, text, NULL), MPI_ERR_ARG);
    ck_assert_ptr_null(mpi_err_text(-1));
    ck_assert_ptr_null(mpi_err_text(MPI_ERR_LASTCODE));
}
END_TEST

/* ------------------------------------------------------------------ handlers -- */

static int calls, last_code;
static MPI_Comm last_comm;

static void note(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    last_code = *code;
}

static void note_other(MPI_Comm *comm, int *code, ...)
{
    note(comm, code);
    calls += 99;
}

static void reset(void)
{
    calls = 0;
    last_code = -1;
    last_comm = MPI_COMM_NULL;
}

static MPI_Errhandler make(MPI_Comm_errhandler_function *fn)
{
    MPI_Errhandler h = MPI_ERRHANDLER_NULL;

    ck_assert_int_eq(MPI_Comm_create_errhandler(fn, &h), MPI_SUCCESS);
    ck_assert_ptr_ne(h, MPI_ERRHANDLER_NULL);
    return h;
}

START_TEST(user_handler)
{
    MPI_Errhandler h = make(note);

    reset();
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h), MPI_SUCCESS);
    ck_assert_int_eq(mpi_err(&mpi_comm_world, "MPI_Test", MPI_ERR_TAG, "tag %d", 5), MPI_ERR_TAG);
    ck_assert(calls == 1 && last_code == MPI_ERR_TAG && last_comm == MPI_COMM_WORLD);
    ck_assert_int_eq(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER), MPI_SUCCESS);
    ck_assert(calls == 2 && last_code == MPI_ERR_OTHER && last_comm == MPI_COMM_WORLD);
    ck_assert_int_eq(mpi_err(&mpi_comm_self, "MPI_Test", MPI_ERR_TAG, "of another communicator"),
                     MPI_ERR_TAG);
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    ck_assert_int_eq(mpi_err(&mpi_comm_world, "MPI_Test", MPI_ERR_TAG, "returns"), MPI_ERR_TAG);
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_SUCCESS);
    ck_assert_ptr_eq(h, MPI_ERRHANDLER_NULL);
}
END_TEST

/* Calls that concern no communicator raise their errors on MPI_COMM_SELF. */
START_TEST(without_communicator)
{
    MPI_Errhandler h = make(note);
    int size;

    reset();
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_SELF, h), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
    ck_assert(calls == 1 && last_code == MPI_ERR_TYPE && last_comm == MPI_COMM_SELF);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_SUCCESS);
}
END_TEST

/* A handler that was freed goes on working where it is set, and is gone when it is set nowhere. */
START_TEST(freed_while_set)
{
    MPI_Errhandler h = make(note), copy = h, got;

    reset();
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_SUCCESS);
    ck_assert_int_eq(mpi_err(&mpi_comm_world, "MPI_Test", MPI_ERR_TAG, "why"), MPI_ERR_TAG);
    ck_assert_int_eq(calls, 1);
    h = copy;
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_ERR_ERRHANDLER);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_SELF, copy), MPI_ERR_ERRHANDLER);

    /* a new handle to it, which is freed in its turn */
    ck_assert_int_eq(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got), MPI_SUCCESS);
    ck_assert_ptr_eq(got, copy);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, got), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Errhandler_free(&got), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, copy), MPI_ERR_ERRHANDLER);
}
END_TEST

/* Replacing a handler by itself, and communicators that come and go. */
START_TEST(holds)
{
    MPI_Errhandler h = make(note), copy = h;

    reset();
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h), MPI_SUCCESS);
    mpi_errhandler_hold(h);
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_SUCCESS);
    mpi_comm_self.errhandler = copy;        /* as a duplicate of MPI_COMM_WORLD would have it */
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    ck_assert_int_eq(mpi_err(NULL, "MPI_Test", MPI_ERR_ARG, "why"), MPI_ERR_ARG);
    ck_assert_int_eq(calls, 1);
    mpi_comm_self.errhandler = MPI_ERRORS_RETURN;
    mpi_errhandler_drop(copy);
    ck_assert_ptr_null(mpi_handle_get(MPI_KIND_ERRHANDLER, (uintptr_t)copy));
    mpi_errhandler_hold(MPI_ERRORS_RETURN);
    mpi_errhandler_drop(MPI_ERRORS_RETURN);
}
END_TEST

/* A handler may replace itself, and free itself, while it runs. */
static void replace_itself(MPI_Comm *comm, int *code, ...)
{
    note(comm, code);
    ck_assert_int_eq(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
}

START_TEST(replaced_while_running)
{
    MPI_Errhandler h = make(replace_itself), copy = h;

    reset();
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_SUCCESS);
    ck_assert_int_eq(mpi_err(&mpi_comm_world, "MPI_Test", MPI_ERR_TAG, "why"), MPI_ERR_TAG);
    ck_assert_int_eq(mpi_err(&mpi_comm_world, "MPI_Test", MPI_ERR_TAG, "why"), MPI_ERR_TAG);
    ck_assert_int_eq(calls, 1);
    ck_assert_ptr_null(mpi_handle_get(MPI_KIND_ERRHANDLER, (uintptr_t)copy));
}
END_TEST

START_TEST(two_handlers)
{
    MPI_Errhandler a = make(note), b = make(note_other), got;

    reset();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, a);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, b);
    mpi_err(&mpi_comm_world, "MPI_Test", MPI_ERR_TAG, "why");
    ck_assert_int_eq(calls, 1);
    mpi_err(&mpi_comm_self, "MPI_Test", MPI_ERR_TAG, "why");
    ck_assert_int_eq(calls, 101);
    ck_assert_int_eq(MPI_Comm_get_errhandler(MPI_COMM_SELF, &got), MPI_SUCCESS);
    ck_assert_ptr_eq(got, b);
    MPI_Errhandler_free(&got);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&a);
    MPI_Errhandler_free(&b);
}
END_TEST

START_TEST(predefined)
{
    const MPI_Errhandler all[] = { MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN };
    MPI_Errhandler h;

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, all[i]), MPI_SUCCESS);
        ck_assert_int_eq(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &h), MPI_SUCCESS);
        ck_assert_ptr_eq(h, all[i]);
        /* as the standard asks for after getting one */
        ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_SUCCESS);
        ck_assert_ptr_eq(h, MPI_ERRHANDLER_NULL);
    }
}
END_TEST

START_TEST(wrong_arguments)
{
    MPI_Errhandler h = MPI_ERRHANDLER_NULL;

    ck_assert_int_eq(MPI_Comm_create_errhandler(NULL, &h), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Comm_create_errhandler(note, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Errhandler_free(NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Errhandler_free(&h), MPI_ERR_ERRHANDLER);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN), MPI_ERR_COMM);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL),
                     MPI_ERR_ERRHANDLER);
    ck_assert_int_eq(MPI_Comm_set_errhandler(MPI_COMM_WORLD, (MPI_Errhandler)MPI_INT),
                     MPI_ERR_ERRHANDLER);
    ck_assert_int_eq(MPI_Comm_get_errhandler(MPI_COMM_NULL, &h), MPI_ERR_COMM);
    ck_assert_int_eq(MPI_Comm_get_errhandler(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_TAG), MPI_ERR_COMM);
}
END_TEST

/* --------------------------------------------------------------------- fatal -- */

static void read_all(int fd, char *text, size_t size)
{
    size_t used = 0;
    ssize_t n;

    while (used < size - 1
           && ((n = read(fd, text + used, size - 1 - used)) > 0 || (n < 0 && errno == EINTR)))
        used += n > 0 ? (size_t)n : 0;
    text[used] = '\0';
}

/* Without MPI_Init no handler is set, and an error ends the process; what it said is found here. */
START_TEST(fatal_before_init)
{
    char text[2048], reporter[64];
    int fd[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(fd), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        suite_limit();
        dup2(fd[1], STDERR_FILENO);
        close(fd[0]);
        close(fd[1]);
        mpi_state = MPI_STATE_NONE;
        MPI_Errhandler_free(NULL);
        _exit(0);       /* not reached */
    }
    close(fd[1]);
    read_all(fd[0], text, sizeof text);
    close(fd[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    snprintf(reporter, sizeof reporter, "\n  reported by process %ld\n", (long)child);
    ck_assert_ptr_nonnull(strstr(text, "Fatal error in MPI_Errhandler_free: invalid argument\n"
                                       "  the address of the error handler is NULL\n"));
    ck_assert_ptr_nonnull(strstr(text, reporter));
}
END_TEST

static void setup(void)
{
    mpi_comm_world.errhandler = mpi_comm_self.errhandler = MPI_ERRORS_RETURN;
}

int main(void)
{
    Suite *suite = suite_create("err");
    TCase *tc = tcase_create("err");

    alone_start();
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, texts);
    tcase_add_test(tc, no_code);
    tcase_add_test(tc, user_handler);
    tcase_add_test(tc, without_communicator);
    tcase_add_test(tc, freed_while_set);
    tcase_add_test(tc, holds);
    tcase_add_test(tc, replaced_while_running);
    tcase_add_test(tc, two_handlers);
    tcase_add_test(tc, predefined);
    tcase_add_test(tc, wrong_arguments);
    tcase_add_test(tc, fatal_before_init);
    suite_add_tcase(suite, tc);
    return alone_run(suite);
}
