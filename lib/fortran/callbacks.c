#include <pthread.h>
#include <stdatomic.h>
#include "fortran/callbacks.h"

/* The Fortran functions of one kind, by the number of the C function that calls each. */
struct pool { mpif_function *_Atomic functions[MPIF_FUNCTIONS]; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The number of `fn`, a new one if it has none; -1: all are taken. */
static int pool_number(struct pool *pool, mpif_function *fn)
{
    int i;

    pthread_mutex_lock(&lock);
    for (i = 0; i < MPIF_FUNCTIONS; i++) {
        mpif_function *there = pool->functions[i];
        if (!there)
            pool->functions[i] = fn;
        if (!there || there == fn)
            break;
    }
    pthread_mutex_unlock(&lock);
    return i < MPIF_FUNCTIONS ? i : -1;
}

int mpif_too_many(void)
{
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* X(0, 0) to X(9, 9): a hundred. */
#define TEN(x, a) \
    x(a, 0) x(a, 1) x(a, 2) x(a, 3) x(a, 4) x(a, 5) x(a, 6) x(a, 7) x(a, 8) x(a, 9)
#define HUNDRED(x) \
    TEN(x, 0) TEN(x, 1) TEN(x, 2) TEN(x, 3) TEN(x, 4) TEN(x, 5) TEN(x, 6) TEN(x, 7) TEN(x, 8) \
    TEN(x, 9)
_Static_assert(MPIF_FUNCTIONS == 100, "as many C functions as numbers");

/* -- reductions -------------------------------------------------------------------------------- */

typedef void fortran_op(void *in, void *inout, int *len, int *datatype);
typedef void fortran_op_c(void *in, void *inout, MPI_Count *len, int *datatype);

static struct pool ops, ops_c;

static void call_op(int number, void *in, void *inout, int *len, MPI_Datatype *type)
{
    int datatype = PMPI_Type_toint(*type);
    ((fortran_op *)ops.functions[number])(in, inout, len, &datatype);
}

static void call_op_c(int number, void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    int datatype = PMPI_Type_toint(*type);
    ((fortran_op_c *)ops_c.functions[number])(in, inout, len, &datatype);
}

#define OP(a, b) \
    static void op_##a##b(void *in, void *inout, int *len, MPI_Datatype *type) \
    { \
        call_op(10 * a + b, in, inout, len, type); \
    }
#define OP_C(a, b) \
    static void op_c_##a##b(void *in, void *inout, MPI_Count *len, MPI_Datatype *type) \
    { \
        call_op_c(10 * a + b, in, inout, len, type); \
    }
#define OP_NAME(a, b) op_##a##b,
#define OP_C_NAME(a, b) op_c_##a##b,

HUNDRED(OP)
HUNDRED(OP_C)

MPI_User_function *mpif_op(mpif_function *fn)
{
    static MPI_User_function *const in_c[] = { HUNDRED(OP_NAME) };
    int number = pool_number(&ops, fn);

    return number < 0 ? NULL : in_c[number];
}

MPI_User_function_c *mpif_op_c(mpif_function *fn)
{
    static MPI_User_function_c *const in_c[] = { HUNDRED(OP_C_NAME) };
    int number = pool_number(&ops_c, fn);

    return number < 0 ? NULL : in_c[number];
}

/* -- error handlers ---------------------------------------------------------------------------- */

typedef void fortran_errhandler(int *object, int *code);

static struct pool comm_errhandlers;

static void call_comm_errhandler(int number, const MPI_Comm *comm, int *code)
{
    int object = PMPI_Comm_toint(*comm);
    ((fortran_errhandler *)comm_errhandlers.functions[number])(&object, code);
}

#define COMM_ERRHANDLER(a, b) \
    static void comm_errhandler_##a##b(MPI_Comm *comm, int *code, ...) \
    { \
        call_comm_errhandler(10 * a + b, comm, code); \
    }
#define COMM_ERRHANDLER_NAME(a, b) comm_errhandler_##a##b,

HUNDRED(COMM_ERRHANDLER)

MPI_Comm_errhandler_function *mpif_comm_errhandler(mpif_function *fn)
{
    static MPI_Comm_errhandler_function *const in_c[] = { HUNDRED(COMM_ERRHANDLER_NAME) };
    int number = pool_number(&comm_errhandlers, fn);

    return number < 0 ? NULL : in_c[number];
}

static struct pool session_errhandlers;

static void call_session_errhandler(int number, const MPI_Session *session, int *code)
{
    int object = PMPI_Session_toint(*session);
    ((fortran_errhandler *)session_errhandlers.functions[number])(&object, code);
}

#define SESSION_ERRHANDLER(a, b) \
    static void session_errhandler_##a##b(MPI_Session *session, int *code, ...) \
    { \
        call_session_errhandler(10 * a + b, session, code); \
    }
#define SESSION_ERRHANDLER_NAME(a, b) session_errhandler_##a##b,

HUNDRED(SESSION_ERRHANDLER)

MPI_Session_errhandler_function *mpif_session_errhandler(mpif_function *fn)
{
    static MPI_Session_errhandler_function *const in_c[] = { HUNDRED(SESSION_ERRHANDLER_NAME) };
    int number = pool_number(&session_errhandlers, fn);

    return number < 0 ? NULL : in_c[number];
}

static struct pool win_errhandlers;

static void call_win_errhandler(int number, const MPI_Win *win, int *code)
{
    int object = PMPI_Win_toint(*win);
    ((fortran_errhandler *)win_errhandlers.functions[number])(&object, code);
}

#define WIN_ERRHANDLER(a, b) \
    static void win_errhandler_##a##b(MPI_Win *win, int *code, ...) \
    { \
        call_win_errhandler(10 * a + b, win, code); \
    }
#define WIN_ERRHANDLER_NAME(a, b) win_errhandler_##a##b,

HUNDRED(WIN_ERRHANDLER)

MPI_Win_errhandler_function *mpif_win_errhandler(mpif_function *fn)
{
    static MPI_Win_errhandler_function *const in_c[] = { HUNDRED(WIN_ERRHANDLER_NAME) };
    int number = pool_number(&win_errhandlers, fn);

    return number < 0 ? NULL : in_c[number];
}
