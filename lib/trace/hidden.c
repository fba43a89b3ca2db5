/* See hidden.h.  By what the loader finds first.  Calls of MPI are the first of enum trace_call. */
#define _GNU_SOURCE
#include "trace/hidden.h"

#include <dlfcn.h>

#include "trace/calls.h"

uint32_t trace_hidden(void)
{
#define NAME(name) #name,
    static const char *const names[] = { TRACE_MPI_CALLS(NAME) };
#undef NAME
    Dl_info own, other;

    if (!dladdr((void *)(uintptr_t)&trace_hidden, &own))
        return 0;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(RTLD_DEFAULT, names[i]);
        if (at && dladdr(at, &other) && other.dli_fbase != own.dli_fbase)
            return i + 1;
    }
    return 0;
}
