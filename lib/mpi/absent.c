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

/* By assembler where the compiler has no words for it: that is lost where files are compiled at
 * link time. */
#if defined __has_attribute && __has_attribute(symver)
#define NAMED(own, name) __attribute__((visibility("default"), symver(name "@MPI_NOT_HERE")))
#define NAME(own, name)
#else
#define NAMED(own, name) __attribute__((visibility("default")))
#define NAME(own, name) __asm__(".symver " own ", " name "@MPI_NOT_HERE");
#endif

/* Their arguments are not looked at. */
#define ABSENT(type, name, ...) \
    ABSENT_AS(type, mpi_absent_##name, "MPI_" #name, __VA_ARGS__) \
    ABSENT_AS(type, mpi_absent_P##name, "PMPI_" #name, __VA_ARGS__)
#define ABSENT_AS(type, own, name, ...) \
    type own(void); \
    NAMED(#own, name) type own(void) { return __VA_ARGS__; } \
    NAME(#own, name)

/* Errors of files that there are not return, as the standard has it. */
#define ABSENT_FILE(name) \
    ABSENT(int, name, lacks("MPI_" #name, "MPI-IO", MPI_ERRORS_RETURN))
#define ABSENT_PROCESS(name) \
    ABSENT(int, name, lacks("MPI_" #name, "processes that are started, or join, later", \
                            MPI_ERRHANDLER_NULL))
#define ABSENT_NUMBER(name) ABSENT(MPI_File, name, MPI_FILE_NULL)

#include "mpi/absent.inc"

#endif
