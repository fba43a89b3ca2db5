/* The program's data. */
#define _GNU_SOURCE
#include "shmem/data.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

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

__attribute__((no_sanitize("address", "thread")))
static int is_zero(const char *page)
{
    const uint64_t *word = (const uint64_t *)(const void *)page;
    for (size_t i = 0; i < PAGE / sizeof *word; i++)
        if (word[i])
            return 0;
    return 1;
}

/* Guards of sanitizers lie between variables: all of it is looked at all the same. */
__attribute__((no_sanitize("address", "thread")))
static void copy_pages(char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PAGE) {
        if (is_zero(from + at))
            continue;
        for (size_t i = 0; i < PAGE; i += sizeof(uint64_t))
            *(uint64_t *)(void *)(to + at + i) =
                *(const uint64_t *)(const void *)(from + at + i);
    }
}

void mpi_shmem_data_copy(const struct mpi_shmem_data *d, char *to)
{
    copy_pages(to, (const char *)d->base, d->bytes);
}

void mpi_shmem_data_private(const struct mpi_shmem_data *d)
{
    char *copy = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED)
        return;
    copy_pages(copy, (const char *)d->base, d->bytes);
    if (mremap(copy, d->bytes, d->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)d->base)
        == MAP_FAILED)
        munmap(copy, d->bytes);
}
