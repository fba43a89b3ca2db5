/* The writable memory of this process, as /proc says. */
#define _GNU_SOURCE
#include "check/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { REGIONS = 1024, TEXT_BYTES = 256 << 10, CHUNK_PAGES = 4096, PAGE = 4096 };
enum { DESCRIPTORS = 1024 };        /* where the job's is looked for */
#define BYTES_MOST (UINT64_C(256) << 20)

/* file: a descriptor of what is shared, which begins there at `offset`; -1: private, or there is
 * none. */
struct region { uintptr_t begin, end; int file; off_t offset; };

/* In pages of its own, as it changes while the rest is summed up. */
struct place {
    uint64_t room[64];          /* somebody else's */
    unsigned regions;
    struct region region[REGIONS];
    uintptr_t stack_end;
    dev_t device;               /* the shared file that was found last */
    ino_t inode;
    int file;
    uint64_t looked_at;         /* bytes, by the last sum */
    uint64_t failures;          /* sums of which no two may be the same */
    unsigned char there[CHUNK_PAGES];
    char text[TEXT_BYTES];
};
static struct place *own;

/* -- sums */

static inline uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c55);
    return sum ^ sum >> 29;
}

/* Of words, in four lanes that the processor works on at once. */
static uint64_t add(uint64_t sum, const uint64_t *word, size_t words)
{
    uint64_t a = sum, b = 1, c = 2, d = 3;
    size_t i = 0;

    for (; i + 4 <= words; i += 4) {
        a = mix(a, word[i]);
        b = mix(b, word[i + 1]);
        c = mix(c, word[i + 2]);
        d = mix(d, word[i + 3]);
    }
    for (; i < words; i++)
        a = mix(a, word[i]);
    return mix(mix(mix(a, b), c), d);
}

uint64_t check_memory_between(uintptr_t begin, uintptr_t end)
{
    begin &= ~(uintptr_t)7;
    return add(0, (const uint64_t *)begin, (end - begin) / 8);
}

/* Pages that nobody has touched stay so: they are not looked at, but it counts which these are. */
static uint64_t add_pages(uint64_t sum, uintptr_t begin, size_t pages)
{
    if (mincore((void *)begin, pages * PAGE, own->there)) {     /* gone */
        own->looked_at = BYTES_MOST + 1;
        return sum;
    }
    for (size_t i = 0; i < pages; i++)
        if (own->there[i] & 1) {
            sum = add(sum ^ i, (const uint64_t *)(begin + i * PAGE), PAGE / 8);
            own->looked_at += PAGE;
        }
    return sum;
}

static uint64_t add_by_page(uint64_t sum, uintptr_t begin, uintptr_t end)
{
    while (begin < end && own->looked_at <= BYTES_MOST) {
        size_t pages = (end - begin) / PAGE;
        pages = pages < CHUNK_PAGES ? pages : CHUNK_PAGES;
        sum = add_pages(mix(sum, begin), begin, pages);
        begin += pages * PAGE;
    }
    return sum;
}

/* -errno, which is memory of the program's, too. */
static off_t seek(int file, off_t from, int whence)
{
    int before = errno;
    off_t at = lseek(file, from, whence);

    if (at < 0)
        at = -errno;
    errno = before;
    return at;
}

/* The ranks' heaps are gigabytes each, of which most have nothing in them; to be asked of each page
 * takes a tenth of a second and more.  The file says where something is.  (Nobody else uses the
 * place in the file that this moves.) */
static uint64_t add_shared(uint64_t sum, const struct region *r)
{
    off_t end = r->offset + (off_t)(r->end - r->begin), from, to;

    for (from = r->offset; from < end; from = to) {
        from = seek(r->file, from, SEEK_DATA);
        if (from == -ENXIO || from >= end)
            break;
        to = from < 0 ? from : seek(r->file, from, SEEK_HOLE);
        to = to < end ? to : end;
        if (to < 0 || own->looked_at + (uint64_t)(to - from) > BYTES_MOST) {
            own->looked_at = BYTES_MOST + 1;
            break;
        }
        own->looked_at += (uint64_t)(to - from);
        sum = add(mix(sum, (uint64_t)from),
                  (const uint64_t *)(r->begin + (uintptr_t)(from - r->offset)),
                  (size_t)(to - from) / 8);
    }
    return sum;
}

static uint64_t add_region(uint64_t sum, const struct region *r)
{
    return r->file < 0 ? add_by_page(sum, r->begin, r->end) : add_shared(mix(sum, r->begin), r);
}

uint64_t check_memory_sum(void)
{
    uint64_t sum = 0;

    own->looked_at = 0;
    for (unsigned i = 0; i < own->regions; i++)
        sum = add_region(sum, &own->region[i]);
    if (own->looked_at > BYTES_MOST)
        sum = ++own->failures;
    return sum;
}

/* -- what there is */

static bool keep(uintptr_t begin, uintptr_t end, int file, off_t offset)
{
    if (begin == end)
        return true;
    if (own->regions == REGIONS)
        return false;
    own->region[own->regions++] = (struct region){ begin, end, file, offset };
    return true;
}

/* Without the part that is this file's. */
static bool keep_rest(uintptr_t begin, uintptr_t end)
{
    uintptr_t mine = (uintptr_t)own, behind = mine + (sizeof *own + PAGE - 1) / PAGE * PAGE;

    if (mine >= begin && behind <= end)
        return keep(begin, mine, -1, 0) && keep(behind, end, -1, 0);
    return keep(begin, end, -1, 0);
}

/* A descriptor of that file that can be asked where something is; -1: there is none. */
static int find_file(dev_t device, ino_t inode)
{
    struct stat s;

    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fstat(fd, &s) == 0 && s.st_dev == device && s.st_ino == inode) {
            off_t at = seek(fd, 0, SEEK_HOLE);
            return at >= 0 && at <= s.st_size ? fd : -1;
        }
    return -1;
}

/* The job's memory is one file, and has several lines. */
static bool keep_shared(uintptr_t begin, uintptr_t end, const char *where)
{
    unsigned long offset, inode;
    unsigned major, minor;

    if (sscanf(where, "%lx %x:%x %lu", &offset, &major, &minor, &inode) < 4)
        return false;
    if (own->inode != inode || own->device != makedev(major, minor)) {
        own->inode = inode;
        own->device = makedev(major, minor);
        own->file = find_file(own->device, own->inode);
    }
    return keep(begin, end, own->file, (off_t)offset);
}

/* "7f589d57d000-7f589d591000 rw-s 0000c000 00:01 3922      /memfd:nicemu-job (deleted)"
 * Into what is shared others may write at any time; the job's ranks do so by way of the library. */
static bool take_line(const char *line)
{
    unsigned long begin, end;
    char may[5];
    int name = 0, where = 0;

    if (sscanf(line, "%lx-%lx %4s %n%*s %*s %*s %n", &begin, &end, may, &where, &name) < 3 || !name)
        return false;
    bool shared = may[3] == 's';
    if (shared && may[0] == 'r' && strncmp(line + name, "/memfd:nicemu", 13) != 0)
        return false;
    if (strncmp(line + name, "[stack]", 7) == 0)
        own->stack_end = end;
    else if (may[0] == 'r' && may[1] == 'w')
        return shared ? keep_shared(begin, end, line + where) : keep_rest(begin, end);
    return true;
}

static bool take_lines(char *text)
{
    own->regions = 0;
    own->stack_end = 0;
    own->inode = 0;             /* descriptors may have changed */
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (!take_line(line))
            return false;
    }
    return own->stack_end != 0;
}

static bool read_all(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t n = -1;

    while (fd >= 0 && length < size - 1
           && (n = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)n;
    if (fd >= 0)
        close(fd);
    text[length] = '\0';
    return n == 0;
}

void *check_memory_room(size_t bytes)
{
    void *place = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);

    if (place == MAP_FAILED || bytes > sizeof own->room)
        return NULL;
    own = place;
    return own->room;
}

bool check_memory_find(void)
{
    if (sysconf(_SC_PAGESIZE) != PAGE || !read_all("/proc/self/maps", own->text, TEXT_BYTES)
        || !take_lines(own->text))
        return false;
    check_memory_sum();
    return own->looked_at <= BYTES_MOST;
}

uintptr_t check_memory_stack_end(void) { return own->stack_end; }
