/* What the linker says where a program calls what the library lacks: in Fortran no header could say
 * it.  It adds no symbol, and takes no memory; who defines the name hears nothing. */
#define NO_FILES "libmpi-lite has no MPI-IO: let one rank, or each its own file, use Fortran's I/O"
#define NO_PROCESSES "libmpi-lite starts no processes later: start all of them with mpirun"

/* A linker without such warnings takes the section for one that nobody reads. */
#define WARN(why, symbol) \
    __asm__(".pushsection .gnu.warning." #symbol ",\"\",%progbits\n" \
            "\t.string \"" why "\"\n" \
            "\t.popsection");
#define MISSING(why, name) WARN(why, mpi_##name##_) WARN(why, pmpi_##name##_)

#include "fortran/missing.inc"
