/* The unwinder is slow: it is asked only for calls from libmpi_fortran's code, whose place is
 * looked up once.  A program that has Fortran's interface linked in has no such place. */
#define _GNU_SOURCE
#include "base/outside.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

static uintptr_t begin, end;    /* of that code; written once */

static bool is_interface(uintptr_t pc) { return pc > begin && pc <= end; }

static int look_at(struct dl_phdr_info *object, size_t size, void *none)
{
    static const char file[] = "libmpi_fortran.so";
    const char *slash = strrchr(object->dlpi_name, '/');

    (void)size, (void)none;
    if (strncmp(slash ? slash + 1 : object->dlpi_name, file, sizeof file - 1))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            begin = object->dlpi_addr + part->p_vaddr;
            end = begin + part->p_memsz;
        }
    }
    return 1;
}

static void look(void) { dl_iterate_phdr(look_at, NULL); }

struct walk { bool passed; const void *found; };

/* The first frame behind those of the interface. */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *argument)
{
    struct walk *w = argument;
    uintptr_t pc = _Unwind_GetIP(context);

    if (is_interface(pc))
        w->passed = true;
    else if (w->passed)
        w->found = (const void *)pc;
    return w->found ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

const void *mpi_outside(const void *caller)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct walk w = { 0 };

    pthread_once(&once, look);
    if (is_interface((uintptr_t)caller))
        _Unwind_Backtrace(step, &w);
    return w.found ? w.found : caller;
}
