/* For programs that were built with another library of MPI's ABI: what this one lacks.  The loader
 * wants all names that a program has before it starts it, of an extension of Python at once, also
 * those that are never called.  The names are here under a version that no linker takes, so that
 * what is built with this library, or looks for them, finds none. */
#include "core/err.h"

#if defined PIC && defined __GNUC__ && defined __ELF__

#include <stddef.h>

#include "mpi.h"

static int lacks(const char *call, const char *what, MPI_Errhandler handler)
{
    const char *why = "libmpi-lite has no %s";

    return handler == MPI_ERRHANDLER_NULL
           ? mpi_err(NULL, call, MPI_ERR_UNSUPPORTED_OPERATION, why, what)
           : mpi_err_by(handler, call, MPI_ERR_UNSUPPORTED_OPERATION, why, what);
}

/* Their arguments are not looked at. */
#define ABSENT(type, name, ...) \
    type mpi_absent_##name(void); \
    __attribute__((visibility("default"))) type mpi_absent_##name(void) { return __VA_ARGS__; } \
    extern __typeof__(mpi_absent_##name) mpi_absent_P##name \
        __attribute__((visibility("default"), alias("mpi_absent_" #name))); \
    __asm__(".symver mpi_absent_" #name ", MPI_" #name "@MPI_NOT_HERE"); \
    __asm__(".symver mpi_absent_P" #name ", PMPI_" #name "@MPI_NOT_HERE");

/* Errors of files that there are not return, as the standard has it. */
#define ABSENT_FILE(name) \
    ABSENT(int, name, lacks("MPI_" #name, "MPI-IO", MPI_ERRORS_RETURN))
#define ABSENT_PROCESS(name) \
    ABSENT(int, name, lacks("MPI_" #name, "processes that are started, or join, later", \
                            MPI_ERRHANDLER_NULL))
#define ABSENT_NUMBER(name) ABSENT(MPI_File, name, MPI_FILE_NULL)

#include "mpi/absent.inc"

#endif
