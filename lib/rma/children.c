/* The parent makes copies before it has the child, as what it and its peers write there afterwards
 * is none of the child's; the child puts them in place.  Children of vfork and posix_spawn run on
 * their parent's memory until they execute something else, and need none. */
#define _GNU_SOURCE
#include "rma/children.h"

#include <pthread.h>
#include <sys/mman.h>

#include "core/world.h"
#include "nicemu/heap.h"
#include "rma/maps.h"
#include "rma/moved.h"
#include "rma/pages.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mpi_rma_children_lock(void) { pthread_mutex_lock(&lock); }
void mpi_rma_children_unlock(void) { pthread_mutex_unlock(&lock); }

/* In a page of its own behind its copy: nothing is taken from malloc, some of whose own data have
 * been copied.  Under the lock. */
struct copy { struct copy *next; uintptr_t at; size_t bytes; int rights; };
/* Of the thread that forks: its own memory is never moved, as the library's variables are if SHMEM
 * is in the program, where the child would find what its parent has done to them meanwhile. */
static _Thread_local struct copy *copies __attribute__((tls_model("initial-exec")));
static struct mpi_rma_maps maps;

static char *data_of(const struct copy *c) { return (char *)(uintptr_t)c - c->bytes; }

/* The heap has it readable, whatever the program may do at its addresses. */
static void copy_data(const struct copy *c, uint64_t offset)
{
    const uint64_t end = offset + c->bytes;
    const char *from = mpi_nic ? nic_heap_at(mpi_nic, nic_rank(mpi_nic), offset, c->bytes)
                               : (const char *)c->at;
    char *to = data_of(c);
    size_t found;
    if (!mpi_nic)
        mpi_rma_pages_copy(to, from, c->bytes);
    while (mpi_nic && nic_heap_touched(mpi_nic, &offset, end, &found)) {
        const size_t place = c->bytes - (end - offset);
        mpi_rma_pages_copy(to + place, from + place, found);
        offset += found;
    }
}

/* Without memory for a copy, or where nothing can be read, the child shares what is there. */
static void keep(uintptr_t begin, uintptr_t end, uint64_t offset, int rights)
{
    const size_t bytes = end - begin;
    if (!mpi_nic && !(rights & PROT_READ))
        return;
    char *copy = mmap(NULL, bytes + MPI_RMA_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return;
    struct copy *c = (struct copy *)(void *)(copy + bytes);
    *c = (struct copy){ copies, begin, bytes, rights };
    copies = c;
    copy_data(c, offset);
}

/* What is still mapped there. */
static void keep_row(const struct mpi_rma_area *a, uintptr_t begin, uintptr_t end)
{
    if (!mpi_rma_maps_read(&maps, begin, end))
        return;
    for (unsigned i = 0; i < maps.count; i++) {
        const struct mpi_rma_mapping *m = &maps.mapping[i];
        const uintptr_t from = m->begin > begin ? m->begin : begin;
        if (m->kind == MPI_RMA_MAPPING_HEAP
            && m->offset + (from - m->begin) == mpi_rma_area_offset(a, from))
            keep(from, m->end < end ? m->end : end, mpi_rma_area_offset(a, from),
                 m->rights);
    }
}

static void before(void)
{
    uintptr_t until;
    pthread_mutex_lock(&lock);          /* until `in_parent` and `in_child` */
    for (const struct mpi_rma_area *a = mpi_rma_areas; a; a = a->next)
        for (uintptr_t at = a->begin; at < a->end; at = until) {
            until = mpi_rma_area_row(a, at, a->end);
            if (a->page[mpi_rma_page_of(a, at)].moved)
                keep_row(a, at, until);
        }
}

static void in_parent(void)
{
    for (struct copy *c, *next = copies; (c = next);) {
        next = c->next;
        munmap(data_of(c), c->bytes + MPI_RMA_PAGE);
    }
    copies = NULL;
    pthread_mutex_unlock(&lock);
}

void mpi_rma_children_own(void)
{
    for (struct copy *c, *next = copies; (c = next);) {
        next = c->next;
        mpi_rma_pages_replace(c->at, data_of(c), c->bytes, c->rights);
        munmap(c, MPI_RMA_PAGE);
    }
    copies = NULL;
}

static void in_child(void)
{
    mpi_rma_children_own();
    mpi_rma_areas = NULL;
    pthread_mutex_unlock(&lock);
}

bool mpi_rma_children_minded(void)
{
    static bool minded;
    minded = minded || !pthread_atfork(before, in_parent, in_child);
    return minded;
}
