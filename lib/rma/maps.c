/* The list of mappings, /proc/self/maps, of which each line is
 * "7f589d57d000-7f589d591000 rw-s 0000c000 00:01 3922      /memfd:nicemu-job (deleted)" */
#define _GNU_SOURCE
#include "rma/maps.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/world.h"
#include "nicemu/heap.h"

enum { TEXT_BYTES = 32 * 1024 };     /* more than a line: a path of 4,096, some as "\ooo" */

/* -- lines of a file, without memory of malloc's */

/* torn: not all of it could be read. */
struct reader { int fd; size_t at, length; bool ended, torn; char text[TEXT_BYTES]; };

static struct reader reader;

static bool open_file(const char *path)
{
    reader.fd = open(path, O_RDONLY | O_CLOEXEC);
    reader.at = reader.length = 0;
    reader.ended = reader.torn = false;
    return reader.fd >= 0;
}

static void fill(struct reader *r)
{
    memmove(r->text, r->text + r->at, r->length -= r->at);
    r->at = 0;
    const ssize_t n = read(r->fd, r->text + r->length, sizeof r->text - r->length);
    r->ended = n <= 0;
    r->torn = n < 0;
    r->length += n > 0 ? (size_t)n : 0;
}

/* Without its end; NULL: no more. */
static char *next_line(struct reader *r)
{
    char *end;
    while (!(end = memchr(r->text + r->at, '\n', r->length - r->at))) {
        r->torn |= r->length - r->at == sizeof r->text;
        if (r->ended || r->torn)
            return NULL;
        fill(r);
    }
    char *line = r->text + r->at;
    *end = '\0';
    r->at = (size_t)(end - r->text) + 1;
    return line;
}

/* -- one line */

struct line {
    uintptr_t begin, end;
    char may[5];
    uint64_t offset, device, inode;
    const char *name;
};

static bool parse(char *text, struct line *l)
{
    char *at = text, *minor;
    l->begin = strtoull(at, &at, 16);
    if (*at++ != '-')
        return false;
    l->end = strtoull(at, &at, 16);
    if (*at++ != ' ' || strlen(at) < sizeof l->may)
        return false;
    memcpy(l->may, at, sizeof l->may - 1);
    l->may[4] = '\0';
    l->offset = strtoull(at + 4, &at, 16);
    l->device = strtoull(at, &minor, 16);
    if (*minor != ':')
        return false;
    l->device = l->device << 32 | strtoull(minor + 1, &at, 16);
    l->inode = strtoull(at, &at, 10);
    l->name = at + strspn(at, " ");
    return true;
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Of valgrind's tools, which answer for each byte of malloc's. */
static bool is_tool(const struct line *l) { return strstr(l->name, "/vgpreload_") != NULL; }

static enum mpi_rma_mapping_kind kind_of(const struct line *l)
{
    if (strcmp(l->may, "rw-p") != 0)
        return MPI_RMA_MAPPING_OTHER;
    if (l->inode)
        return MPI_RMA_MAPPING_DATA;
    return !*l->name || !strcmp(l->name, "[heap]") || begins(l->name, "[anon:")
           ? MPI_RMA_MAPPING_PRIVATE : MPI_RMA_MAPPING_OTHER;
}

/* -- which file is the heap, and where in it this rank's begins: as it is for the process's life */

static struct { bool known; uintptr_t at; uint64_t device, inode, offset; } home;

static void find_home(const struct line *l)
{
    const uintptr_t heap = (uintptr_t)nic_heap_at(mpi_nic, nic_rank(mpi_nic), 0, 1);
    if (heap < l->begin || heap >= l->end)
        return;
    home.at = heap;
    home.device = l->device;
    home.inode = l->inode;
    home.offset = l->offset + (heap - l->begin);
    home.known = true;
}

/* Whatever rights the program has left there. */
static bool is_home(const struct line *l)
{
    return home.known && l->may[3] == 's' && l->device == home.device
           && l->inode == home.inode && l->offset >= home.offset;
}

static bool learn_home(void)
{
    struct line l;
    char *text;
    if (home.known)
        return true;
    if (!mpi_nic || !open_file("/proc/self/maps"))
        return false;
    while (!home.known && (text = next_line(&reader)) && parse(text, &l))
        find_home(&l);
    close(reader.fd);
    return home.known;
}

/* -- all that touches a range */

static int rights_of(const struct line *l)
{
    return (l->may[0] == 'r' ? PROT_READ : 0) | (l->may[1] == 'w' ? PROT_WRITE : 0)
           | (l->may[2] == 'x' ? PROT_EXEC : 0);
}

static bool keep(struct mpi_rma_maps *m, const struct line *l, enum mpi_rma_mapping_kind kind)
{
    if (m->count == MPI_RMA_MAPPINGS)
        return false;
    m->mapping[m->count++] = (struct mpi_rma_mapping){
        l->begin, l->end, kind, rights_of(l),
        kind == MPI_RMA_MAPPING_HEAP ? l->offset - home.offset : 0 };
    return true;
}

/* A row of mappings without gaps that are of use. */
struct row { uintptr_t begin, end; bool touches; };

static void end_row(struct mpi_rma_maps *m, const struct row *r)
{
    if (!r->touches)
        return;
    if (!m->around_end)
        m->around_begin = r->begin;
    m->around_end = r->end;
}

static void go_on(struct mpi_rma_maps *m, struct row *r, const struct line *l,
                  enum mpi_rma_mapping_kind kind, bool touches)
{
    const bool of_use = kind == MPI_RMA_MAPPING_PRIVATE || kind == MPI_RMA_MAPPING_HEAP;
    if (!of_use || l->begin != r->end) {
        end_row(m, r);
        *r = (struct row){ l->begin, of_use ? l->end : l->begin, false };
    }
    if (of_use) {
        r->end = l->end;
        r->touches |= touches;
    }
}

static bool take_lines(struct mpi_rma_maps *m, uintptr_t begin, uintptr_t end)
{
    struct row row = { 0, 0, false };
    struct line l;
    char *text;
    bool good = true;
    while (good && (text = next_line(&reader))) {
        good = parse(text, &l) && !is_tool(&l);
        const enum mpi_rma_mapping_kind kind = is_home(&l) ? MPI_RMA_MAPPING_HEAP : kind_of(&l);
        const bool touches = l.begin < end && l.end > begin;
        go_on(m, &row, &l, kind, touches);
        good = good && (!touches || keep(m, &l, kind));
    }
    end_row(m, &row);
    return good && !reader.torn;
}

bool mpi_rma_maps_read(struct mpi_rma_maps *m, uintptr_t begin, uintptr_t end)
{
    m->count = 0;
    m->around_begin = m->around_end = 0;
    if (!learn_home() || !open_file("/proc/self/maps"))
        return false;
    const bool good = take_lines(m, begin, end);
    close(reader.fd);
    return good;
}

/* It has some of that part of the heap at another address than the heap itself has it. */
static bool shows(const struct line *l, uint64_t begin, uint64_t end)
{
    const uint64_t from = l->offset - home.offset;
    return is_home(l) && l->begin != home.at + from && from < end
           && begin < from + (l->end - l->begin);
}

bool mpi_rma_maps_show(uint64_t offset, size_t bytes)
{
    struct line l;
    char *text;
    bool shown = false;
    if (!learn_home() || !open_file("/proc/self/maps"))
        return true;
    while (!shown && (text = next_line(&reader)))
        shown = !parse(text, &l) || shows(&l, offset, offset + bytes);
    close(reader.fd);
    return shown || reader.torn;
}

static bool process_locks(void)
{
    static const char key[] = "VmLck:";
    char *text;
    bool locked = true;
    if (!open_file("/proc/self/status"))
        return true;
    while ((text = next_line(&reader)))
        if (begins(text, key)) {
            locked = strtoull(text + sizeof key - 1, NULL, 10) != 0;
            break;
        }
    close(reader.fd);
    return locked;
}

/* The kernel does not take this advice for memory that is locked; one that does not know it is
 * asked for the sum of what the process has locked. */
bool mpi_rma_maps_locked(uintptr_t at)
{
#ifdef MADV_COLD
    if (!madvise((void *)at, MPI_RMA_PAGE, MADV_COLD))
        return false;
#endif
    return process_locks();
}

/* -- variables */

struct looking { uintptr_t begin, end; bool first; enum mpi_rma_owner owner; };

static bool overlaps(const struct dl_phdr_info *info, const ElfW(Phdr) *h, uintptr_t begin,
                     uintptr_t end)
{
    const uintptr_t from = info->dlpi_addr + h->p_vaddr;
    return h->p_type == PT_LOAD && from / MPI_RMA_PAGE * MPI_RMA_PAGE < end
           && begin < (from + h->p_memsz + MPI_RMA_PAGE - 1) / MPI_RMA_PAGE * MPI_RMA_PAGE;
}

/* The program comes first.  Has it this library in it, its variables are ours. */
static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct looking *g = argument;
    const uintptr_t own = (uintptr_t)&home;
    bool found = false, ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        found |= overlaps(info, &info->dlpi_phdr[i], g->begin, g->end);
        ours |= overlaps(info, &info->dlpi_phdr[i], own, own + 1);
    }
    if (found)
        g->owner = g->first && !ours ? MPI_RMA_OF_PROGRAM : MPI_RMA_OF_LIBRARY;
    g->first = false;
    return found;
}

enum mpi_rma_owner mpi_rma_maps_owner(uintptr_t begin, uintptr_t end)
{
    struct looking g = { begin, end, true, MPI_RMA_OF_NOBODY };
    dl_iterate_phdr(look, &g);
    return g.owner;
}
