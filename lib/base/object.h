/* Files that are loaded, and what addr2line says of addresses in them. */
#ifndef MPI_BASE_OBJECT_H
#define MPI_BASE_OBJECT_H

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* What addr2line counts from in the file: addresses of a program that is loaded where it was linked
 * for are those of the file.  Safe in a signal handler. */
static inline uintptr_t mpi_object_base(const Dl_info *object)
{
    const ElfW(Ehdr) *head = object->dli_fbase;
    return head->e_type == ET_EXEC ? 0 : (uintptr_t)head;
}

/* "/home/me/solver.c:42 (discriminator 3)" becomes "solver.c:42"; NULL: it is not known. */
static inline char *mpi_object_line(char *answer)
{
    char *colon = strrchr(answer, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    char *folder = strrchr(answer, '/');
    if (!digits || answer[0] == '?' || strspn(colon + 1, "0") == digits)
        return NULL;
    colon[1 + digits] = 0;
    return folder && folder < colon ? folder + 1 : answer;
}

#endif
