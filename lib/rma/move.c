/* Moving memory of windows into the heap and back.
 *
 * What is written to a page between its copy and the change of its mapping would be lost.  So:
 *
 *   other threads of the process   there are none (nic_alone), else nothing is moved
 *   the NIC's threads              the baton is held, and without it they write to no page that has
 *                                  memory of malloc's (nic_alone says so)
 *   handlers of signals            all signals are blocked
 *   this thread                    writes to its stack, to `errno` and to the library's variables:
 *                                  pages with any of those are never moved (variables are for
 *                                  SHMEM, if the program has the library in it: between the copy
 *                                  of a page and the change nothing here writes to any)
 *   peers, by the kernel           only to memory that is registered, and to what a receive waits
 *                                  for: with any of that there nothing is moved
 *
 * Where one of these is not so when a window ends, its pages stay in the heap, and are looked at
 * again when the next window begins or ends.  Whoever frees memory that a window has, or had, may
 * have unmapped it, or something else may be there: the kernel's list of mappings says what is
 * still the heap's, and nothing else is touched. */
#define _GNU_SOURCE
#include "rma/move.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/world.h"
#include "nicemu/heap.h"
#include "nicemu/machines.h"
#include "nicemu/remote.h"
#include "nicemu/threads.h"
#include "rma/children.h"
#include "rma/maps.h"
#include "rma/moved.h"
#include "rma/pages.h"

/* WIDE: for an area to each side of a window, and at most this share of the free heap; MOST_SHARE:
 * for a window. */
enum { WIDE = 8 << 20, WIDE_SHARE = 32, MOST_SHARE = 2, STACK_BYTES = 256 * 1024,
       THREAD_BYTES = 16 * 1024 };

/* Under the lock of children.c, as all of this. */
static struct mpi_rma_maps maps;

/* -- pages */

static uintptr_t down(uintptr_t at) { return at / MPI_RMA_PAGE * MPI_RMA_PAGE; }
static uintptr_t up(uintptr_t at) { return down(at + MPI_RMA_PAGE - 1); }
static uintptr_t later(uintptr_t a, uintptr_t b) { return a > b ? a : b; }
static uintptr_t sooner(uintptr_t a, uintptr_t b) { return a < b ? a : b; }

/* -- quiet */

struct quiet { sigset_t before; bool alone; };

static void hush(struct quiet *q)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &q->before);     /* first: handlers may fork */
    mpi_rma_children_lock();
    nic_enter(mpi_nic);
    q->alone = nic_alone(mpi_nic);
}

static void unhush(const struct quiet *q)
{
    nic_leave(mpi_nic);
    mpi_rma_children_unlock();
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
}

static bool is_near(uintptr_t begin, uintptr_t end, uintptr_t place, uintptr_t around)
{
    return begin < place + around && place < end + around;
}

/* The address sanitizer may have what seem to be variables on the stack elsewhere, in frames of 64
 * bytes or more: whose are in use it tells. */
extern void *__asan_get_current_fake_stack(void) __attribute__((weak));
extern void *__asan_addr_is_in_fake_stack(void *stack, void *at, void **begin, void **end)
    __attribute__((weak));

static bool is_sanitizers(uintptr_t at)
{
    void *stack = __asan_get_current_fake_stack ? __asan_get_current_fake_stack() : NULL;
    bool found = false;
    for (uintptr_t i = 0; stack && i < MPI_RMA_PAGE && !found; i += 64)
        found = __asan_addr_is_in_fake_stack(stack, (void *)(at + i), NULL, NULL) != NULL;
    return found;
}

static bool has_stack(uintptr_t begin, uintptr_t end)
{
    return is_near(begin, end, (uintptr_t)__builtin_frame_address(0), STACK_BYTES)
           || is_near(begin, end, (uintptr_t)__builtin_thread_pointer(), THREAD_BYTES)
           || is_sanitizers(begin) || is_sanitizers(end - MPI_RMA_PAGE);
}

/* Nobody writes there now. */
static bool is_still(const struct quiet *q, uintptr_t begin, uintptr_t end)
{
    return q->alone && !nic_registered(mpi_nic, (void *)begin, end - begin)
           && !mpi_fw_receives_into(mpi_fw, begin, end) && !has_stack(begin, end);
}

/* -- whether to move at all */

/* What moving costs is bounded, as nobody knows beforehand how much a window will be used: so much
 * to begin with, and a part of the time since.  It is counted by estimates, for there and back, so
 * that programs do not differ from run to run by other things: measured 140 us and 1.2 ms for each
 * MiB. */
enum { FIRST_US = 100 * 1000, SHARE = 50, WINDOW_US = 150, PAGE_US = 5 };
static struct { bool free; double begin, spent_us; } cost;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static bool can_afford(size_t bytes)
{
    const double wanted = WINDOW_US + (double)(bytes / MPI_RMA_PAGE) * PAGE_US, now = now_us();
    if (!cost.spent_us)
        cost.begin = now;
    if (!cost.free && cost.spent_us + wanted > FIRST_US + (now - cost.begin) / SHARE)
        return false;
    cost.spent_us += wanted;
    return true;
}

/* MPILITE_RMA: whatever it costs, or not, as tests ask for the ways by which memory is reached that
 * has stayed where it is.  Those name NICEMU_RDMA, too. */
static bool is_wished(void)
{
    const char *way = getenv("MPILITE_RMA"), *copies = getenv("NICEMU_RDMA");
    cost.free = way && !strcmp(way, "moved");
    return (!(way && *way) || cost.free) && !(copies && *copies);
}

static bool all_here(void)
{
    for (unsigned r = 0; r < nic_ranks(mpi_nic); r++)
        if (!nic_is_here(mpi_nic, r))
            return false;
    return nic_ranks(mpi_nic) > 1;
}

bool mpi_rma_reaches(void)
{
    const unsigned direct = 1u << NIC_PATH_DIRECT;
    return !mpi_modelled && nic_heap_size(mpi_nic) && (nic_remote_allowed(mpi_nic) & direct);
}

static bool may_move(void)
{
    return mpi_rma_reaches() && is_wished() && all_here() && sysconf(_SC_PAGESIZE) == MPI_RMA_PAGE;
}

/* -- what is there, as the kernel's list has it */

/* The mapping that has this place; NULL: none, and *until: where the next one begins. */
static const struct mpi_rma_mapping *mapping_at(uintptr_t at, uintptr_t *until)
{
    for (unsigned i = 0; i < maps.count; i++) {
        const struct mpi_rma_mapping *m = &maps.mapping[i];
        if (at < m->end) {
            *until = at < m->begin ? m->begin : m->end;
            return at < m->begin ? NULL : m;
        }
    }
    *until = UINTPTR_MAX;
    return NULL;
}

static bool is_in_place(const struct mpi_rma_area *a, const struct mpi_rma_mapping *m,
                        uintptr_t at)
{
    return m && m->kind == MPI_RMA_MAPPING_HEAP
           && m->offset + (at - m->begin) == mpi_rma_area_offset(a, at);
}

/* A mapping of its own, whose data may be moved; owner: of variables there. */
static bool is_free(const struct mpi_rma_mapping *m, enum mpi_rma_owner owner)
{
    return m && owner != MPI_RMA_OF_LIBRARY
           && (m->kind == MPI_RMA_MAPPING_PRIVATE
               || (m->kind == MPI_RMA_MAPPING_DATA && owner == MPI_RMA_OF_PROGRAM));
}

/* Moved, and the program may still write there, as others will. */
static bool is_there(const struct mpi_rma_area *a, const struct mpi_rma_mapping *m, uintptr_t at)
{
    const int both = PROT_READ | PROT_WRITE;
    return is_in_place(a, m, at) && (m->rights & both) == both;
}

/* All pages of a window are in the heap, or can be brought there. */
static bool fits(const struct mpi_rma_area *a, uintptr_t begin, uintptr_t end,
                 enum mpi_rma_owner owner)
{
    uintptr_t until;
    for (uintptr_t at = begin; at < end; at = until) {
        const struct mpi_rma_mapping *m = mapping_at(at, &until);
        const uintptr_t row = mpi_rma_area_row(a, at, sooner(until, end));
        const bool moved = a->page[mpi_rma_page_of(a, at)].moved;
        if (moved ? !is_there(a, m, at) : !is_free(m, owner) || mpi_rma_maps_locked(at))
            return false;
        until = row;
    }
    return true;
}

/* -- back */

/* m: of the pages; NULL: they are no longer at their addresses.  Then they have been freed, or are
 * at others and stay in the heap. */
static void row_back(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end,
                     const struct mpi_rma_mapping *m)
{
    const uint64_t offset = mpi_rma_area_offset(a, begin);
    size_t done = end - begin;
    if (m)
        done = mpi_rma_pages_out(begin, offset, done, m->rights);
    else if (mpi_rma_maps_show(offset, done))
        return;
    else
        nic_heap_clear(mpi_nic, offset, done);
    mpi_rma_area_mark(a, begin, begin + done, false);
}

/* How far the mappings go on that are in place, with the same rights: the first page's is one by
 * itself (split, pages.c), and all become one again. */
static uintptr_t in_place_until(const struct mpi_rma_area *a, const struct mpi_rma_mapping *m,
                                uintptr_t until, uintptr_t end)
{
    const int rights = m->rights;
    uintptr_t next;
    while (until < end && (m = mapping_at(until, &next)) && m->rights == rights
           && is_in_place(a, m, until))
        until = sooner(next, end);
    return until;
}

/* Moved pages in a row that no window has any more. */
static void idle_back(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end,
                      const struct quiet *q)
{
    uintptr_t until;
    if (!mpi_rma_maps_read(&maps, begin, end))
        return;
    const bool still = is_still(q, begin, end);
    for (uintptr_t at = begin; at < end; at = until) {
        const struct mpi_rma_mapping *m = mapping_at(at, &until);
        until = sooner(until, end);
        const bool in_place = is_in_place(a, m, at);
        if (in_place)
            until = in_place_until(a, m, until, end);
        if (!in_place || still)
            row_back(a, at, until, in_place ? m : NULL);
    }
}

static void go_back(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end, const struct quiet *q)
{
    uintptr_t until;
    for (uintptr_t at = begin; at < end; at = until) {
        const struct mpi_rma_moved p = a->page[mpi_rma_page_of(a, at)];
        until = mpi_rma_area_row(a, at, end);
        if (p.moved && !p.uses)
            idle_back(a, at, until, q);
    }
    mpi_rma_area_drop(a);
}

/* What could not go back when its window ended. */
static void sweep(const struct quiet *q)
{
    struct mpi_rma_area *next;
    for (struct mpi_rma_area *a = mpi_rma_areas; a; a = next) {
        next = a->next;
        if (a->idle)
            go_back(a, a->begin, a->end, q);
    }
}

/* -- into the heap */

/* With as much of what is beside the window as its neighbours may need a place for. */
static struct mpi_rma_area *area_for(uintptr_t begin, uintptr_t end)
{
    struct nic_heap_usage used;
    nic_heap_used(mpi_nic, &used);
    const size_t free_bytes = nic_heap_size(mpi_nic) - used.bytes;
    const uintptr_t wide = sooner(down(free_bytes / WIDE_SHARE), WIDE);
    if (end - begin > free_bytes / MOST_SHARE)
        return NULL;
    if (maps.around_begin > begin || maps.around_end < end)
        return mpi_rma_area_new(begin, end);
    return mpi_rma_area_new(later(maps.around_begin, begin > wide ? begin - wide : 0),
                            sooner(maps.around_end, end + wide));
}

/* The pages that are not there yet.  False: those of this call may be. */
static bool bring(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end, const struct quiet *q)
{
    uintptr_t until;
    for (uintptr_t at = begin; at < end; at = until) {
        const struct mpi_rma_mapping *m = mapping_at(at, &until);
        until = mpi_rma_area_row(a, at, sooner(until, end));
        if (a->page[mpi_rma_page_of(a, at)].moved)
            continue;
        if (!is_still(q, at, until))
            return false;
        const size_t done = mpi_rma_pages_in(at, mpi_rma_area_offset(a, at), until - at,
                                             m && m->kind == MPI_RMA_MAPPING_DATA);
        mpi_rma_area_mark(a, at, at + done, true);
        if (done < until - at)
            return false;
    }
    return true;
}

/* make: an area, where there is none. */
static bool take(uintptr_t begin, uintptr_t end, enum mpi_rma_owner owner,
                 struct mpi_rma_area *(*make)(uintptr_t begin, uintptr_t end),
                 const struct quiet *q, uint64_t *offset)
{
    bool bars;
    struct mpi_rma_area *a = mpi_rma_area_find(begin, end, &bars);
    if (bars || !mpi_rma_maps_read(&maps, begin, end) || !mpi_rma_children_minded()
        || (!a && !(a = make(begin, end))))
        return false;
    if (fits(a, begin, end, owner) && bring(a, begin, end, q)
        && mpi_rma_area_use(a, begin, end, 1)) {
        *offset = mpi_rma_area_offset(a, begin);
        return true;
    }
    go_back(a, begin, end, q);
    return false;
}

static bool take_window(uintptr_t begin, uintptr_t end, const struct quiet *q, uint64_t *offset)
{
    return take(begin, end, mpi_rma_maps_owner(begin, end), area_for, q, offset);
}

bool mpi_rma_move(void *base, size_t bytes, uint64_t *offset)
{
    const uintptr_t at = (uintptr_t)base;
    struct quiet q;
    if (!bytes || at + bytes < at || up(at + bytes) < at || !may_move())
        return false;
    hush(&q);
    sweep(&q);
    const bool moved = can_afford(bytes) && take_window(down(at), up(at + bytes), &q, offset);
    mpi_fw_count_move(mpi_fw, moved);
    unhush(&q);
    *offset += moved ? at % MPI_RMA_PAGE : 0;
    return moved;
}

bool mpi_rma_move_variables(void *base, size_t bytes, uint64_t *offset)
{
    const uintptr_t begin = (uintptr_t)base;
    struct quiet q;
    if (!nic_heap_size(mpi_nic) || sysconf(_SC_PAGESIZE) != MPI_RMA_PAGE)
        return false;
    hush(&q);
    sweep(&q);
    const bool moved = take(begin, begin + bytes, MPI_RMA_OF_PROGRAM, mpi_rma_area_new, &q, offset);
    unhush(&q);
    return moved;
}

void mpi_rma_move_back(void *base, size_t bytes)
{
    const uintptr_t begin = down((uintptr_t)base), end = up((uintptr_t)base + bytes);
    struct quiet q;
    bool bars;
    hush(&q);
    struct mpi_rma_area *a = mpi_rma_area_find(begin, end, &bars);
    if (a)
        mpi_rma_area_use(a, begin, end, -1);
    sweep(&q);
    unhush(&q);
}

void mpi_rma_moves_end(void)
{
    struct quiet q;
    if (!mpi_rma_areas)
        return;
    hush(&q);
    for (struct mpi_rma_area *a = mpi_rma_areas; a; a = a->next)
        mpi_rma_area_use_none(a);
    sweep(&q);
    unhush(&q);
}
