/* MPIX_Compute: time passes, at least as much as was asked for, on either clock; wrong arguments
 * are errors.  MPIX_Compute_key: as much as a profile says, on the model clock. */
#include "t.h"

/* Virtual time has an end, which is told, and does not begin again at 0. */
static void compute_for_long(void)
{
    int times = 0;
    while (times < 20 && MPIX_Compute(1e6) == MPI_SUCCESS)
        times++;
    CHECK(times == 9);
    CHECK(MPIX_Compute(1e6) == MPI_ERR_ARG);
    CHECK(MPI_Wtime() >= 9e6);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Wtime() >= 9e6);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double before = MPI_Wtime();
    CHECK(MPIX_Compute(0.01) == MPI_SUCCESS);
    double after = MPI_Wtime();
    CHECK(after - before >= 0.0099999);
    CHECK(MPIX_Compute(0) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPIX_Compute(-1) == MPI_ERR_ARG);
    CHECK(MPIX_Compute(1e9) == MPI_ERR_ARG);
    CHECK(MPIX_Compute(0.0 / 0.0 + 0 * before) == MPI_ERR_ARG);
    CHECK(PMPIX_Compute(1e-12) == MPI_SUCCESS);
    CHECK(MPIX_Compute_key("call.element", 0) == MPI_SUCCESS);
    CHECK(PMPIX_Compute_key("bus.latency", 3) == MPI_SUCCESS);
    CHECK(MPIX_Compute_key("bus.latency", -1) == MPI_ERR_COUNT);
    CHECK(MPIX_Compute_key("bus.byte", 1) == MPI_ERR_ARG);
    CHECK(MPIX_Compute_key("no.such", 1) == MPI_ERR_ARG);
    CHECK(MPIX_Compute_key(NULL, 1) == MPI_ERR_ARG);
    if (t_modelled())
        compute_for_long();
    MPI_Finalize();
    return 0;
}
