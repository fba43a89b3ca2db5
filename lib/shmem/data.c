/* The program's data. */
#define _GNU_SOURCE
#include "shmem/data.h"

#include <link.h>
#include <string.h>

enum { PAGE = 4096 };

static uintptr_t page_down(uintptr_t at) { return at & ~(uintptr_t)(PAGE - 1); }
static uintptr_t page_up(uintptr_t at) { return page_down(at + PAGE - 1); }

struct part { uintptr_t begin, end; };

/* What the linker makes read only once it has filled it in: nothing of the program's.  glibc
 * protects whole pages of it. */
static void cut(struct part *part, const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + h->p_vaddr, to = page_down(from + h->p_memsz);
        if (h->p_type == PT_GNU_RELRO && from <= part->begin + PAGE && to > part->begin)
            part->begin = to < part->end ? to : part->end;
    }
}

/* The program itself comes first; of its parts that can be written the one with most data. */
static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct mpi_shmem_data *d = argument;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + h->p_vaddr;
        struct part part = { page_down(from), page_up(from + h->p_memsz) };
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
            continue;
        cut(&part, info);
        if (part.end - part.begin > d->bytes)
            *d = (struct mpi_shmem_data){ part.begin, part.end - part.begin,
                                          part.begin - info->dlpi_addr };
    }
    return 1;
}

void mpi_shmem_data_find(struct mpi_shmem_data *d)
{
    memset(d, 0, sizeof *d);
    dl_iterate_phdr(look, d);
}
