/* Functions that take a program's functions.  Part of all.h. */

void F(op_create)(mpif_function *user_fn, const int *commute, int *op, int *ierror)
{
    MPI_User_function *fn = mpif_op(user_fn);
    MPI_Op op_c = MPI_OP_NULL;
    int result = fn ? C(Op_create)(fn, *commute != 0, &op_c) : mpif_too_many();

    *op = PMPI_Op_toint(op_c);
    mpif_error(ierror, result);
}

void F(op_create_c)(mpif_function *user_fn, const int *commute, int *op, int *ierror)
{
    MPI_User_function_c *fn = mpif_op_c(user_fn);
    MPI_Op op_c = MPI_OP_NULL;
    int result = fn ? C(Op_create_c)(fn, *commute != 0, &op_c) : mpif_too_many();

    *op = PMPI_Op_toint(op_c);
    mpif_error(ierror, result);
}

void F(comm_create_errhandler)(mpif_function *comm_errhandler_fn, int *errhandler, int *ierror)
{
    MPI_Comm_errhandler_function *fn = mpif_comm_errhandler(comm_errhandler_fn);
    MPI_Errhandler errhandler_c = MPI_ERRHANDLER_NULL;
    int result = fn ? C(Comm_create_errhandler)(fn, &errhandler_c) : mpif_too_many();

    *errhandler = PMPI_Errhandler_toint(errhandler_c);
    mpif_error(ierror, result);
}

void F(session_create_errhandler)(mpif_function *session_errhandler_fn, int *errhandler,
                                  int *ierror)
{
    MPI_Session_errhandler_function *fn = mpif_session_errhandler(session_errhandler_fn);
    MPI_Errhandler errhandler_c = MPI_ERRHANDLER_NULL;
    int result = fn ? C(Session_create_errhandler)(fn, &errhandler_c) : mpif_too_many();

    *errhandler = PMPI_Errhandler_toint(errhandler_c);
    mpif_error(ierror, result);
}

void F(win_create_errhandler)(mpif_function *win_errhandler_fn, int *errhandler, int *ierror)
{
    MPI_Win_errhandler_function *fn = mpif_win_errhandler(win_errhandler_fn);
    MPI_Errhandler errhandler_c = MPI_ERRHANDLER_NULL;
    int result = fn ? C(Win_create_errhandler)(fn, &errhandler_c) : mpif_too_many();

    *errhandler = PMPI_Errhandler_toint(errhandler_c);
    mpif_error(ierror, result);
}
