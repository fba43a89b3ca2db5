/* The sum of what a program can write to, by which mpirun --check sees that a loop changes nothing:
 * each word counts, of private memory and of the job's, which is far larger than what is in it and
 * is asked of its file. */
#define _GNU_SOURCE
#include <sys/mman.h>

static int counted_mincore(void *begin, size_t bytes, unsigned char *there);
#define mincore counted_mincore
#include "check/memory.c"
#undef mincore
#include "suite.h"

#define GIGABYTE (UINT64_C(1) << 30)
static uint64_t pages_asked;

static int counted_mincore(void *begin, size_t bytes, unsigned char *there)
{
    pages_asked += bytes / PAGE;
    return mincore(begin, bytes, there);
}

/* So much of a file, from `offset` on. */
static unsigned char *map_file(int fd, uint64_t bytes, uint64_t offset)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                     (off_t)offset);
    ck_assert(map != MAP_FAILED);
    return map;
}

static int make_file(const char *name, uint64_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    ck_assert(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    return fd;
}

/* With guards, so that it has a line of its own. */
static unsigned char *make_private(size_t bytes)
{
    unsigned char *map = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                              0);
    ck_assert(map != MAP_FAILED);
    ck_assert(mprotect(map + PAGE, bytes, PROT_READ | PROT_WRITE) == 0);
    return map + PAGE;
}

/* Only what lies there, and the stack: all else is the test's, and a sanitizer's.  False: there is
 * something else that is shared. */
static bool find(const unsigned char *begin, uint64_t bytes)
{
    static char all[TEXT_BYTES];
    ck_assert(check_memory_room(0));
    char *at = own->text;
    ck_assert(read_all("/proc/self/maps", all, sizeof all));
    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        unsigned long from = strtoul(line, NULL, 16);
        *end = '\0';
        if ((from >= (uintptr_t)begin && from < (uintptr_t)begin + bytes)
            || strstr(line, "[stack]"))
            at += sprintf(at, "%s\n", line);
    }
    *at = '\0';
    pages_asked = 0;
    return take_lines(own->text);
}

/* A word there counts, and its old value gives the old sum. */
static void counts(unsigned char *word)
{
    uint64_t before = check_memory_sum();
    *word ^= 1;
    ck_assert_uint_ne(check_memory_sum(), before);
    *word ^= 1;
    ck_assert_uint_eq(check_memory_sum(), before);
}

/* A page that nobody has touched is another sum when somebody has. */
static void counts_new(volatile unsigned char *page)
{
    uint64_t before = check_memory_sum();
    *page = 0;
    ck_assert_uint_ne(check_memory_sum(), before);
}

START_TEST(private)
{
    unsigned char *m = make_private(64 * PAGE);
    memset(m + 3 * PAGE, 5, 4 * PAGE);
    ck_assert(find(m, 64 * PAGE));
    counts(m + 3 * PAGE);
    counts(m + 7 * PAGE - 1);
    counts_new(m + 63 * PAGE);
    ck_assert_uint_gt(pages_asked, 0);
}
END_TEST

/* More than could be looked at page by page: what is there is found, and no page is asked for. */
START_TEST(sparse)
{
    uint64_t bytes = 8 * GIGABYTE, middle = 3 * GIGABYTE + 5 * PAGE, last = bytes - 3 * PAGE;
    int fd = make_file("nicemu-test", bytes);
    unsigned char *m = map_file(fd, bytes, 0);

    m[0] = m[middle] = m[last] = 1;
    ck_assert(find(m, bytes));
    errno = 4711;
    counts(m);
    counts(m + middle);
    counts(m + middle + PAGE - 1);
    counts(m + last);
    counts_new(m + middle + 7 * PAGE);
    counts(m + middle + 7 * PAGE + 9);
    ck_assert_int_eq(errno, 4711);
    ck_assert_uint_eq(pages_asked, 0);
}
END_TEST

/* The same words elsewhere are another sum. */
START_TEST(place_counts)
{
    int fd = make_file("nicemu-test", 64 * PAGE);
    unsigned char *m = _i ? make_private(64 * PAGE) : map_file(fd, 64 * PAGE, 0);
    uint64_t sum[2];

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(madvise(m, 64 * PAGE, _i ? MADV_DONTNEED : MADV_REMOVE), 0);
        m[(5 + i) * PAGE] = 1;
        ck_assert(find(m, 64 * PAGE));
        sum[i] = check_memory_sum();
    }
    ck_assert_uint_ne(sum[0], sum[1]);
}
END_TEST

/* A rank has several parts of the job's file; what is in front of one, behind it and between two
 * is not its own, and may not be readable. */
START_TEST(parts)
{
    int fd = make_file("nicemu-test", 30 * PAGE);
    unsigned char *whole = map_file(fd, 30 * PAGE, 0), *room = make_private(40 * PAGE);
    memset(whole, 1, 30 * PAGE);
    for (int part = 0; part < 2; part++)
        ck_assert(mmap(room + part * 20 * PAGE, 10 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED, fd, (5 + part * 12) * PAGE) != MAP_FAILED);
    for (int part = 0; part < 2; part++)
        ck_assert(mprotect(room + (10 + part * 20) * PAGE, 10 * PAGE, PROT_NONE) == 0);
    ck_assert(find(room, 40 * PAGE));
    ck_assert_uint_eq(own->regions, 2);
    counts(room);
    counts(room + 10 * PAGE - 1);
    counts(room + 20 * PAGE);
    counts(room + 30 * PAGE - 1);
    uint64_t before = check_memory_sum();
    whole[5 * PAGE - 1] = whole[15 * PAGE] = whole[17 * PAGE - 1] = whole[27 * PAGE] = 2;
    ck_assert_uint_eq(check_memory_sum(), before);
    ck_assert_uint_eq(pages_asked, 0);
}
END_TEST

/* A program may close what it does not know. */
START_TEST(closed)
{
    int fd = make_file("nicemu-test", 64 * PAGE);
    unsigned char *m = map_file(fd, 64 * PAGE, 0);

    m[9 * PAGE] = 1;
    close(fd);
    fd = make_file("nicemu-test", PAGE);        /* another one with that name and number */
    ck_assert(find(m, 64 * PAGE));
    counts(m + 9 * PAGE);
    counts_new(m + 20 * PAGE);
    ck_assert_uint_gt(pages_asked, 0);
    close(fd);
}
END_TEST

/* Closed between two sums: no two are the same. */
START_TEST(closed_later)
{
    int fd = make_file("nicemu-test", 64 * PAGE);
    unsigned char *m = map_file(fd, 64 * PAGE, 0);

    m[9 * PAGE] = 1;
    ck_assert(find(m, 64 * PAGE));
    uint64_t before = check_memory_sum();
    ck_assert_uint_eq(check_memory_sum(), before);
    close(fd);
    before = check_memory_sum();
    ck_assert_uint_ne(check_memory_sum(), before);
}
END_TEST

/* No two sums of more than is looked at are the same. */
START_TEST(too_much)
{
    int fd = make_file("nicemu-test", GIGABYTE);
    unsigned char *m = map_file(fd, GIGABYTE, 0);

    memset(m, 1, BYTES_MOST);
    ck_assert(find(m, GIGABYTE));
    uint64_t before = check_memory_sum();
    ck_assert_uint_eq(check_memory_sum(), before);
    m[BYTES_MOST] = 1;
    before = check_memory_sum();
    ck_assert_uint_ne(check_memory_sum(), before);
}
END_TEST

/* Others may write there at any time. */
START_TEST(others)
{
    int fd = make_file("other", 4 * PAGE);
    unsigned char *m = map_file(fd, 4 * PAGE, 0);
    ck_assert(!find(m, 4 * PAGE));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("writable");
    TCase *t = tcase_create("writable");
    tcase_add_test(t, private);
    tcase_add_test(t, sparse);
    tcase_add_loop_test(t, place_counts, 0, 2);
    tcase_add_test(t, parts);
    tcase_add_test(t, closed);
    tcase_add_test(t, closed_later);
    tcase_add_test(t, too_much);
    tcase_add_test(t, others);
    suite_add_tcase(s, t);
    return suite_run(s);
}
