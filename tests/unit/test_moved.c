/* The list of pages that have been moved into the heap, and what the list of mappings says of
 * memory. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/world.h"
#include "mpi.h"
#include "nicemu/heap.h"
#include "rma/maps.h"
#include "rma/moved.h"
#include "suite.h"

enum { PAGE = MPI_RMA_PAGE, PAGES = 16 };

static char *base;

static uintptr_t page(int number) { return (uintptr_t)base + (uintptr_t)number * PAGE; }

static void fresh(void)
{
    base = mmap(NULL, (size_t)PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(base != MAP_FAILED);
    ck_assert_ptr_null(mpi_rma_areas);
}

static void end(void)
{
    while (mpi_rma_areas) {
        struct mpi_rma_area *a = mpi_rma_areas;
        mpi_rma_area_mark(a, a->begin, a->end, false);
        mpi_rma_area_drop(a);
    }
    ck_assert(!munmap(base, (size_t)PAGES * PAGE));
}

static struct mpi_rma_area *area(int first, int behind)
{
    struct mpi_rma_area *a = mpi_rma_area_new(page(first), page(behind));
    ck_assert_ptr_nonnull(a);
    return a;
}

/* -- areas */

/* What was in the heap there before is gone. */
START_TEST(area_begins_empty)
{
    fresh();
    const uint64_t before = nic_heap_alloc(mpi_nic, (size_t)PAGES * PAGE, PAGE);
    memset(nic_heap_at(mpi_nic, 0, before, (size_t)PAGES * PAGE), 7, (size_t)PAGES * PAGE);
    ck_assert(nic_heap_free(mpi_nic, before));
    struct mpi_rma_area *a = area(0, PAGES);
    const char *block = nic_heap_at(mpi_nic, 0, a->offset, (size_t)PAGES * PAGE);
    for (size_t i = 0; i < (size_t)PAGES * PAGE; i++)
        ck_assert_int_eq(block[i], 0);
    ck_assert_uint_eq(a->moved, 0);
    ck_assert_uint_eq(a->idle, 0);
    ck_assert_uint_eq(mpi_rma_area_offset(a, page(3)), a->offset + 3 * PAGE);
    end();
}
END_TEST

/* It stays as long as anything is moved, and then its block is free again. */
START_TEST(area_goes)
{
    fresh();
    struct mpi_rma_area *first = area(0, 4), *second = area(4, 8), *third = area(8, 12);
    const uint64_t offset = second->offset;
    mpi_rma_area_mark(second, page(5), page(6), true);
    mpi_rma_area_drop(second);
    ck_assert_ptr_eq(third->next, second);
    mpi_rma_area_mark(second, page(5), page(6), false);
    mpi_rma_area_drop(second);
    ck_assert_ptr_eq(mpi_rma_areas, third);
    ck_assert_ptr_eq(third->next, first);
    ck_assert_ptr_null(first->next);
    ck_assert(!nic_heap_free(mpi_nic, offset));
    end();
}
END_TEST

static struct mpi_rma_area *find(int first, int behind, bool barred)
{
    bool bars = !barred;
    struct mpi_rma_area *a = mpi_rma_area_find(page(first), page(behind), &bars);
    ck_assert_int_eq(bars, barred);
    return a;
}

/* The one that has all of the range, before others the one of which something is moved there. */
START_TEST(area_found)
{
    fresh();
    struct mpi_rma_area *inner = area(2, 8), *outer = area(0, 12);
    ck_assert_ptr_eq(find(2, 8, false), outer);
    ck_assert_ptr_eq(find(0, 12, false), outer);
    ck_assert_ptr_null(find(0, 13, false));
    ck_assert_ptr_null(find(12, 13, false));
    mpi_rma_area_mark(inner, page(3), page(4), true);
    ck_assert_ptr_eq(find(2, 8, false), inner);
    ck_assert_ptr_eq(find(3, 4, false), inner);
    ck_assert_ptr_eq(find(4, 8, false), outer);
    ck_assert_ptr_eq(find(0, 3, false), outer);
    ck_assert_ptr_null(find(1, 4, true));
    ck_assert_ptr_null(find(3, 9, true));
    ck_assert_ptr_null(find(0, 13, true));
    mpi_rma_area_mark(outer, page(5), page(6), true);
    ck_assert_ptr_null(find(3, 6, true));
    ck_assert_ptr_eq(find(4, 6, false), outer);
    end();
}
END_TEST

/* -- pages */

static void expect_row(const struct mpi_rma_area *a, int from, int below, int until)
{
    ck_assert_uint_eq(mpi_rma_area_row(a, page(from), page(below)), page(until));
}

START_TEST(pages_marked)
{
    fresh();
    struct mpi_rma_area *a = area(0, PAGES);
    mpi_rma_area_mark(a, page(2), page(6), true);
    ck_assert_uint_eq(a->moved, 4);
    ck_assert_uint_eq(a->idle, 4);
    mpi_rma_area_mark(a, page(4), page(8), true);
    ck_assert_uint_eq(a->moved, 6);
    expect_row(a, 0, PAGES, 2);
    expect_row(a, 2, PAGES, 8);
    expect_row(a, 2, 4, 4);
    expect_row(a, 8, PAGES, PAGES);
    mpi_rma_area_mark(a, page(0), page(5), false);
    ck_assert_uint_eq(a->moved, 3);
    ck_assert_uint_eq(a->idle, 3);
    expect_row(a, 0, PAGES, 5);
    end();
}
END_TEST

/* A row ends where the windows' pages do, however many windows have them. */
START_TEST(pages_used)
{
    fresh();
    struct mpi_rma_area *a = area(0, PAGES);
    mpi_rma_area_mark(a, page(2), page(8), true);
    ck_assert(mpi_rma_area_use(a, page(2), page(5), 1));
    ck_assert_uint_eq(a->idle, 3);
    expect_row(a, 2, PAGES, 5);
    expect_row(a, 5, PAGES, 8);
    ck_assert(mpi_rma_area_use(a, page(3), page(6), 1));
    ck_assert_uint_eq(a->idle, 2);
    expect_row(a, 2, PAGES, 6);
    ck_assert(mpi_rma_area_use(a, page(2), page(5), -1));
    ck_assert_uint_eq(a->idle, 3);
    expect_row(a, 2, PAGES, 3);
    expect_row(a, 3, PAGES, 6);
    ck_assert(mpi_rma_area_use(a, page(2), page(3), -1));   /* that has none stays without */
    ck_assert_uint_eq(a->idle, 3);
    ck_assert(mpi_rma_area_use(a, page(3), page(6), -1));
    ck_assert_uint_eq(a->idle, 6);
    ck_assert(mpi_rma_area_use(a, page(2), page(4), 1));
    mpi_rma_area_mark(a, page(2), page(8), false);
    ck_assert_uint_eq(a->moved, 0);
    ck_assert_uint_eq(a->idle, 0);
    mpi_rma_area_mark(a, page(2), page(5), true);
    ck_assert_uint_eq(a->idle, 1);
    mpi_rma_area_use_none(a);
    ck_assert_uint_eq(a->idle, 3);
    expect_row(a, 2, PAGES, 5);
    end();
}
END_TEST

/* More than can be counted are refused, for all of the pages. */
START_TEST(pages_most)
{
    fresh();
    struct mpi_rma_area *a = area(0, PAGES);
    mpi_rma_area_mark(a, page(0), page(PAGES), true);
    for (int i = 0; i < MPI_RMA_USES_MOST; i++)
        ck_assert(mpi_rma_area_use(a, page(8), page(9), 1));
    ck_assert(!mpi_rma_area_use(a, page(7), page(9), 1));
    ck_assert_uint_eq(a->page[7].uses, 0);
    ck_assert_uint_eq(a->page[8].uses, MPI_RMA_USES_MOST);
    ck_assert_uint_eq(a->idle, PAGES - 1);
    ck_assert(mpi_rma_area_use(a, page(8), page(9), -1));
    ck_assert_uint_eq(a->page[8].uses, MPI_RMA_USES_MOST - 1);
    ck_assert(mpi_rma_area_use(a, page(7), page(9), 1));
    end();
}
END_TEST

/* -- mappings */

static void put(int first, int behind, int rights, int flags, int file)
{
    void *at = mmap((void *)page(first), (size_t)(behind - first) * PAGE, rights, flags | MAP_FIXED,
                    file, 0);
    ck_assert(at != MAP_FAILED);
}

static struct mpi_rma_maps maps;

static void expect_mapping(unsigned number, int first, int behind, enum mpi_rma_mapping_kind kind,
                           int rights)
{
    const struct mpi_rma_mapping *m = &maps.mapping[number];
    ck_assert_uint_lt(number, maps.count);
    ck_assert_uint_eq(m->begin, page(first));
    ck_assert_uint_eq(m->end, page(behind));
    ck_assert_int_eq(m->kind, kind);
    ck_assert_int_eq(m->rights, rights);
}

static void expect_around(int first, int behind)
{
    ck_assert_uint_eq(maps.around_begin, page(first));
    ck_assert_uint_eq(maps.around_end, page(behind));
}

/* Pages 1 to 3 private, 4 to 5 code, 6 to 7 shared, 8 to 9 a file's, 10 and 11 heap, 12 private,
 * and none at the ends and between. */
static uint64_t all_kinds(void)
{
    const int both = PROT_READ | PROT_WRITE;
    char name[] = "/tmp/test_moved.XXXXXX";
    const uint64_t block = nic_heap_alloc(mpi_nic, 4 * PAGE, PAGE);
    int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    unlink(name);
    ck_assert(!ftruncate(file, 2 * PAGE));
    put(1, 4, both, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    put(4, 6, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    put(6, 8, both, MAP_SHARED | MAP_ANONYMOUS, -1);
    put(8, 10, both, MAP_PRIVATE, file);
    put(12, 13, both, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    ck_assert(!nic_heap_map(mpi_nic, block + PAGE, 2 * PAGE, (void *)page(10)));
    close(file);
    return block;
}

START_TEST(mappings_read)
{
    const int both = PROT_READ | PROT_WRITE;
    fresh();
    const uint64_t block = all_kinds();
    ck_assert(mpi_rma_maps_read(&maps, page(2), page(3)));
    ck_assert_uint_eq(maps.count, 1);
    expect_mapping(0, 1, 4, MPI_RMA_MAPPING_PRIVATE, both);
    expect_around(1, 4);
    ck_assert(mpi_rma_maps_read(&maps, page(1), page(12) + 1));
    ck_assert_uint_eq(maps.count, 6);
    expect_mapping(1, 4, 6, MPI_RMA_MAPPING_OTHER, PROT_READ | PROT_EXEC);
    expect_mapping(2, 6, 8, MPI_RMA_MAPPING_OTHER, both);
    expect_mapping(3, 8, 10, MPI_RMA_MAPPING_DATA, both);
    expect_mapping(4, 10, 12, MPI_RMA_MAPPING_HEAP, both);
    expect_mapping(5, 12, 13, MPI_RMA_MAPPING_PRIVATE, both);
    ck_assert_uint_eq(maps.mapping[4].offset, block + PAGE);
    expect_around(1, 13);
    ck_assert(mpi_rma_maps_read(&maps, page(12), page(13)));
    ck_assert_uint_eq(maps.count, 1);
    expect_around(10, 13);
    ck_assert(mpi_rma_maps_read(&maps, page(4), page(8)));
    ck_assert_uint_eq(maps.count, 2);
    ck_assert_uint_eq(maps.around_end, 0);
    put(14, 15, both, MAP_PRIVATE | MAP_ANONYMOUS, -1);     /* behind a gap */
    ck_assert(mpi_rma_maps_read(&maps, page(14), page(15)));
    expect_around(14, 15);
    ck_assert(nic_heap_free(mpi_nic, block));
    end();
}
END_TEST

/* Too many pieces are none. */
START_TEST(mappings_most)
{
    enum { MANY = 2 * (MPI_RMA_MAPPINGS + 1) };
    fresh();
    char *row = mmap(NULL, (size_t)MANY * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(row != MAP_FAILED);
    for (int i = 1; i < MANY; i += 2)
        ck_assert(!mprotect(row + (size_t)i * PAGE, PAGE, PROT_READ));
    const uintptr_t at = (uintptr_t)row + PAGE;
    ck_assert(mpi_rma_maps_read(&maps, at, at + (uintptr_t)MPI_RMA_MAPPINGS * PAGE));
    ck_assert_uint_eq(maps.count, MPI_RMA_MAPPINGS);
    ck_assert(!mpi_rma_maps_read(&maps, at, at + (uintptr_t)(MPI_RMA_MAPPINGS + 1) * PAGE));
    ck_assert(!munmap(row, (size_t)MANY * PAGE));
    end();
}
END_TEST

START_TEST(heap_shown)
{
    fresh();
    const uint64_t block = all_kinds();
    ck_assert(!mpi_rma_maps_show(block, PAGE));
    ck_assert(mpi_rma_maps_show(block, PAGE + 1));
    ck_assert(mpi_rma_maps_show(block + PAGE, 1));
    ck_assert(mpi_rma_maps_show(block + 3 * PAGE - 1, 1));
    ck_assert(!mpi_rma_maps_show(block + 3 * PAGE, PAGE));
    put(10, 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    ck_assert(!mpi_rma_maps_show(block, 4 * PAGE));
    ck_assert(nic_heap_free(mpi_nic, block));
    end();
}
END_TEST

START_TEST(memory_locked)
{
    fresh();
    put(1, 3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    ck_assert(!mpi_rma_maps_locked(page(1)));
    if (!syscall(SYS_mlock, page(1), (size_t)PAGE))     /* sanitizers do not let mlock do it */
        ck_assert(mpi_rma_maps_locked(page(1)));
    syscall(SYS_munlock, page(1), (size_t)PAGE);
    end();
}
END_TEST

/* The library is in this program: all that is the program's is the library's. */
START_TEST(variables)
{
    const uintptr_t own = (uintptr_t)&base, code = (uintptr_t)(void *)munmap;
    fresh();
    put(1, 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    ck_assert_int_eq(mpi_rma_maps_owner(own, own + 1), MPI_RMA_OF_LIBRARY);
    ck_assert_int_eq(mpi_rma_maps_owner(code, code + 1), MPI_RMA_OF_LIBRARY);
    ck_assert_int_eq(mpi_rma_maps_owner(page(1), page(2)), MPI_RMA_OF_NOBODY);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("moved");
    TCase *areas = tcase_create("areas"), *memory = tcase_create("memory");
    tcase_add_test(areas, area_begins_empty);
    tcase_add_test(areas, area_goes);
    tcase_add_test(areas, area_found);
    tcase_add_test(areas, pages_marked);
    tcase_add_test(areas, pages_used);
    tcase_add_test(areas, pages_most);
    tcase_add_test(memory, mappings_read);
    tcase_add_test(memory, mappings_most);
    tcase_add_test(memory, heap_shown);
    tcase_add_test(memory, memory_locked);
    tcase_add_test(memory, variables);
    suite_add_tcase(suite, areas);
    suite_add_tcase(suite, memory);
    MPI_Init(NULL, NULL);
    int failed = suite_run(suite);
    MPI_Finalize();
    return failed;
}
