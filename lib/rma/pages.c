/* A piece at a time, so that not twice the memory is needed.  A piece is copied first, and the copy
 * then takes its place in one step of the kernel's: threads that read there, as the NIC's may what
 * the library has beside the program's data, see the same before and after. */
#define _GNU_SOURCE
#include "rma/pages.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/world.h"
#include "nicemu/heap.h"
#include "rma/maps.h"

enum { PIECE = 2 << 20, PAGES = PIECE / MPI_RMA_PAGE };

/* -- data */

#define AS_IT_IS __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* What a compiler might take for a call of memcpy, which sanitizers replace. */
#define NO_CALL() __asm__ volatile("" ::: "memory")

enum { WORDS = 8 };
typedef struct { uint64_t word[WORDS]; } __attribute__((may_alias)) line_t;
enum { LINES = MPI_RMA_PAGE / sizeof(line_t) };

AS_IT_IS static bool is_zero(const line_t *page)
{
    for (unsigned i = 0; i < LINES; i++) {
        uint64_t any = 0;
        for (unsigned k = 0; k < WORDS; k++)
            any |= page[i].word[k];
        if (any)
            return false;
    }
    return true;
}

AS_IT_IS static void copy_page(line_t *to, const line_t *from)
{
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned k = 0; k < WORDS; k++)
            to[i].word[k] = from[i].word[k];
        NO_CALL();
    }
}

AS_IT_IS void mpi_rma_pages_copy(char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += MPI_RMA_PAGE)
        if (!is_zero((const line_t *)(const void *)(from + at)))
            copy_page((line_t *)(void *)(to + at), (const line_t *)(const void *)(from + at));
}

/* All at once costs half of what a fault for each page does; where the kernel does not know how,
 * there are the faults. */
static void touch(void *at, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    madvise(at, bytes, MADV_POPULATE_WRITE);
#else
    (void)at, (void)bytes;
#endif
}

static char *heap_at(uint64_t offset, size_t bytes)
{
    return nic_heap_at(mpi_nic, nic_rank(mpi_nic), offset, bytes);
}

/* -- into the heap */

/* Of the kernel's table: there, swapped out, or a guard. */
#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)
#define GUARD (UINT64_C(1) << 58)

static uint64_t entry[PAGES];

/* False: the table does not tell, or there are pages that nobody may read. */
static bool read_entries(int table, uintptr_t at, size_t bytes)
{
    const size_t pages = bytes / MPI_RMA_PAGE, size = pages * sizeof entry[0];
    const off_t from = (off_t)(at / MPI_RMA_PAGE * sizeof entry[0]);
    if (pread(table, entry, size, from) != (ssize_t)size)
        return false;
    for (size_t i = 0; i < pages; i++)
        if (entry[i] & GUARD)
            return false;
    return true;
}

static bool is_touched(size_t page) { return entry[page] & (PRESENT | SWAPPED); }

/* The next row of pages that were touched; false: none. */
static bool next_row(size_t *begin, size_t *end, size_t pages)
{
    for (*begin = *end; *begin < pages && !is_touched(*begin); )
        ++*begin;
    for (*end = *begin; *end < pages && is_touched(*end); )
        ++*end;
    return *begin < pages;
}

/* Of a page that was never touched the file may have data all the same. */
static void find_data(uintptr_t at, size_t pages)
{
    for (size_t i = 0; i < pages; i++)
        if (!is_touched(i) && !is_zero((const line_t *)(at + i * MPI_RMA_PAGE)))
            entry[i] |= PRESENT;
}

static void copy_touched(char *to, const char *from, size_t pages)
{
    for (size_t begin, end = 0; next_row(&begin, &end, pages);) {
        const size_t at = begin * MPI_RMA_PAGE, bytes = (end - begin) * MPI_RMA_PAGE;
        touch(to + at, bytes);
        mpi_rma_pages_copy(to + at, from + at, bytes);
    }
}

static void touch_again(uintptr_t at, size_t pages)
{
    for (size_t begin, end = 0; next_row(&begin, &end, pages);)
        touch((void *)(at + begin * MPI_RMA_PAGE), (end - begin) * MPI_RMA_PAGE);
}

static bool is_mapped(uintptr_t at, size_t bytes)
{
    unsigned char there[PAGES];
    return !mincore((void *)at, bytes, there);
}

static void lost(void)
{
    fputs("MPI: memory of a window was lost on its way to the heap or back: no memory\n", stderr);
    mpi_die(1);
}

/* NULL: none. */
static char *private_memory(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* These data, into memory that has but zeros. */
static void copy_out(char *copy, uint64_t offset, size_t bytes)
{
    const char *from = heap_at(offset, bytes);
    const uint64_t end = offset + bytes;
    size_t found;
    for (uint64_t at = offset; nic_heap_touched(mpi_nic, &at, end, &found); at += found) {
        touch(copy + (at - offset), found);
        mpi_rma_pages_copy(copy + (at - offset), from + (at - offset), found);
    }
}

bool mpi_rma_pages_replace(uintptr_t at, char *copy, size_t bytes, int rights)
{
    if (!mprotect(copy, bytes, rights)
        && mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)at) != MAP_FAILED)
        return true;
    munmap(copy, bytes);
    return false;
}

/* A mapping that failed half way may have left none: then there has to be one again, with the same
 * data. */
static void restore(uintptr_t at, uint64_t offset, size_t bytes)
{
    char *copy;
    if (is_mapped(at, bytes))
        return;
    copy = private_memory(bytes);
    if (copy)
        copy_out(copy, offset, bytes);
    if (!copy || !mpi_rma_pages_replace(at, copy, bytes, PROT_READ | PROT_WRITE))
        lost();
}

static bool piece_in(int table, uintptr_t at, uint64_t offset, size_t bytes, bool file)
{
    char *to = heap_at(offset, bytes);
    if (!to || !read_entries(table, at, bytes))
        return false;
    if (file)
        find_data(at, bytes / MPI_RMA_PAGE);
    copy_touched(to, (const char *)at, bytes / MPI_RMA_PAGE);
    if (!nic_heap_map(mpi_nic, offset, bytes, (void *)at)) {
        touch_again(at, bytes / MPI_RMA_PAGE);
        return true;
    }
    restore(at, offset, bytes);
    nic_heap_clear(mpi_nic, offset, bytes);
    return false;
}

/* A shared mapping grows by what is next in its file, in the heap other's data, when a program
 * enlarges its memory by mremap, as realloc does.  Two mappings the kernel does not enlarge, and
 * realloc copies.  So the first page, which also memory that becomes shorter keeps, has an advice
 * that the next page has not, whatever row that is of.  Nothing else depends on it. */
static void split(uintptr_t at)
{
    madvise((void *)at, MPI_RMA_PAGE, at / MPI_RMA_PAGE % 2 ? MADV_RANDOM : MADV_SEQUENTIAL);
}

size_t mpi_rma_pages_in(uintptr_t at, uint64_t offset, size_t bytes, bool file)
{
    const int table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    size_t done = 0, part;
    for (; table >= 0 && done < bytes; done += part) {
        part = bytes - done < PIECE ? bytes - done : PIECE;
        if (!piece_in(table, at + done, offset + done, part, file))
            break;
    }
    if (done)
        split(at);
    if (table >= 0)
        close(table);
    return done;
}

/* -- and out of it */

/* copy: private memory for it, which is used up. */
static bool piece_out(uintptr_t at, uint64_t offset, char *copy, size_t bytes, int rights)
{
    copy_out(copy, offset, bytes);
    if (!mpi_rma_pages_replace(at, copy, bytes, rights)) {
        if (!is_mapped(at, bytes) && (nic_heap_map(mpi_nic, offset, bytes, (void *)at)
                                      || mprotect((void *)at, bytes, rights)))
            lost();
        return false;
    }
    nic_heap_clear(mpi_nic, offset, bytes);
    return true;
}

/* The pieces are of one private mapping, which was written to before the first goes: so the kernel
 * makes one mapping of them again, side by side at their places, which the program may enlarge by
 * mremap, as it could before.  Where there is no room for so much, each has its own. */
size_t mpi_rma_pages_out(uintptr_t at, uint64_t offset, size_t bytes, int rights)
{
    size_t done = 0, part = 0;
    char *row = private_memory(bytes);
    bool good = true;
    if (row)
        __atomic_store_n(row, 0, __ATOMIC_RELAXED);
    for (; good && done < bytes; done += good ? part : 0) {
        part = bytes - done < PIECE ? bytes - done : PIECE;
        char *copy = row ? row + done : private_memory(part);
        good = copy && piece_out(at + done, offset + done, copy, part, rights);
    }
    if (row && !good && bytes - done > part)
        munmap(row + done + part, bytes - done - part);
    return done;
}
