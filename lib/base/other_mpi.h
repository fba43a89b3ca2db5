/* For tools on the profiling interface, which mpirun loads into whatever it starts: a program that
 * is linked with another MPI gives them that one's functions for this library's. */
#ifndef BASE_OTHER_MPI_H
#define BASE_OTHER_MPI_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* NULL: the functions PMPI_X are of the object that has `own`, as they should be; else the name of
 * the one that they are of.  Needs _GNU_SOURCE. */
static inline const char *other_mpi(const void *own)
{
    void *at = dlsym(RTLD_DEFAULT, "PMPI_Init");
    Dl_info ours, theirs;

    if (!at || !dladdr(own, &ours) || !dladdr(at, &theirs) || ours.dli_fbase == theirs.dli_fbase)
        return NULL;
    const char *slash = strrchr(theirs.dli_fname, '/');
    return slash ? slash + 1 : theirs.dli_fname;
}

#endif
